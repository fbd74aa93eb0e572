"""The server's end of one worker: requests and answers, and messages that the worker sends unasked."""

from __future__ import annotations

import asyncio
import itertools
import logging
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

from playground.hosting.session import protocol
from playground.hosting.session.protocol import WorkFailure
from playground.hosting.workers import link

logger = logging.getLogger(__name__)


class WorkerFailed(Exception):
    """The called run failed and is gone; it was correct up to `good_us`."""

    def __init__(self, failure: WorkFailure, good_us: int, play: bool) -> None:
        super().__init__(f"{failure.kind}: {failure.code}")
        self.failure, self.good_us, self.play = failure, good_us, play


class CommandDeclined(Exception):
    """A request was refused, and nothing changed."""

    def __init__(self, refusal: protocol.CommandRefused) -> None:
        super().__init__(refusal.text or refusal.code)
        self.refusal = refusal


class WorkerLost(Exception):
    """The worker is gone.

    Args:
        excess: of what the session that asks took too much; None if the worker ended for another reason.
    """

    def __init__(self, excess: protocol.Excess | None = None) -> None:
        super().__init__()
        self.excess = excess


class LinkListener(Protocol):
    """Takes a worker's messages about one session."""

    @property
    def plays(self) -> bool:
        """Whether time passes in it."""

    def take(self, message: Any) -> None:
        """Take a message; must not block."""

    def lost(self, excess: protocol.Excess | None) -> None:
        """Handle a lost worker.

        Args:
            excess: of what this session took too much; None if the worker ended for another reason.
        """


class WorkerEnd(asyncio.Protocol):
    """See the module.

    Args:
        on_lost: called once the worker is gone.
        kill: ends it at once.
        on_command: called for each answered command with the seconds that it took.
    """

    def __init__(
        self,
        on_lost: Callable[[WorkerEnd], None],
        kill: Callable[[], None],
        on_command: Callable[[float], None] = lambda took_s: None,
    ) -> None:
        self.listeners: dict[str, LinkListener] = {}
        self.kill = kill
        self.gone = False
        self.served = False
        """Whether it had sessions when it was lost."""
        self.silent_s = 0.0
        """How long since its last message it could have sent something."""
        self._on_lost = on_lost
        self._on_command = on_command
        self._commands: set[int] = set()
        """Calls that are commands."""
        self._calls: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)
        self._unpacker = link.MessageUnpacker(link.SERVER_END)
        self._held = bytearray()
        """Messages that go with the next one."""
        self._flushing: asyncio.Handle | None = None
        """The write that is due in the loop's next turn."""
        self._transport: asyncio.Transport | None = None
        self._stuck: protocol.RunStuck | None = None

    async def connect(self, end: socket.socket) -> WorkerEnd:
        await asyncio.get_running_loop().create_connection(lambda: self, sock=end)
        return self

    # --- to the worker ---

    def send(self, message: Any) -> None:
        """Send a message that is not answered, together with what others send in this turn of the loop."""
        self._held += link.SERVER_END.packed(message)
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_soon(self.flush)

    def send_with_next(self, message: Any) -> None:
        """Send a message together with the next one, or with `flush`, because nobody waits for it."""
        self._held += link.SERVER_END.packed(message)

    def flush(self) -> None:
        self._flushing = None
        if self._held and self._transport is not None and not self.gone:
            self._transport.write(bytes(self._held))
        self._held.clear()

    async def call(self, request: Callable[..., Any], session: str, **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer.

        Raises:
            Declined: it was refused.
            Fallen: the run failed.
            Lost: the worker is gone.
        """
        if self.gone:
            raise WorkerLost
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._calls[number] = answer
        asked_s = time.monotonic()
        if request is protocol.SubmitCommand:
            self._commands.add(number)
        self.send(request(session=session, call=number, **fields))
        try:
            return await answer
        except WorkerLost:
            raise WorkerLost(self._excess(session)) from None
        finally:
            self._calls.pop(number, None)
            if number in self._commands:
                self._commands.remove(number)
                self._on_command(time.monotonic() - asked_s)

    @property
    def has_commands(self) -> bool:
        return bool(self._commands)

    def close(self) -> None:
        """End the connection at once, dropping unsent messages; the worker ends with it."""
        if self._transport is not None:
            self._transport.abort()

    # --- from the worker ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]  # a socket's transport can be written to

    def data_received(self, data: bytes) -> None:
        self.silent_s = 0.0
        for message in self._unpacker.feed(data):
            try:
                self._received(message)
            except Exception:  # one session's trouble must not end the connection of all
                logger.exception("a worker's message could not be taken: %.80r", message)

    def _received(self, message: Any) -> None:
        match message:
            case protocol.CallAnswer():
                self._settle(message.call, message.value)
            case protocol.CommandRefused():
                self._settle(message.call, CommandDeclined(message))
            case protocol.RunFailed() if message.call is not None:
                self._settle(message.call, WorkerFailed(message.failure, message.good_us, message.play))
            case protocol.RunStuck():
                self._stuck = message
            case protocol.WorkerPong():
                pass
            case _:
                listener = self.listeners.get(message.session)
                if listener is not None:
                    listener.take(message)

    def _settle(self, call: int, outcome: dict[str, Any] | Exception) -> None:
        answer = self._calls.get(call)
        if answer is None or answer.done():  # who asked may have stopped waiting
            return
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _excess(self, session: str) -> protocol.Excess | None:
        """Return of what a session took too much, if that ended the worker."""
        return self._stuck.excess if self._stuck and self._stuck.session == session else None

    def connection_lost(self, error: Exception | None) -> None:
        """Notify everybody who waits for it or listens to it."""
        self.gone = True
        self.served = bool(self.listeners)
        for answer in self._calls.values():
            if not answer.done():
                answer.set_exception(WorkerLost())
        for session, listener in tuple(self.listeners.items()):
            listener.lost(self._excess(session))
        self.listeners.clear()
        self._on_lost(self)
