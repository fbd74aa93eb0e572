"""What a full session gives itself is on record where it happened, whatever arrives together with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from playground.hosting import protocol
from playground.hosting.host import CommandQueue
from playground.hosting.pool import WorkerPool
from playground.hosting.run_owner import HostResources, RunOwner
from playground.hosting.session_files import ProcessDirectory
from playground.hosting.session_record import RecordedSession
from playground.limits import session_limits
from tests.web.stub import MemoryBook, StubDoor

PUBLISH = {"do": "publish", "count": 1, "size_bytes": 100}
STOP = {"do": "set_publisher", "name": "p1", "running": False}


class Together:
    """A worker whose answer arrives in one piece with what the session did right after it."""

    gone = False

    def __init__(self) -> None:
        self.listeners: dict[str, Any] = {}
        self.keeper: RunOwner | None = None
        self.number = 0
        self.after: list[str] = []
        """The requests after which the session gives itself a command at once."""

    async def call(self, request: Callable[..., Any], session: str, **_fields: Any) -> dict[str, Any]:
        name = request.__name__
        answer = {"life": "now", "at_us": 10, "digest": "", "number": self.number, "found": []}
        self.number += name == "SubmitCommand"
        if name in self.after:
            own = protocol.SelfCommand(session, "now", self.number, 10, STOP)
            self.number += 1
            assert self.keeper is not None
            self.keeper.gave_itself(own)
        return answer

    def send(self, message: Any) -> None:
        """Nothing more is asked of it."""


class World:
    """A keeper with that worker."""

    plays = True

    def __init__(self, root: Path) -> None:
        self.worker = Together()
        self.book = MemoryBook(RecordedSession({"commands": []}, []))
        self.keeper = self.worker.keeper = RunOwner(
            "one",
            book=self.book,
            resources=HostResources(StubDoor(), cast(WorkerPool, self), ProcessDirectory(root)),
            limits=session_limits.current(),
            listener=cast(Any, self),
            notice=lambda level, message: None,
            superseded=lambda: None,
        )

    async def place(self, _session: str, _listener: Any) -> Any:
        return self.worker

    @property
    def on_record(self) -> list[dict[str, Any]]:
        return [command for _at_us, command in self.book.record.commands]


async def test_what_follows_a_command_is_on_record_after_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.keeper.wake(resumes=True)
    world.worker.after = ["SubmitCommand"]
    await world.keeper.take(PUBLISH)
    await world.keeper.write_down_own()
    assert world.on_record == [PUBLISH, STOP]


async def test_what_follows_the_making_of_a_run_is_not_forgotten(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.worker.after = ["OpenRun"]
    await world.keeper.wake(resumes=True)
    await world.keeper.take(PUBLISH)
    assert world.on_record == [STOP, PUBLISH]


async def test_a_run_that_is_gone_leaves_nothing_to_write_down(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.keeper.wake(resumes=True)
    world.keeper.gave_itself(protocol.SelfCommand("one", "before", 0, 5, STOP))
    await world.keeper.take(PUBLISH)
    assert world.on_record == [PUBLISH]


async def test_what_follows_a_moment_is_no_part_of_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.keeper.wake(resumes=True)
    await world.keeper.take(PUBLISH)
    world.worker.after = ["Locate"]

    class Awake:
        async def wake(self) -> None:
            """It is."""

    wishes = CommandQueue(world.keeper, cast(Any, Awake()), cast(Any, None))
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    await wishes.moment(answer, ())
    assert [command for _at_us, command in answer.result().commands] == [PUBLISH]
    await world.keeper.write_down_own()
    assert world.on_record == [PUBLISH, STOP]
