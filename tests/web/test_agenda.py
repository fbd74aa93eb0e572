"""Whose turn it is in a worker, and that pictures come seldom before answers come late: with a clock of the test."""

from __future__ import annotations

import math
from collections import Counter, deque
from typing import Any

import pytest

from playground.hosting import protocol
from playground.hosting import worker as workers
from playground.hosting.pacer import LATE_S, MOST, FrameThrottle
from playground.hosting.worker import GRID_S, EngineWorker, WorkerAgenda
from playground.limits import session_limits
from tests.web.stub import StubDoor

SESSIONS = 12
COMMAND = {"do": "emit", "count": 1}


def test_who_is_waited_for_comes_before_those_whose_time_has_come() -> None:
    agenda = WorkerAgenda()
    agenda.put("plays", 1.0)
    agenda.put("asked", -math.inf)
    agenda.put("asked too", -math.inf)
    assert agenda.wait_s(2.0) == 0.0
    assert [agenda.take(2.0) for _each in range(4)] == [
        ("asked", 0.0), ("asked too", 0.0), ("plays", 1.0), None,
    ]  # fmt: skip


def test_turns_that_only_let_time_pass_come_together() -> None:
    agenda = WorkerAgenda()
    agenda.put("one", GRID_S * 1.2)
    agenda.put("two", GRID_S * 1.9)
    assert agenda.wait_s(GRID_S) == pytest.approx(GRID_S)
    assert agenda.take(GRID_S * 1.95) is None
    assert [(agenda.take(GRID_S * 2) or ("", 0))[0] for _each in range(2)] == ["one", "two"]
    assert agenda.wait_s(0) == math.inf


def test_turns_that_may_come_early_come_with_others_and_never_by_themselves() -> None:
    agenda = WorkerAgenda()
    agenda.put("first", 1.0)
    agenda.put("soon", 1.08, early_s=0.1)
    agenda.put("later", 1.3, early_s=0.1)
    assert agenda.wait_s(0.95) == pytest.approx(0.05)
    assert agenda.take(0.99) is None
    assert [agenda.take(1.0), agenda.take(1.01), agenda.take(1.02)] == [("first", 0.0), ("soon", 0.0), None]
    assert agenda.wait_s(1.25) == pytest.approx(0.05), "the beat is over"


def test_turns_at_their_time_do_not_come_with_others() -> None:
    agenda = WorkerAgenda()
    agenda.put("first", 1.0)
    agenda.put("exact", 1.05)
    assert [agenda.take(1.0), agenda.take(1.0)] == [("first", 0.0), None]
    agenda.put("asked", -math.inf)
    assert [agenda.take(1.0), agenda.take(1.0)] == [("asked", 0.0), None]


def test_what_is_put_anew_or_forgotten_has_no_turn_of_before() -> None:
    agenda = WorkerAgenda()
    agenda.put("one", 1.0)
    agenda.put("one", 5.0)
    agenda.put("two", -math.inf)
    agenda.forget("two")
    agenda.put("three", 1.0)
    agenda.put("three", math.inf)
    assert agenda.take(2.0) is None
    assert agenda.take(5.0) == ("one", 0.0)


def test_what_was_due_before_anybody_knew_of_it_is_not_late() -> None:
    agenda = WorkerAgenda()
    agenda.put("woken", 1.0, now_s=500.0)
    assert agenda.take(500.5) == ("woken", 0.5)


def test_frames_are_spaced_out_while_everything_is_late_and_no_longer_than_that() -> None:
    ease, now_s = FrameThrottle(), 0.0
    for _half_second in range(20):
        ease.late(now_s, 2 * LATE_S)
        now_s += 0.5
    assert ease.factor == MOST
    for _half_second in range(60):
        ease.late(now_s, 0.0)
        now_s += 0.5
    assert ease.factor == 1
    ease.ask(3)
    assert ease.factor == 3


class Machine:
    """A worker's link and clock: every piece of work takes time, and commands come at their times."""

    def __init__(self, arrivals: list[tuple[float, Any]], turn_s: float) -> None:
        self.now_s = 0.0
        self.turn_s = turn_s
        self.arrivals = deque(arrivals)
        self.frames: Counter[str] = Counter()
        self.answered_s: dict[int, float] = {}
        self.behind_s: list[float] = []
        """How far the virtual time of each session is behind at the end."""

    def clock(self) -> float:
        return self.now_s

    def send(self, message: Any) -> None:
        if isinstance(message, protocol.PageText):
            self.frames[message.session] += 1
            self.now_s += self.turn_s  # what a frame costs
        elif isinstance(message, protocol.CallAnswer):
            self.answered_s[message.call] = self.now_s

    def flush(self) -> None:
        pass

    def receive(self, wait_s: float) -> list[Any]:
        if wait_s and self.arrivals:
            self.now_s = max(self.now_s, min(self.now_s + wait_s, self.arrivals[0][0]))
        found = []
        while self.arrivals and self.arrivals[0][0] <= self.now_s:
            found.append(self.arrivals.popleft()[1])
        return found


def lesson(turn_s: float, tmp_path: Any, seconds: float = 6.0) -> Machine:
    """Let twelve sessions play in one worker, where each frame costs `turn_s`, and give a command a second in each."""
    begin = protocol.BeginWorker(root=str(tmp_path), bounds=session_limits.current().bounds())
    first: list[Any] = [begin]
    arrivals: list[tuple[float, Any]] = []
    for number in range(SESSIONS):
        name = f"s{number}"
        first += [
            protocol.OpenRun(name, 100_000 + number, {"commands": []}, [], 0, True),
            protocol.PageSaid(name, protocol.PageHello(), 1),
            protocol.SubmitCommand(name, 200_000 + number, {"do": "tick", "on": True}),
        ]
        for second in range(1, int(seconds)):
            at_s = second + number / SESSIONS
            arrivals.append((at_s, protocol.SubmitCommand(name, second * 1000 + number, COMMAND)))
        # Readers that keep up: everything they are sent is acknowledged at once.
        arrivals += [
            (tenth / 10, protocol.PageSaid(name, protocol.FrameAck(10**9), 1))
            for tenth in range(2, int(seconds * 10), 2)
        ]
    arrivals.sort(key=lambda each: each[0])
    machine = Machine([(0.0, each) for each in first] + arrivals, turn_s)
    worker = EngineWorker(machine, StubDoor(), machine.clock)  # type: ignore[arg-type]  # doubles
    while machine.arrivals:
        worker.go_on()
    runs = [session.run for session in worker.sessions.values()]
    machine.behind_s = [machine.now_s - run.node.now_us / 1e6 for run in runs if run is not None]
    return machine


@pytest.mark.parametrize(("turn_s", "at_least", "at_most"), [(0.003, 4.0, 12.0), (0.06, 0.4, 2.0)])
def test_too_much_to_do_costs_frames_of_all_and_answers_of_nobody(
    turn_s: float, at_least: float, at_most: float, tmp_path: Any
) -> None:
    """Twelve sessions want some 72 frames a second; where one costs 60 ms, a worker makes at most 16."""
    machine = lesson(turn_s, tmp_path)
    waited = [
        answered_s - (call // 1000 + call % 1000 / SESSIONS)
        for call, answered_s in machine.answered_s.items()
        if call < 100_000
    ]
    assert len(waited) > SESSIONS * 4
    assert sorted(waited)[int(len(waited) * 0.95)] < workers.READ_S + 3 * turn_s + 0.001
    rates = [machine.frames[f"s{number}"] / machine.now_s for number in range(SESSIONS)]
    assert at_least <= min(rates)
    assert max(rates) <= at_most
    assert max(rates) < 1.7 * min(rates), "fairly"
    assert max(machine.behind_s) < 2, "by frames, not by lag"
