"""The host of one session: the only one who commands its engine, and who everybody that watches it listens to.

The engine itself, its pace and its frames are in a worker (`playground.hosting.session`); here are the sockets, the
record, and what is done when something fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from playground.hosting import wording
from playground.hosting.audience import Audience
from playground.hosting.book import Book
from playground.hosting.clients import Client
from playground.hosting.directories import ProcessDirectory
from playground.hosting.door import Door
from playground.hosting.faults import Setbacks, Stopped
from playground.hosting.keeper import Keeper
from playground.hosting.session import protocol
from playground.hosting.waking import DESERTED_S, TooLong, Waking
from playground.hosting.workers.end import Fallen, Lost
from playground.hosting.workers.pool import Pool
from playground.limits import Limits
from playground.messages import Message, Refused

logger = logging.getLogger(__name__)

INBOX = 64

Work = Callable[[], Awaitable[None]]


class Moment(msgspec.Struct):
    """Where a run is: what a link to it must repeat."""

    at_us: int
    digest: str
    scenario: dict[str, Any]
    commands: list[tuple[int, dict[str, Any]]]


class Host:
    """One owner task; everything else only leaves work in its inbox."""

    def __init__(
        self,
        session_id: str,
        *,
        book: Book,
        door: Door,
        pool: Pool,
        directory: ProcessDirectory,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
        on_closed: Callable[[Host], None] = lambda host: None,
        address: str = "",
        after: asyncio.Task[None] | None = None,
    ) -> None:
        self.session_id = session_id
        self.audience = Audience()
        self.address = address
        """Of who woke it: how many sessions one address keeps awake is bounded."""
        self.closed = False
        self.limits = limits
        self.clock = clock
        self.door = door
        self.plays = False
        """Whether time passes."""
        self.keeper = Keeper(
            session_id,
            book=book,
            pool=pool,
            directory=directory,
            limits=limits,
            listener=self,
            notice=self.audience.notice,
            door=door,
        )
        self.waking = Waking(self.keeper, limits.wake_s)
        self.last_watched_s = self._last_input_s = clock()
        self._on_closed = on_closed
        self._after = after
        """The host before this one, while it still puts the session to rest: two would drop each other's run."""
        self._inbox: deque[Work] = deque()
        self._poke = asyncio.Event()
        self._started = False
        self._setbacks = Setbacks()
        self.loop = asyncio.get_running_loop()
        self.task = self.loop.create_task(self._live(), name=f"host {session_id}")

    # --- from the sockets: nothing here waits ---

    def join(self, client: Client) -> None:
        """A socket watches from now on."""
        self.audience.join(client)

    def leave(self, client: Client) -> None:
        """A socket is gone."""
        number = self.audience.leave(client)
        if number is not None:
            self.keeper.tell(protocol.Leave, reader=number)
        self.last_watched_s = self.clock()
        self._poke.set()
        self.loop.call_later(DESERTED_S, self._deserted)

    def _deserted(self) -> None:
        if not self.audience:
            self.waking.stop()

    def hello(self, client: Client, have: int | None, life: str | None) -> None:
        """A reader begins, or begins again with `have` rows."""
        self._post(lambda: self._hello(client, have, life))

    def command(self, client: Client, number: int | str, command: dict[str, Any]) -> None:
        """Somebody wants something of the engine."""
        if not self._post(lambda: self._command(client, number, command)):
            client.refused(number, wording.BUSY)

    def ask(self, client: Client, number: int | str, line: str) -> None:
        """Somebody wrote a line in the console."""
        if not self._post(lambda: self._ask(client, number, line)):
            client.tell("answer", id=number, text="", error=wording.BUSY)

    def undo(self, client: Client, number: int | str) -> None:
        """Somebody wants the last command back."""
        if not self._post(lambda: self._undo(client, number)):
            client.refused(number, wording.BUSY)

    def control(self, play: bool | None, speed: float | None, until_us: int | None = None) -> None:
        """Let time pass, or not, at some speed, up to a time if one is given."""
        self._post(lambda: self._control(play, speed, until_us))

    def step(self) -> None:
        """Go on by one transition."""
        self._post(self._step)

    def acknowledge(self, client: Client, through: int) -> None:
        """A reader has applied everything before row `through`."""
        number = self.audience.number(client)
        if number is not None:
            self.keeper.tell(protocol.Ack, reader=number, through=through)

    def show(self, client: Client, seen: bool) -> None:
        """A reader's page can be seen, or not."""
        client.seen = seen
        number = self.audience.number(client)
        if number is not None and client.joined:
            self.keeper.tell(protocol.Show, reader=number, seen=seen)

    async def moment(self) -> Moment:
        """Return where the run is, between two instants. Give it a time limit: the session may be ending."""
        answer: asyncio.Future[Moment] = self.loop.create_future()
        self._put(lambda: self._moment(answer))
        return await answer

    async def mix(self) -> list[int] | None:
        """Return how the session's messages are made up, see `session.mix`; None when it sleeps or is busy."""
        if not self.keeper.awake or self.closed or len(self._inbox) >= INBOX:
            return None
        with contextlib.suppress(Refused, Fallen, Lost):
            found: list[int] = (await self.keeper.call(protocol.Mix))["mix"]
            return found
        return None

    def _post(self, work: Work) -> bool:
        self._last_input_s = self.clock()
        if len(self._inbox) >= INBOX:
            return False
        self._put(work)
        return True

    def _put(self, work: Work) -> None:
        self._inbox.append(work)
        self._poke.set()

    # --- from the worker: nothing here waits ---

    def hear(self, message: Any) -> None:
        """Take what the worker says: frames go straight to the sockets, the rest has its turn."""
        if isinstance(message, protocol.Text):
            for number in message.readers:
                client = self.audience.client(number)
                if client is not None:
                    client.send(message.text)
        elif isinstance(message, protocol.Welcome):
            client = self.audience.client(message.reader)
            if client is not None:
                client.tell("welcome", **self._welcome(client, message))
        elif isinstance(message, protocol.Pace):
            self.plays = message.play
        elif isinstance(message, protocol.Notice) and not self.keeper.awake:
            self._say(message)  # how far it is with the very work that everything else waits for
        else:
            self._put(lambda: self._heard(message))

    def lost(self, guilty: bool) -> None:
        """The worker is gone; guilty: because this session's work did not come to an end."""
        self._put(lambda: self._lost(guilty))

    def _welcome(self, client: Client, message: protocol.Welcome) -> dict[str, Any]:
        return {
            "session": self.session_id,
            "limits": self.limits.public(),
            "engine": self.door.version,
            "scenario": self.keeper.record.scenario,
            "life": message.life,
            "owner": client.owner,
            "lasts_us": message.lasts_us,
        }

    def _say(self, message: protocol.Notice) -> None:
        self.audience.notice(message.level, wording.coded(message.code, message.values))

    async def _heard(self, message: Any) -> None:
        if isinstance(message, protocol.Notice):
            self._say(message)
            return
        if message.life != self.keeper.life:
            return  # of a run that is gone
        match message:
            case protocol.Fell():
                self.keeper.fell(message.good_us)
                raise Fallen(message.failure, message.good_us, message.play)
            case protocol.Reached():
                self.keeper.note(message.good_us)
            case protocol.Took():
                await self.keeper.write_down(message.at_us, message.command)
            case protocol.Ended():
                self._say_verdict(message.digest)

    async def _lost(self, guilty: bool) -> None:
        self.keeper.lost()
        self.audience.wait_again()
        if guilty:
            self._stand_still(wording.ENDLESS, self.plays, again=False)
        elif self._started:
            self._stand_still(wording.WORKER_LOST, self.plays)

    # --- the owner task ---

    async def _live(self) -> None:
        try:
            if self._after is not None:
                await asyncio.wait([self._after])
            while not self.closed:
                await self._wait()
                while self._inbox and not self.closed:
                    await self._guarded(self._inbox.popleft())
                if (
                    self._setbacks.message is not None
                    and self.audience
                    and self.clock() >= self._setbacks.due_s
                ):
                    await self._guarded(self._try_again)
                await self._rest_if_idle()
        except Exception:
            logger.exception("the host of session %s failed", self.session_id)
            self.audience.notice("error", wording.STOPPED if self._started else wording.UNREPEATABLE)
        finally:
            self._close()
            for client in self.audience:
                client.close(not self._started)
            await self.keeper.rest()

    async def _wait(self) -> None:
        timeout = self._seconds_until_rest(self.clock())
        if self._setbacks.message is not None and self.audience:
            timeout = min(timeout, self._setbacks.due_s - self.clock())
        if timeout > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._poke.wait(), timeout)
        self._poke.clear()

    async def _guarded(self, work: Work) -> None:
        """Do a piece of work; if the engine fails in it, go back to where everything was well and stand there."""
        try:
            await work()
        except Stopped as stopped:
            self._stand_still(stopped.message, self.plays, again=stopped.again)
        except Refused as refused:
            self.audience.notice("error", refused.message)
        except Lost:
            self._stand_still(wording.WORKER_LOST, self.plays)
        except Fallen as fallen:
            if not self._started:
                raise
            await self._recover(fallen)

    async def _recover(self, fallen: Fallen) -> None:
        """Go back to where everything was well; at once, unless files or memory fail."""
        failure = fallen.failure
        if failure.kind == "outside":
            self._stand_still(wording.failure(failure), fallen.play)
            return
        try:
            await self.keeper.rebuild(fallen.good_us)
        except (Stopped, Lost) as stopped:
            message = stopped.message if isinstance(stopped, Stopped) else wording.WORKER_LOST
            self._stand_still(message, play=False)
        bound = failure.kind == "bound"
        self.audience.notice("limit" if bound else "error", wording.FULL_DISK if bound else wording.FAULT)

    def _stand_still(self, message: Message, play: bool, *, again: bool = True) -> None:
        """Say what is wrong, and try again in a while."""
        if self._setbacks.failed(message, play, self.clock(), again=again):
            self.audience.notice("error", message)

    async def _try_again(self) -> None:
        """Go on if what stopped the session is mended; who came meanwhile is welcomed."""
        await self._awaken()
        self._setbacks.mended(self.clock())
        self.audience.notice("info", wording.RESUMED)

    # --- what the inbox holds ---

    async def _wake(self) -> None:
        if self.keeper.awake:
            return
        if self._setbacks.message is not None:
            raise Stopped(self._setbacks.message)
        await self._awaken()

    async def _awaken(self) -> None:
        if self.keeper.awake:
            return
        failed = self._setbacks.message is not None
        resumes = self._started and failed and self._setbacks.play
        await self.waking.wake(resumes=resumes, begins=not self._started, quiet=failed)
        record = self.keeper.record
        ends = not record.commands and self.keeper.resume_us == record.scenario.get("until_us")
        if not self._started and ends and record.scenario.get("digest"):
            self._say_verdict(self.keeper.digest)  # a link to the end of a run
        self._started = True
        for client, (have, life) in self.audience.waited():
            self._greet(client, have, life)

    def _say_verdict(self, digest: str) -> None:
        """Say at the scenario's end whether this was the recorded run."""
        level, message = self.keeper.verdict(digest)
        if level == "error":
            logger.error("session %s: %s", self.session_id, message)
        self.audience.notice(level, message)

    async def _hello(self, client: Client, have: int | None, life: str | None) -> None:
        try:
            await self._wake()
        except (Stopped, Lost) as stopped:
            message = stopped.message if isinstance(stopped, Stopped) else wording.WORKER_LOST
            self._stand_still(message, self.plays, again=not isinstance(stopped, TooLong))
            client.notice("error", message)
            self.audience.wait(client, (have, life))
            return
        self._greet(client, have, life)

    def _greet(self, client: Client, have: int | None, life: str | None) -> None:
        number = self.audience.number(client)
        if number is not None:
            client.joined = True
            self.keeper.tell(protocol.Hello, reader=number, have=have, life=life)
            self.keeper.tell(protocol.Show, reader=number, seen=client.seen)

    async def _command(self, client: Client, number: int | str, command: dict[str, Any]) -> None:
        await self._take(
            command,
            accepted=lambda: client.tell("accepted", id=number),
            refused=lambda message: client.refused(number, message),
        )

    async def _take(
        self, command: dict[str, Any], accepted: Callable[[], None], refused: Callable[[Message], None]
    ) -> None:
        try:
            await self._wake()
            await self.keeper.take(command)
        except Refused as error:
            logger.info("session %s refused %.80r: %s", self.session_id, command, error)
            refused(error.message)
            if isinstance(error, Stopped):
                raise
        except Fallen as fallen:
            outside = fallen.failure.kind != "engine"
            refused(wording.failure(fallen.failure) if outside else wording.BROKE)
            raise
        except Lost:
            refused(wording.WORKER_LOST)
            raise
        else:
            accepted()

    async def _ask(self, client: Client, number: int | str, line: str) -> None:
        """Answer a line; one that changes something is the command of whoever may command."""

        def answer(error: Message | None = None, text: str = "") -> None:
            client.tell("answer", id=number, text=text, error=error)

        try:
            await self._wake()
            said = await self.keeper.call(protocol.Ask, line=line)
        except Refused as refused:
            answer(refused.message)
            if isinstance(refused, Stopped):
                raise
            return
        except (Fallen, Lost):
            answer(wording.BROKE)
            raise
        if not said["changes"]:
            answer(text=said["text"])
        elif not client.owner:
            answer(wording.ONLY_LOOK)
        else:
            await self._take(
                {"do": "ctl", "line": line}, accepted=lambda: answer(text=said["text"]), refused=answer
            )

    async def _undo(self, client: Client, number: int | str) -> None:
        try:
            if self._setbacks.message is None:
                await self._wake()
            at_us = await self.keeper.undo()
        except Refused as refused:
            client.refused(number, refused.message)
            if isinstance(refused, Stopped):
                raise
            return
        self._setbacks.play = self.plays = False
        said = wording.STRUCK_OUT
        try:
            if self._setbacks.message is None:
                await self.keeper.rebuild(at_us)
                said = wording.TAKEN_BACK
            else:
                self._setbacks.try_now()
        finally:  # it is on record, whatever becomes of the run
            client.tell("accepted", id=number)
            self.audience.notice("info", said)

    async def _control(self, play: bool | None, speed: float | None, until_us: int | None) -> None:
        await self._wake()
        self.keeper.tell(protocol.Control, play=play, speed=speed, until_us=until_us)

    async def _step(self) -> None:
        await self._wake()
        if not (await self.keeper.call(protocol.Step))["came"]:
            self.audience.notice("info", wording.NOTHING_LEFT)

    async def _moment(self, answer: asyncio.Future[Moment]) -> None:
        try:
            await self._wake()
            found = await self.keeper.call(protocol.Where)
        except Exception as error:
            if not answer.done():
                answer.set_exception(error)
            raise
        if not answer.done():  # who asked may have stopped waiting
            record = self.keeper.record
            answer.set_result(Moment(found["at_us"], found["digest"], record.scenario, list(record.commands)))

    # --- going to sleep ---

    def _seconds_until_rest(self, now_s: float) -> float:
        if not self.audience:
            return self.last_watched_s + self.limits.unwatched_s - now_s
        if not self.keeper.awake:
            return 60.0
        return self._last_input_s + self.limits.idle_s - now_s

    async def _rest_if_idle(self) -> None:
        now_s = self.clock()
        if not self.audience and now_s >= self.last_watched_s + self.limits.unwatched_s:
            self._close()
        elif self.keeper.awake and now_s >= self._last_input_s + self.limits.idle_s:
            self.audience.wait_again()
            await self.keeper.rest()
            self.plays = False
            self.audience.notice("info", wording.SLEEPS)

    def _close(self) -> None:
        if not self.closed:
            self.closed = True
            self._on_closed(self)

    def close(self) -> None:
        """Put the session to rest soon."""
        self._close()
        self._poke.set()

    async def end(self) -> None:
        """Put the session to rest now."""
        self.close()
        await asyncio.gather(self.task, return_exceptions=True)
