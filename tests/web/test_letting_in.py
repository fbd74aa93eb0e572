"""Sockets are let in a few at a time, lane by lane, and whoever waits for too long is asked to come again."""

from __future__ import annotations

import asyncio
from typing import Any

from playground.limits.page_scheduler import PageScheduler
from playground.server.request_intake import LetIn
from playground.sessions.session_sockets import TRY_AGAIN
from tests.web.stub import settled


class Door:
    """An application that lets sockets in when the test says so."""

    def __init__(self, turns: PageScheduler) -> None:
        self.open = asyncio.Event()
        self.begun: list[str] = []
        self.inside: list[str] = []
        self.sent: list[Any] = []
        self._let_in = LetIn(self._take, turns)

    async def _take(self, scope: Any, receive: Any, send: Any) -> None:
        name = scope["client"][0]
        assert (await receive())["type"] == "websocket.connect"
        self.begun.append(name)
        await self.open.wait()
        self.inside.append(name)
        await receive()

    def comes(self, address: str) -> asyncio.Task[None]:
        messages: asyncio.Queue[Any] = asyncio.Queue()
        messages.put_nowait({"type": "websocket.connect"})

        async def send(message: Any) -> None:
            self.sent.append(message)

        scope = {"type": "websocket", "path": "/ws/session/a/", "client": [address, 1]}
        return asyncio.ensure_future(self._let_in(scope, messages.get, send))


async def settle() -> None:
    for _each in range(50):
        await asyncio.sleep(0)


async def test_a_few_at_a_time_and_who_is_inside_holds_up_nobody() -> None:
    door = Door(PageScheduler(2, 100))
    tasks = [door.comes("many") for _each in range(6)]
    await settle()
    assert len(door.begun) == 2
    door.open.set()
    await settle()
    assert len(door.inside) == 6, "they stay inside, and their turns are over"
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_another_address_does_not_wait_behind_all_of_one() -> None:
    door = Door(PageScheduler(1, 100))
    tasks = [door.comes("many") for _each in range(50)]
    await settle()
    tasks.append(door.comes("one"))
    await settle()
    door.open.set()
    await settle()
    assert door.begun.index("one") <= 2
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_cannot_wait_is_asked_to_come_again() -> None:
    door = Door(PageScheduler(1, 1))
    tasks = [door.comes("many") for _each in range(3)]
    await settle()
    assert door.sent == [{"type": "websocket.close", "code": TRY_AGAIN}]
    late = Door(PageScheduler(1, 10, patience_s=0.01))
    tasks += [late.comes("many") for _each in range(2)]
    await settled(lambda: bool(late.sent))
    assert late.sent == [{"type": "websocket.close", "code": TRY_AGAIN}]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
