"""What is found of an exercise's goals in a live run: the same as a repetition from the beginning finds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from engine.replay.player import PlayedPiece, Timed
from playground.exercises import catalog
from playground.exercises.kinds import kind_of
from playground.exercises.kinds.acting import as_answer
from playground.hosting import protocol
from playground.hosting.real_engine import EngineDoor
from playground.hosting.run import SessionRun
from playground.hosting.session import ReachedGoals
from tests.web.stub import settled
from tests.web.test_workers import Workers, workers

__all__ = ["workers"]

REACHES = [each for each in catalog.exercises().values() if each.kind == "reach"]
STEP_US = 700_000


class Live:
    """A live run of an exercise on real files, and its goals."""

    def __init__(self, exercise: Any, root: Path) -> None:
        self.exercise = exercise
        self.door = Door()
        node, files = self.door.open(exercise.scenario, str(root), 1 << 30)
        self.run: Any = SessionRun(node, files, 1 << 30)
        self.commands: list[Timed] = []
        tests = [goal.test for goal in exercise.form.goals]
        self.goals = ReachedGoals(tests, self.door, exercise.scenario, lambda: None, time.monotonic)  # type: ignore[arg-type]

    def give(self, command: dict[str, Any]) -> None:
        self.run.submit(command)
        self.commands.append((self.run.node.now_us, command))

    def found(self) -> Any:
        self.run.finish_instant()
        return self.goals.found(self.run.node.snapshot, self.commands, self.run.node.now_us)

    def repeated(self) -> dict[str, Any]:
        log = [{**command, "at_us": at_us} for at_us, command in self.commands]
        return {"commands": log, "until_us": self.run.node.now_us}


class Door(EngineDoor):
    """Counts repetitions."""

    rehearsed = 0

    def rehearse(self, scenario: dict[str, Any], keep: int = 2048) -> Any:
        self.rehearsed += 1
        return super().rehearse(scenario, keep)


@pytest.mark.parametrize("exercise", REACHES, ids=lambda each: each.slug)
def test_at_every_moment_the_verdict_is_that_of_a_repetition(exercise: Any, tmp_path: Path) -> None:
    live, kind = Live(exercise, tmp_path), kind_of(exercise)
    solution = kind.solution(exercise)
    verdicts = []
    waiting = [dict(each) for each in solution["commands"]]
    for until_us in [*range(0, solution["until_us"], STEP_US), solution["until_us"]]:
        while waiting and waiting[0]["at_us"] <= until_us:
            command = waiting.pop(0)
            live.run.turn(command.pop("at_us"), 60)
            live.give(command)
        live.run.turn(until_us, 60)
        answer = live.repeated()
        judged = kind.grade(exercise, {**answer, "found": live.found()}, lambda: False)
        assert judged == kind.grade(exercise, answer, lambda: False)
        verdicts.append(judged.passed)
    assert verdicts[-1]
    assert not verdicts[0]
    assert live.door.rehearsed <= 1, "one repetition follows the run; none where the state is enough"
    live.run.close()


@pytest.mark.parametrize("exercise", REACHES, ids=lambda each: each.slug)
def test_wrong_answers_are_judged_as_by_a_repetition(exercise: Any, tmp_path: Path) -> None:
    kind = kind_of(exercise)
    for number, wrong in enumerate(exercise.wrong):
        live = Live(exercise, tmp_path / str(number))
        given = as_answer(list(wrong.answer))
        for each in given["commands"]:
            command = dict(each)
            live.run.turn(command.pop("at_us"), 60)
            live.give(command)
        live.run.turn(given["until_us"], 60)
        judged = kind.grade(exercise, {**live.repeated(), "found": live.found()}, lambda: False)
        assert judged.feedback[0] == wrong.feedback
        live.run.close()


def test_a_repetition_goes_on_where_it_stood(tmp_path: Path) -> None:
    live = Live(catalog.exercise("make-gammas"), tmp_path)
    live.give({"do": "publish", "count": 300, "size_bytes": 100})
    live.run.turn(2_000_000, 60)
    live.found()
    repetition = live.goals._repetition
    assert repetition is not None
    begun = repetition.node.log.number
    live.run.turn(3_000_000, 60)
    given: list[int] = []
    take = repetition.take

    def noted(piece: PlayedPiece) -> None:
        given.append(piece.first)
        take(piece)

    repetition.take = noted  # type: ignore[method-assign]
    live.found()
    assert given
    assert min(given) >= begun, "what was seen is not played again"
    assert repetition.node.log.digest == live.run.node.log.digest
    live.run.close()


def test_a_run_that_is_too_long_for_a_repetition_is_refused(tmp_path: Path) -> None:
    live = Live(catalog.exercise("make-gammas"), tmp_path)
    for _each in range(3):
        live.give({"do": "publish", "count": 9_000, "size_bytes": 10})
        live.give({"do": "purge"})
    assert live.found() is None
    live.run.close()


async def test_the_engine_of_an_awake_session_is_asked(workers: Workers) -> None:
    exercise = catalog.exercise("lose-persistent")
    reader = workers.reader("one")
    await reader.until("snapshot")
    goals = [goal.test for goal in exercise.form.goals]
    before = await workers.host("one").moment(goals)
    assert [holds for _value, holds in before.found or ()] == [False, False, True]
    workers.give(reader, "one", 1, do="publish", count=30, size_bytes=100, persistent=True)
    workers.give(reader, "one", 2, do="restart", kind="kill")
    await reader.until("accepted", 2)
    await settled(lambda: bool(reader.of("accepted")), 30)
    after = await workers.host("one").moment(goals)
    assert len(after.commands) == 2
    assert [holds for _value, holds in after.found or ()][:2] == [True, True]
    assert protocol.Locate("one", 1).goals == []
    assert (await workers.host("one").moment()).found == [], "who asks for no goals has none looked for"
