"""Predict: what the learner said before the run went on, beside what the run did."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playground.exercises.grading import order
from playground.exercises.grading.language import Condition, Measure
from playground.exercises.grading.playback import Playback
from playground.exercises.grading.verdict import BadAnswer, Line, Verdict

if TYPE_CHECKING:
    from playground.exercises.schema import Exercise, Predict


def grade(exercise: Exercise, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    """Judge a prediction."""
    asked = _asked(exercise)
    check = {"choice": _choice, "number": _number, "set": _set, "order": _order}
    return check[asked.ask](exercise, asked, answer, give_up)


def solution(exercise: Exercise) -> Any:
    """Return the right prediction."""
    asked = _asked(exercise)
    if asked.ask == "order":
        return order.sequence(asked.items, _played(exercise, []).events)
    if asked.ask == "number":
        return _measured(exercise, asked)[0]
    holding = _holding(exercise, asked)
    return holding if asked.ask == "set" else holding[0]


def _asked(exercise: Exercise) -> Predict:
    assert exercise.predict is not None  # noqa: S101 - the schema's test sees to it
    return exercise.predict


def _played(exercise: Exercise, watchers: list[Any], give_up: Callable[[], bool] = lambda: False) -> Playback:
    scenario = exercise.full_scenario()
    playback = Playback(scenario, (), watchers, give_up)
    playback.play(scenario["until_us"])
    return playback


def _holding(exercise: Exercise, asked: Predict, give_up: Callable[[], bool] = lambda: False) -> list[str]:
    """Return the ids of the options whose condition holds."""
    conditions = {option.id: Condition(option.when) for option in asked.options}
    facts = _played(exercise, list(conditions.values()), give_up).facts()
    return [name for name, condition in conditions.items() if condition.now(facts)]


def _measured(
    exercise: Exercise, asked: Predict, give_up: Callable[[], bool] = lambda: False
) -> tuple[int, dict[str, int]]:
    measures = {"": Measure(asked.measure), **{slip.id: Measure(slip.measure) for slip in asked.slips}}
    facts = _played(exercise, list(measures.values()), give_up).facts()
    values = {name: measure.now(facts) for name, measure in measures.items()}
    return values.pop(""), values


def _choice(exercise: Exercise, asked: Predict, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    names = {option.id for option in asked.options}
    if not isinstance(answer, str) or answer not in names:
        raise BadAnswer("choose one of the options")
    (right,) = _holding(exercise, asked, give_up)
    passed = answer == right
    return Verdict(passed, () if passed else (answer,), (Line("choice", answer, right, passed),), answer)


def _number(exercise: Exercise, asked: Predict, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    if isinstance(answer, bool) or not isinstance(answer, int) or not 0 <= answer <= asked.most:
        raise BadAnswer(f"give a whole number from 0 to {asked.most}")
    right, slips = _measured(exercise, asked, give_up)
    passed = answer == right
    feedback = [name for name, value in slips.items() if value == answer != right]
    if not passed and not feedback:
        feedback = ["_too-high" if answer > right else "_too-low"]
    return Verdict(passed, tuple(feedback[:1]), (Line("number", answer, right, passed),), str(answer))


def _set(exercise: Exercise, asked: Predict, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    names = [option.id for option in asked.options]
    if not isinstance(answer, list) or not set(map(str, answer)) <= set(names) or len(answer) > len(names):
        raise BadAnswer("choose among the options")
    right = set(_holding(exercise, asked, give_up))
    lines = tuple(
        Line(name, name in answer, name in right, (name in answer) == (name in right)) for name in names
    )
    wrong = tuple(line.about for line in lines if not line.right)
    return Verdict(not wrong, wrong, lines, " ".join(name for name in names if name in answer) or "-")


def _order(exercise: Exercise, asked: Predict, answer: Any, give_up: Callable[[], bool]) -> Verdict:
    events = _played(exercise, [], give_up).events
    return order.judge(asked.items, events, answer)
