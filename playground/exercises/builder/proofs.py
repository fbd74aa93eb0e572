"""The engine looks at a made exercise before anybody else does: it must be solvable, and not solved already."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from engine.errors import ScenarioError
from playground.doors import door
from playground.exercises import catalog, limits
from playground.exercises.builder import words
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import grade, kind_of
from playground.exercises.kinds.broker import stages
from playground.exercises.kinds.options import holding
from playground.exercises.kinds.reach import as_answer
from playground.exercises.schema import Exercise
from playground.messages import Refused

MOST_MOVED = 40
"""Messages that somebody moves by hand."""


def proved(plain: dict[str, Any]) -> Exercise:
    """Return the exercise that some content is, or raise `Refused` saying what is wrong with it."""
    deadline = time.monotonic() + limits.GRADING_S
    try:
        door().check({**plain["scenario"], "title": "exercise"})
        made = catalog.read(plain)
        whole = made.full_scenario()
        door().check({**whole, "title": "exercise"})
        _prove(made, lambda: time.monotonic() > deadline)
    except (TooLong, BadAnswer):
        raise Refused(words.TOO_LONG) from None
    except (msgspec.ValidationError, ScenarioError, KeyError, TypeError, ValueError) as error:
        raise Refused(words.NO_EXERCISE, problem=str(error)[:300]) from None
    return made


def _prove(made: Exercise, give_up: Any) -> None:
    check = CHECKS.get(kind_of(made).name)
    if check is not None:
        check(made, give_up)
    elif not grade(made, kind_of(made).solution(made), give_up).passed:
        raise ValueError("the solution does not pass")


def _choice(made: Exercise, give_up: Any) -> None:
    right = holding(made, give_up)
    if len(right) != 1:
        raise Refused(words.ONE_TRUE, count=len(right))


def _reach(made: Exercise, give_up: Any) -> None:
    solution = kind_of(made).solution(made)
    verdict = grade(made, solution, give_up)
    if not verdict.passed:
        missed = [made.en.words.get(line.about, line.about) for line in verdict.lines if not line.right]
        raise Refused(words.NOT_REACHED, goals=", ".join(missed) or ", ".join(verdict.feedback))
    if grade(made, as_answer([{"until_us": solution["until_us"]}]), give_up).passed:
        raise Refused(words.EMPTY_RUN)


def _broker(made: Exercise, give_up: Any) -> None:
    most = max(len(stage.after) for stage in stages(made, give_up))
    if not 1 <= most <= MOST_MOVED:
        raise Refused(words.TOO_MANY_MESSAGES, most=MOST_MOVED, count=most)


CHECKS = {"choice": _choice, "reach": _reach, "broker": _broker}
