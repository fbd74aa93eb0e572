"""A session that stands still is back soon after what stopped it has ended, however often somebody asks meanwhile."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from playground.hosting import refusals
from playground.hosting.run_owner import LONGEST_WAIT_S, RetryDelay
from tests.helpers.patience import PATIENCE_S
from tests.web.stub import settled
from tests.web.test_workers import SMALL, Workers, alive

BACK_S = 2.0
"""From the end of the cause until the session is there again."""


def back_after(ends_s: float, asks_every_s: float, tries_take_s: float = 0.01) -> float:
    """Play a cause that begins at 0 in virtual time; return how long after its end a try goes well.

    Args:
        ends_s: when the cause ends.
        asks_every_s: how often somebody asks meanwhile, and is refused.
        tries_take_s: how long each try takes.
    """
    setbacks = RetryDelay()
    now_s = asked_s = 0.0
    setbacks.failed(refusals.WORKER_LOST, play=True, now_s=now_s)
    while True:
        while asked_s + asks_every_s < setbacks.due_s:
            asked_s += asks_every_s
            due_s = setbacks.due_s
            assert not setbacks.failed(refusals.WORKER_LOST, play=False, now_s=asked_s)
            assert setbacks.due_s == due_s, "a refusal moved the time"
        now_s = setbacks.due_s
        setbacks.tries(now_s)
        begun_s, now_s = now_s, now_s + tries_take_s
        if begun_s >= ends_s:
            setbacks.mended(now_s)
            return now_s - ends_s
        setbacks.failed(refusals.WORKER_LOST, play=False, now_s=now_s)


@pytest.mark.parametrize("asks_every_s", [0.05, 0.15, 1.5, math.inf])
@pytest.mark.parametrize("ends_s", [0.0, 0.3, 2.0, 7.7, 25.0, 601.3])
def test_whoever_asks_does_not_move_the_time_of_the_next_try(ends_s: float, asks_every_s: float) -> None:
    assert back_after(ends_s, asks_every_s) < BACK_S


def test_tries_that_take_long_take_half_of_the_time_at_most() -> None:
    setbacks = RetryDelay()
    setbacks.failed(refusals.WORKER_LOST, play=True, now_s=0.0)
    now_s = trying_s = 0.0
    while now_s < 300:
        now_s = setbacks.due_s
        setbacks.tries(now_s)
        now_s += 4.0
        trying_s += 4.0
        setbacks.failed(refusals.WORKER_LOST, play=True, now_s=now_s)
    assert trying_s <= 0.52 * now_s


def test_after_the_first_failures_tries_come_close_to_each_other() -> None:
    setbacks = RetryDelay()
    setbacks.failed(refusals.WORKER_LOST, play=True, now_s=0.0)
    waits = []
    for _each in range(6):
        now_s = setbacks.due_s
        setbacks.tries(now_s)
        setbacks.failed(refusals.WORKER_LOST, play=True, now_s=now_s)
        waits.append(setbacks.due_s - now_s)
    assert waits == sorted(waits)
    assert waits[0] < waits[-1] == LONGEST_WAIT_S


def test_where_trying_is_of_no_use_nobody_makes_it_so_by_asking() -> None:
    setbacks = RetryDelay()
    setbacks.failed(refusals.WORKER_LOST, play=True, now_s=0.0)
    assert setbacks.failed(refusals.ENDLESS, play=True, now_s=0.1, again=False)
    assert not setbacks.failed(refusals.ENDLESS, play=True, now_s=0.2)
    assert math.isinf(setbacks.due_s)
    assert setbacks.play, "time passed before the first of them"
    setbacks.try_now()
    assert not setbacks.failed(refusals.ENDLESS, play=True, now_s=0.3)
    assert setbacks.due_s == 0.0


@pytest_asyncio.fixture
async def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workers]:
    made = Workers(tmp_path / "sessions", monkeypatch)
    yield made
    await made.registry.end()
    await settled(lambda: not any(alive(pid) for pid in made.pids))


async def test_sessions_come_back_while_commands_are_given_all_the_time(workers: Workers) -> None:
    names = ("one", "two", "three")
    readers = {name: workers.reader(name) for name in names}
    for reader in readers.values():
        await reader.until("snapshot")
    for name, reader in readers.items():
        workers.give(reader, name, 0, **SMALL)
        await reader.until("accepted")
    for pid in workers.pids:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)
    began_s = time.monotonic()
    number = 0
    while any(len(reader.of("accepted")) < 2 for reader in readers.values()):
        number += 1
        for name, reader in readers.items():
            workers.give(reader, name, number, **SMALL)
        await asyncio.sleep(0.15)
        assert time.monotonic() - began_s < PATIENCE_S, "they are refused for ever"
    assert any(reader.of("refused") for reader in readers.values()), "somebody asked meanwhile"
    record = workers.books["one"].record.commands
    assert len(record) == len(readers["one"].of("accepted"))
