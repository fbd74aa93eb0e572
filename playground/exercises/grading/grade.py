"""Grading: which kind of exercise it is decides who judges the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playground.exercises.grading import broker, order, predict, reach
from playground.exercises.grading.verdict import Verdict

if TYPE_CHECKING:
    from playground.exercises.schema import Exercise

GiveUp = Callable[[], bool]


def grade(exercise: Exercise, answer: Any, give_up: GiveUp = lambda: False) -> Verdict:
    """Judge an answer by running the engine.

    The answer of a *predict* is an id, a number or a list of ids; of an *order* a list of ids; of a *broker* a list of
    placements, one for each step so far; of a *reach* an object with `commands` (each with `at_us`) and `until_us`.

    Raises BadAnswer when it has another form, TooLong when the run is longer than grading may take.
    """
    judge = {"predict": predict.grade, "reach": reach.grade, "broker": broker.grade, "order": order.grade}
    return judge[exercise.kind](exercise, answer, give_up)


def solution_of(exercise: Exercise) -> Any:
    """Return the right answer: computed from the engine's run, or the written commands of a *reach*."""
    if exercise.kind == "reach":
        return reach.written_solution(exercise)
    solve = {"predict": predict.solution, "broker": broker.solution, "order": order.solution}
    return solve[exercise.kind](exercise)
