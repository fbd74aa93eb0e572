"""Jobs in real processes: their answers, and what becomes of those that take too much, and of their places."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from django.utils import translation

from playground.hosting import pool as nurseries
from playground.hosting.link import LinkClosed, MessageUnpacker
from playground.hosting.pool import CAN_FORK, WorkerFactory
from playground.jobs import BoundedJob, JobEnded, pool
from playground.jobs.pool import JobPool
from playground.jobs.process import CODEC
from playground.storybook import ready_scenarios, rehearsal
from playground.storybook.entry import BadScenario
from playground.texts import RequestRefused
from playground.views.links import draw_moment
from tests.helpers.patience import PATIENCE_S
from tests.web import jobs_to_do as do

PLACES: Final = 2

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="processes for jobs are forked on Linux alone")


@pytest.fixture(scope="module")
def nursery() -> Iterator[WorkerFactory]:
    """Return what forks processes for jobs; it loads everything once."""
    found = WorkerFactory(pool.PROCESS)
    yield found
    found.end()


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of all processes for jobs that a test has begun."""
    found: list[int] = []

    class Known(nurseries.ForkedWorker):
        def __init__(self, pid: int, handle: int) -> None:
            super().__init__(pid, handle)
            found.append(pid)

    monkeypatch.setattr(nurseries, "ForkedWorker", Known)
    return found


@pytest.fixture
def jobs(nursery: WorkerFactory, pids: list[int], monkeypatch: pytest.MonkeyPatch) -> Iterator[JobPool]:
    """Have all jobs done in two processes as long as a test lasts."""
    found = JobPool(nursery, PLACES)
    monkeypatch.setattr(BoundedJob, "carrier", found)
    yield found
    found.end()


def in_threads(calls: list[Callable[[], Any]]) -> tuple[list[threading.Thread], list[str]]:
    """Begin calls, each in a thread; return the threads, and the reasons for which they ended."""
    why: list[str] = []

    def call(work: Callable[[], Any]) -> None:
        try:
            work()
        except JobEnded as ended:
            why.append(ended.message.code)

    threads = [threading.Thread(target=call, args=(each,)) for each in calls]
    for each in threads:
        each.start()
    return threads, why


def eventually(is_so: Callable[[], bool]) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_a_job_is_done_elsewhere_and_answers(jobs: JobPool) -> None:
    pid, values = do.whose(1, "two", {"three": [4]})
    assert pid != os.getpid()
    assert values == (1, "two", {"three": [4]})
    assert do.whose()[0] == pid, "the same process does the next one"
    assert list(do.counts(5)) == [0, 1, 2, 3, 4]
    with translation.override("zh-hans"):
        assert do.word() != "The server is busy"
    assert do.word() == "The server is busy"


def test_what_a_job_raises_is_raised_here(jobs: JobPool) -> None:
    with pytest.raises(RequestRefused) as refused:
        do.refuses()
    assert refused.value.message.code == "two"
    with translation.override("zh-hans"):
        assert str(refused.value) != "Choose two releases or more."
    with pytest.raises(BadScenario, match="JSON") as bad:
        rehearsal.read_file("{")
    assert (bad.value.problems[0].line, bad.value.problems[0].column) == (1, 2)


def test_a_picture_is_the_same_wherever_it_is_drawn(jobs: JobPool) -> None:
    entry = ready_scenarios.entry("first-burst")
    assert entry is not None
    picture = draw_moment("First burst", entry.run, 1_000_000)
    assert picture == draw_moment.function("First burst", entry.run, 1_000_000)
    again = rehearsal.read_file(entry.encode())
    assert again == entry


def test_a_process_that_keeps_much_makes_room_for_another(jobs: JobPool) -> None:
    pid = do.whose()[0]
    assert do.whose(leaves_mebibytes=10)[0] == pid
    assert do.whose(leaves_mebibytes=10)[0] == pid
    assert do.whose()[0] != pid


def test_memory_beyond_the_bound_is_refused_and_the_next_job_has_its_own(jobs: JobPool) -> None:
    assert do.takes(32) == 32 << 20
    for _each in range(3):
        with pytest.raises(JobEnded) as ended:
            do.takes(2000)
        assert ended.value.message.code == "memory"
    assert do.takes(32) == 32 << 20


def test_work_and_waiting_beyond_the_bound_are_ended(jobs: JobPool) -> None:
    for work in (do.works, do.waits):
        with pytest.raises(JobEnded) as ended:
            work()
        assert ended.value.message.code == "time"
    assert do.takes(1) == 1 << 20


def test_every_place_comes_back_whatever_ends_its_job(jobs: JobPool, pids: list[int]) -> None:
    for _round in range(3):
        threads, why = in_threads([do.stays] * PLACES)
        eventually(lambda: len(jobs.busy) == PLACES)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for each in threads:
            each.join(PATIENCE_S)
        assert why == ["lost"] * PLACES
        threads, why = in_threads([do.waits] * PLACES)
        for each in threads:
            each.join(PATIENCE_S)
        assert why == ["time"] * PLACES
    threads, why = in_threads([lambda: list(do.counts(1000))] * 20)
    for each in threads:
        each.join(PATIENCE_S)
    assert not why
    assert not jobs.busy


def test_a_process_that_ended_while_nobody_used_it_is_replaced(jobs: JobPool) -> None:
    pid = do.whose()[0]
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not _is_alive(pid))
    assert do.whose()[0] != pid


def _is_alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def test_pieces_that_nobody_wants_any_more_hold_no_place(jobs: JobPool) -> None:
    for _each in range(PLACES + 1):
        pieces = do.counts(1_000_000)
        assert next(iter(pieces)) == 0
        pieces.close()  # type: ignore[attr-defined]  # it is a generator
    assert not jobs.busy
    assert do.takes(1) == 1 << 20


def test_the_end_ends_what_is_under_way_and_takes_nothing_more(jobs: JobPool) -> None:
    threads, why = in_threads([do.stays] * PLACES)
    eventually(lambda: len(jobs.busy) == PLACES)
    waiting, too = in_threads([do.whose])
    jobs.end()
    for each in (*threads, *waiting):
        each.join(PATIENCE_S)
    assert why + too == ["lost"] * (PLACES + 1)
    with pytest.raises(JobEnded):
        do.whose()


def test_where_no_process_takes_jobs_they_are_done_in_place() -> None:
    assert BoundedJob.carrier is None
    assert do.whose(1) == (os.getpid(), (1,))
    assert list(do.counts(3)) == [0, 1, 2]


def test_an_answer_beyond_the_bound_is_not_sent() -> None:
    small = CODEC._replace(most_bytes=100)
    with pytest.raises(MemoryError):
        small.packed(b"x" * 100)
    for codec, is_refused in ((CODEC, False), (small, True)):
        with pytest.raises(LinkClosed) if is_refused else contextlib.nullcontext():
            assert MessageUnpacker(codec).feed(CODEC.packed(b"x" * 100)) == [b"x" * 100]
