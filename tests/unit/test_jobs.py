"""Work that is left in the middle and taken up again, on stacks that serve one piece of work after the other."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest
from greenlet import getcurrent

from playground.hosting import worker
from playground.hosting.worker import SessionJob


class Clock:
    """Seconds, as many as the test wants."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_piece_of_work_is_left_when_its_time_is_over_and_goes_on_where_it_was() -> None:
    clock, done = Clock(), list[int]()

    def work() -> None:
        for number in range(3):
            done.append(number)
            clock.now_s += 1
            job.breathe()

    job = SessionJob(work, clock)
    assert not job.go_on(2)
    assert done == [0, 1]
    assert job.go_on(2)
    assert done == [0, 1, 2]


def test_one_stack_serves_one_piece_of_work_after_the_other() -> None:
    stacks: list[Any] = []
    for _each in range(3):
        assert SessionJob(lambda: stacks.append(getcurrent()), Clock()).go_on(1)
    assert len(set(map(id, stacks))) == 1
    assert stacks[0] is not getcurrent()


def test_what_the_work_raises_is_raised_and_its_stack_is_used_no_more() -> None:
    stacks: list[Any] = []

    def fail() -> None:
        stacks.append(getcurrent())
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        SessionJob(fail, Clock()).go_on(1)
    assert SessionJob(lambda: stacks.append(getcurrent()), Clock()).go_on(1)
    assert stacks[0].dead
    assert stacks[1] is not stacks[0]


def test_work_in_the_middle_has_a_stack_of_its_own() -> None:
    clock = Clock()

    def work() -> None:
        clock.now_s += 2
        first.breathe()

    first = SessionJob(work, clock)
    assert not first.go_on(1)
    assert SessionJob(lambda: None, clock).go_on(1)
    assert first.go_on(1)


def test_work_that_is_abandoned_ends_where_it_is() -> None:
    clock, ended = Clock(), list[str]()

    def work() -> None:
        try:
            clock.now_s += 2
            job.breathe()
        finally:
            ended.append("abandoned")

    job = SessionJob(work, clock)
    assert not job.go_on(1)
    job.abandon()
    assert ended == ["abandoned"]


def test_only_a_few_stacks_are_kept_and_nothing_of_what_was_done_on_them() -> None:
    clock, many = Clock(), list[SessionJob]()

    class Held:
        def work(self) -> None:
            clock.now_s += 2
            many[-1].breathe()

    held = Held()
    known = weakref.ref(held)
    for _each in range(3 * worker.KEPT):
        many.append(SessionJob(held.work, clock))
        assert not many[-1].go_on(1)
    assert all(job.go_on(1) for job in many)
    del held
    many.clear()
    gc.collect()
    assert known() is None
    assert len(worker._idle.stacks) <= worker.KEPT


def test_each_thread_has_stacks_of_its_own() -> None:
    found: list[bool] = []
    SessionJob(lambda: None, Clock()).go_on(1)
    thread = threading.Thread(target=lambda: found.append(SessionJob(lambda: None, Clock()).go_on(1)))
    thread.start()
    thread.join()
    assert found == [True]
