"""A worker that is only slow, because the machine or the server is, is not taken for one that hangs."""

from __future__ import annotations

import asyncio
import fcntl
import os
import resource
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from playground.hosting import link, pool, protocol
from playground.hosting.link import ProcessLink
from playground.hosting.pool import TICKS_PER_S, InThread, WorkerHeartbeat
from tests.web import test_workers
from tests.web.stub import StubDoor
from tests.web.test_workers import SMALL, Workers

workers = test_workers.workers
HIGH = 1100
"""The number of a handle that select() cannot take."""


def stat(state: str, worked_s: float) -> str:
    """Return a line as in /proc/PID/stat; names may have anything in them."""
    ticks = round(worked_s * TICKS_PER_S)
    return f"7 (a) R (b) {state} " + "0 " * 10 + f"{ticks} 0 0 0\n"


@pytest.fixture
def pulse(tmp_path: Path) -> Any:
    found = WorkerHeartbeat(os.getpid(), os.getpid())
    found._stat = tmp_path / "stat"
    found._stat.write_text(stat("R", 2))
    found.own_s(0)
    return found


@pytest.mark.parametrize(
    ("state", "worked_s", "own_s"),
    [("R", 2, 0), ("R", 2.5, 0.5), ("R", 99, 5), ("S", 2, 5), ("T", 2, 5), ("D", 2, 5)],
)
def test_while_a_worker_waits_for_a_processor_only_its_work_counts(
    pulse: Any, state: str, worked_s: float, own_s: float
) -> None:
    pulse._stat.write_text(stat(state, worked_s))
    assert pulse.own_s(5) == own_s


def test_a_worker_that_is_gone_has_no_excuse(pulse: Any) -> None:
    pulse._stat.unlink()
    assert pulse.own_s(5) == 5


def test_this_very_process_has_a_pulse() -> None:
    pulse = WorkerHeartbeat(os.getpid(), os.getpid())
    sum(range(5_000_000))
    assert 0 <= pulse.own_s(5) <= 5
    assert pulse._worked_s > 0


async def test_a_worker_without_a_processor_is_neither_killed_nor_ends_itself(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PING_S", 0.05)
    monkeypatch.setattr(pool, "SILENT_S", 0.5)
    monkeypatch.setattr(WorkerHeartbeat, "own_s", lambda self, passed_s: 0.0)
    monkeypatch.setenv("WATERLINE_OVERRUN_S", "0.5")
    reader = workers.reader("one")
    await reader.until("snapshot")
    [pid] = workers.pids
    for number in range(20):  # so that it is stopped in the middle of a turn
        workers.give(reader, "one", number, **SMALL)
    os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(1.5)
    os.kill(pid, signal.SIGCONT)
    await reader.until("accepted", 20)
    assert workers.pids == [pid]
    assert not [each for each in reader.of("notice") if each["level"] == "error"]


def hang() -> None:
    time.sleep(0.7)  # nothing is read meanwhile


async def test_a_server_that_hangs_itself_kills_nobody(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PING_S", 0.05)
    reader = workers.reader("one")
    await reader.until("snapshot")
    monkeypatch.setattr(pool, "SILENT_S", 0.5)
    for _each in range(3):
        hang()
        await asyncio.sleep(0)
    workers.give(reader, "one", 1, **SMALL)
    await reader.until("accepted")
    assert len(workers.pids) == 1


def test_a_worker_reads_from_a_handle_of_any_number() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * HIGH)), hard))
    ours, theirs = socket.socketpair()
    high = socket.socket(fileno=fcntl.fcntl(theirs.fileno(), fcntl.F_DUPFD, HIGH))
    with ours, theirs, high:
        assert high.fileno() >= HIGH
        end = ProcessLink(high)
        assert end.receive(0) == []
        ours.sendall(link.SERVER_END.packed(protocol.WorkerPing()))
        assert end.receive(60) == [protocol.WorkerPing()]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_whose_thread_fails_hangs_up() -> None:
    ours, started = InThread(StubDoor())()  # type: ignore[arg-type]  # a double of the engine
    with ours:
        ours.settimeout(60)
        ours.sendall(link.SERVER_END.packed("nothing that a worker knows"))
        assert ours.recv(1) == b""
    started.wait()
