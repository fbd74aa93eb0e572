"""Engines in processes of their own: they may die, hang or be given a hog, and nobody else is harmed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from playground.hosting import pool, protocol
from playground.hosting.host import HostRegistry
from playground.hosting.real_engine import EngineDoor
from playground.hosting.session_record import RecordedSession
from playground.limits import session_limits
from tests.helpers.patience import PATIENCE_S
from tests.web.stub import MemoryBook, Reader, settled
from tests.web.test_host import HIDDEN, World
from tools.processes import descendants_of
from tools.proofs.attack.processes import parent_of

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"do": "publish", "count": 5, "size_bytes": 500, "persistent": True}


class Workers(World):
    """A registry whose engines are in real processes."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, **changed: int) -> None:
        self.door: Any = EngineDoor()
        self.books = {}
        self.pids: list[int] = []
        numbers = {**session_limits.current().public(), **HIDDEN, "workers": 2, **changed}
        self.limits = session_limits.SessionLimits(**numbers)
        pids = self.pids

        class Known(pool.ForkedWorker):
            def __init__(self, pid: int, handle: int) -> None:
                super().__init__(pid, handle)
                pids.append(pid)

        monkeypatch.setattr(pool, "ForkedWorker", Known)
        self.registry = HostRegistry(door=self.door, book=self.book, limits=self.limits, root=root)
        self.blank = self.door.check({"version": 1, "profile": "classroom", "until_us": 0})

    def book(self, session_id: str) -> MemoryBook:
        return self.books.setdefault(session_id, MemoryBook(RecordedSession(dict(self.blank), [])))

    def give(self, reader: Reader, session_id: str, number: int, **command: Any) -> None:
        self.host(session_id).request(reader.client, protocol.CommandMessage(number, command))


@pytest_asyncio.fixture
async def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workers]:
    made = Workers(tmp_path / "sessions", monkeypatch)
    yield made
    await made.registry.end()
    await settled(lambda: not any(alive(pid) for pid in made.pids))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_the_first_visitor_does_not_wait_for_a_worker_to_start(workers: Workers) -> None:
    await workers.registry.pool.begin()
    ready = list(workers.pids)
    assert len(ready) == 1
    await workers.registry.pool.begin()
    await workers.reader("one").until("snapshot")
    assert workers.pids == ready, "the one that was ready has the session"


async def test_sessions_are_spread_over_processes_and_end_with_them(workers: Workers) -> None:
    readers = [workers.reader(name) for name in ("one", "two", "three")]
    for reader in readers:
        await reader.until("snapshot")
    assert len(workers.pids) == 2
    assert all(alive(pid) for pid in workers.pids)


async def test_a_worker_that_does_not_end_is_killed_before_the_files_are_removed(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "ENDS_S", 0.5)
    await workers.registry.pool.begin()
    [worker] = workers.pids
    os.kill(worker, signal.SIGSTOP)
    await workers.registry.end()
    assert not alive(worker)
    assert list(workers.registry.directory.path.parent.iterdir()) == []


async def test_a_killed_worker_loses_nothing_that_was_acknowledged(workers: Workers) -> None:
    reader, other = workers.reader("one"), workers.reader("two")
    await reader.until("snapshot")
    await other.until("snapshot")
    for number in range(10):
        workers.give(reader, "one", number, **SMALL)
        workers.give(other, "two", number, **SMALL)
    await reader.until("accepted", 10)
    await other.until("accepted", 10)
    before = {name: await workers.host(name).moment() for name in ("one", "two")}
    for name in before:
        workers.host(name).say(protocol.ControlRun(False))
    os.kill(workers.pids[0], signal.SIGKILL)
    moved = [each for each in (reader, other) if each.of("notice")]
    await settled(lambda: any(each.of("notice") for each in (reader, other)))
    moved = [each for each in (reader, other) if each.of("notice")]
    assert len(moved) == 1, "the other session has another worker, and hears nothing"
    await settled(lambda: any("where it was" in each["message"] for each in moved[0].of("notice")))
    await moved[0].until("snapshot", 2)
    name = "one" if moved[0] is reader else "two"
    after = await workers.host(name).moment()
    assert len(after.commands) == 10
    node = workers.door.rehearse(workers.blank)
    for at_us, command in after.commands:
        node.advance(at_us)
        node.submit(command)
    node.advance(after.at_us)
    assert node.log.digest == after.digest
    workers.give(moved[0], name, 99, **SMALL)
    await moved[0].until("accepted", 11)


async def test_what_a_killed_worker_leaves_goes_when_everybody_has_left(
    workers: Workers,
) -> None:
    reader = workers.reader("one")
    await reader.until("snapshot")
    workers.give(reader, "one", 1, **SMALL)
    await reader.until("accepted")
    files = workers.registry.directory.of("one")
    assert files.is_dir()
    host = workers.host("one")
    host.leave(reader.client)
    os.kill(workers.pids[0], signal.SIGKILL)
    await settled(lambda: not host.keeper.awake)
    await host.end()
    assert not files.exists()


async def test_a_worker_that_does_not_answer_is_killed(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PING_S", 0.2)
    reader = workers.reader("one")
    await reader.until("snapshot")
    monkeypatch.setattr(pool, "SILENT_S", 2.0)
    [pid] = workers.pids
    os.kill(pid, signal.SIGSTOP)
    await settled(lambda: not alive(pid))
    monkeypatch.setattr(pool, "SILENT_S", 30.0)
    await settled(lambda: any("where it was" in each["message"] for each in reader.of("notice")))
    assert not alive(pid)


async def test_one_event_of_many_messages_does_not_hold_up_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = Workers(tmp_path / "sessions", monkeypatch, workers=1)
    hog = workers.door.check(
        {"version": 1, "profile": "classroom", "until_us": 0, "settings": {"msg_store_file_size_limit": 1}}
    )
    workers.books["hog"] = MemoryBook(RecordedSession(hog, []))
    reader, innocent = workers.reader("hog"), workers.reader("two")
    await reader.until("snapshot")
    await innocent.until("snapshot")
    workers.give(reader, "hog", 1, do="publish", count=4_000, size_bytes=5000, persistent=True)
    began_s, waits_s = time.monotonic(), []
    number = 0
    while not reader.of("accepted") and time.monotonic() - began_s < 5 * PATIENCE_S:
        number += 1
        sent_s = time.monotonic()
        workers.give(innocent, "two", number, **SMALL)
        await innocent.until("accepted", number)
        waits_s.append(time.monotonic() - sent_s)
        await asyncio.sleep(0.01)
    took_s = time.monotonic() - began_s
    assert reader.of("accepted"), "it is done in the end"
    assert len(waits_s) > 4, "one event is put aside many times for others, on a fast machine too"
    # A share of the event's own time, whatever the machine; one of few waits may have met another program's.
    assert sorted(waits_s)[min(len(waits_s) * 95 // 100, len(waits_s) - 2)] < max(0.5, took_s / 4), (
        took_s,
        waits_s,
    )
    moment = await workers.host("hog").moment()
    node = workers.door.rehearse(hog)
    for at_us, command in moment.commands:
        node.advance(at_us)
        node.submit(command)
    node.advance(moment.at_us)
    assert node.log.digest == moment.digest, "what was left and taken up again is the same run"
    await workers.registry.end()


PARENT = """
import sys, time
import django
from django.conf import settings
settings.configure()
from playground.hosting.pool import WorkerFactory
from playground.hosting.pool import process
launch = WorkerFactory() if sys.argv[1] == "forked" else process
kept = [launch(), launch()]
print("up", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(("how", "count"), [("forked", 3), ("started", 2)])
def test_workers_end_when_their_server_is_gone(how: str, count: int) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, how], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        children = descendants_of(parent.pid)
        assert len(children) == count, "two workers, and what they were forked from"
        assert all(os.getpgid(each) != os.getpgrp() for each in children), "Ctrl-C is for the server alone"
        parent.kill()
    deadline = time.monotonic() + 60  # one that still loads the engine ends after that
    while any(map(alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, children))


def test_workers_are_forked_from_one_process_that_is_replaced_when_it_is_gone() -> None:
    forks = pool.WorkerFactory()
    try:
        before = set(descendants_of(os.getpid()))
        ends = [forks() for _each in range(2)]
        [source] = [
            each for each in set(descendants_of(os.getpid())) - before if parent_of(each) == os.getpid()
        ]
        assert len(descendants_of(source)) == 2
        ours, started = ends[0]
        started.kill()
        started.wait()
        started.kill()  # of no effect, whoever has its number by now
        assert len(descendants_of(source)) == 1, "nothing is left of it in the system's table"
        os.kill(source, signal.SIGKILL)
        again = forks()
        assert not descendants_of(source)
        ends.append(again)
        for ours, started in ends:
            ours.close()
            started.wait()  # a worker whose server is gone ends
    finally:
        forks.end()


async def test_a_turn_that_never_ends_ends_its_worker_and_names_the_session(tmp_path: Path) -> None:
    ours, started = pool.process({"WATERLINE_OVERRUN_S": "0.002"})
    begin = pool.protocol.BeginWorker(str(tmp_path), session_limits.current().bounds())
    lost = asyncio.Event()
    end = await pool.WorkerEnd(lambda _end: lost.set(), lambda: None).connect(ours)
    end.send(begin)
    blamed: list[str | None] = []

    class Listener:
        plays = False

        def take(self, message: Any) -> None:
            pass

        def lost(self, excess: str | None) -> None:
            blamed.append(excess)

    end.listeners["one"] = Listener()
    blank = EngineDoor().check({"version": 1, "profile": "real", "until_us": 0})
    # A turn lasts 30 ms: with this bound every one that works counts as endless.
    huge = [(0, {"do": "publish", "count": 1, "size_bytes": 1})] * 5000
    with pytest.raises(pool.WorkerLost):
        await end.call(pool.protocol.OpenRun, "one", scenario=blank, commands=huge, until_us=0, play=False)
    await lost.wait()
    assert blamed == ["time"]
    assert started.wait() == 3


async def _spaces(workers: Workers) -> list[float]:
    """Return how many times as seldom frames are asked for from now on, as the one worker is told."""
    reader = workers.reader("one")
    await reader.until("snapshot")
    factors: list[float] = []
    (end,) = workers.registry.pool.ends
    send = end.send

    def note_and_send(message: Any) -> None:
        if isinstance(message, protocol.FrameSpacing):
            factors.append(message.factor)
        send(message)

    end.send = note_and_send  # type: ignore[method-assign]
    return factors


async def test_a_server_that_is_late_asks_its_workers_for_fewer_frames(workers: Workers) -> None:
    factors = await _spaces(workers)
    loop = asyncio.get_running_loop()
    for turn in range(12):
        loop.call_later(0.25 * turn, time.sleep, 0.25)
    await settled(lambda: any(each > 2 for each in factors))


async def test_pages_that_wait_for_their_turn_have_fewer_frames_made_until_they_wait_no_longer(
    workers: Workers,
) -> None:
    factors = await _spaces(workers)
    workers.registry.pool.others_late_s = lambda: 3.0
    await settled(lambda: any(each > 2 for each in factors))
    workers.registry.pool.others_late_s = lambda: 0.0
    await settled(lambda: factors[-1] < max(factors))


async def test_pages_rest_while_commands_are_answered_late(workers: Workers) -> None:
    reader = workers.reader("one")
    await reader.until("snapshot")
    pressure = workers.registry.pool.pressure
    os.kill(workers.pids[0], signal.SIGSTOP)
    workers.give(reader, "one", 1, **SMALL)
    await asyncio.sleep(0.8)
    os.kill(workers.pids[0], signal.SIGCONT)
    await settled(lambda: pressure.factor > 1)
    await settled(lambda: pressure.factor == 1)  # nobody gives another one
