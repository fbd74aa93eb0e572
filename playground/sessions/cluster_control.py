"""Messages between the processes of a cluster: changes of classes, who is connected, which sessions are
frozen. They are small and few, and go over a channel layer: Redis if WATERLINE_REDIS is set, else this
process's memory. Frames and anything that must arrive never go over it: each message only announces early
what the database would show seconds later, so a lost message does no harm.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import Any, Final

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

GROUP: Final = "waterline"
OUTBOX: Final = 1000
AGAIN_S: Final = 2.0

Handler = Callable[..., None]


class ControlLine:
    """One process's end of the conversation. Its handlers run in the event loop. `handlers`: by the kind of message;
    each gets `sender`, the name of the process that sent it, and its fields.
    """

    def __init__(self, layer: Any, handlers: dict[str, Handler]) -> None:
        self.name = secrets.token_hex(6)
        self._layer = layer
        self._handlers = handlers
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue(OUTBOX)
        self._loop = asyncio.get_running_loop()

    def broadcast(self, kind: str, fields: dict[str, Any]) -> None:
        message = {"type": "waterline", "kind": kind, "sender": self.name, "fields": fields}
        self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: dict[str, Any]) -> None:
        if self._outbox.full():
            self._outbox.get_nowait()
        self._outbox.put_nowait(message)

    async def run(self) -> None:
        await asyncio.gather(self._for_ever(self._listen), self._for_ever(self._speak))

    async def _for_ever(self, work: Callable[[], Any]) -> None:
        while True:
            try:
                await work()
            except Exception:
                logger.warning("no messages to or from other processes now", exc_info=True)
                await asyncio.sleep(AGAIN_S)

    async def _speak(self) -> None:
        while True:
            await self._layer.group_send(GROUP, await self._outbox.get())

    async def _listen(self) -> None:
        channel = await self._layer.new_channel()
        await self._layer.group_add(GROUP, channel)
        try:
            while True:
                self._hear(await self._layer.receive(channel))
        finally:
            await self._layer.group_discard(GROUP, channel)

    def _hear(self, message: dict[str, Any]) -> None:
        handler = self._handlers.get(message.get("kind", ""))
        if handler is None or message["sender"] == self.name:
            return
        try:
            handler(message["sender"], **message["fields"])
        except Exception:
            logger.exception("%s could not be handled", message["kind"])


_handlers: dict[str, Handler] = {}
_line: ControlLine | None = None


def on(kind: str, handler: Handler) -> None:
    _handlers[kind] = handler


def broadcast(kind: str, **fields: Any) -> None:
    """Send the other processes a message, if this one is a server. May be called in any thread."""
    if _line is not None:
        _line.broadcast(kind, fields)


async def run() -> None:
    """Take part in the conversation for as long as this process serves."""
    global _line  # noqa: PLW0603 - there is one server in a process
    _line = ControlLine(get_channel_layer(), _handlers)
    try:
        await _line.run()
    finally:
        _line = None
