"""Workers are replaced at once, all at the same time."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from playground.hosting import pool
from playground.hosting.pool import WorkerHeartbeat, WorkerLost
from playground.hosting.protocol import BeginWorker
from playground.limits import session_limits
from tests.helpers.patience import PATIENCE_S
from tests.web.stub import settled
from tests.web.test_host import HIDDEN

BEGIN = BeginWorker(
    root="", bounds=session_limits.SessionLimits(**{**session_limits.current().public(), **HIDDEN}).bounds()
)


class Nobody:
    """A session that hears what happens to its worker."""

    plays = False

    def __init__(self) -> None:
        self.losses = 0

    def take(self, message: Any) -> None:
        """Nothing is sent here."""

    def lost(self, excess: str | None) -> None:
        """Count it."""
        self.losses += 1


class Fake:
    """A worker that does nothing: its end of the socket, which closes when it dies."""

    def __init__(self, theirs: socket.socket) -> None:
        self.theirs = theirs
        self.pulse = WorkerHeartbeat(threading.get_native_id(), threading.get_native_id())

    def kill(self) -> None:
        """Die."""
        self.theirs.close()

    def wait(self) -> None:
        """It has ended."""


class Launches:
    """Starts workers, each when the test lets it."""

    def __init__(self, gate: Callable[[], Any] = lambda: None) -> None:
        self.made: list[Fake] = []
        self.begun = 0
        self._gate = gate

    def __call__(self) -> tuple[socket.socket, Fake]:
        self.begun += 1
        self._gate()
        ours, theirs = socket.socketpair()
        self.made.append(Fake(theirs))
        return ours, self.made[-1]


async def test_all_that_are_lost_are_replaced_side_by_side_before_anybody_asks() -> None:
    both = threading.Barrier(2, timeout=PATIENCE_S)  # neither start ends before the other one has begun
    launches = Launches()
    workers = pool.WorkerPool(2, launches, BEGIN)
    for name in ("one", "two"):
        await workers.place(name, Nobody())
    launches._gate = both.wait
    for each in tuple(launches.made):
        each.kill()
    await settled(lambda: len(workers.ends) == 2 and launches.begun == 4)
    await workers.end()


async def test_sessions_wait_for_those_that_are_coming_and_are_spread_over_them() -> None:
    both = threading.Barrier(2, timeout=PATIENCE_S)
    workers = pool.WorkerPool(2, Launches(both.wait), BEGIN)
    ends = await asyncio.gather(*(workers.place(str(number), Nobody()) for number in range(6)))
    assert sorted(ends.count(each) for each in workers.ends) == [3, 3]
    await workers.end()


async def test_a_worker_without_sessions_is_not_replaced() -> None:
    """One that dies whenever it starts must not be started over and over while nobody wants it."""
    launches = Launches()
    workers = pool.WorkerPool(1, launches, BEGIN)
    await workers.begin()
    launches.made[0].kill()
    await settled(lambda: not workers.ends)
    await asyncio.sleep(0.05)
    assert launches.begun == 1
    await workers.end()


async def test_where_none_can_be_started_whoever_asks_is_told() -> None:
    def fails() -> None:
        raise OSError("no memory")

    workers = pool.WorkerPool(1, Launches(fails), BEGIN)
    with pytest.raises(WorkerLost):
        await workers.place("one", Nobody())
    await workers.end()
