"""Checks of an exercise that a teacher made, before it is stored: it must be solvable, and not solved already."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import msgspec

from engine.errors import ScenarioError
from playground.doors import door
from playground.exercises import catalog, limits, variants
from playground.exercises.builder import words
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import grade, kind_of
from playground.exercises.kinds.broker import stages
from playground.exercises.kinds.options import holding
from playground.exercises.kinds.reach import as_answer
from playground.exercises.schema import Exercise
from playground.messages import Refused
from playground.written import message_of

MOST_VARIANTS = 120
"""Combinations of numbers of one exercise; each is run."""
VARIANTS_S = 4 * limits.GRADING_S
MOST_MOVED = 40
"""Messages that somebody moves by hand."""


def proved(plain: dict[str, Any]) -> Exercise:
    """Return the exercise that some content is, or raise `Refused` saying what is wrong with it."""
    deadline = time.monotonic() + limits.GRADING_S
    try:
        made = catalog.read(plain)
        door().check({**made.scenario, "title": "exercise"})
        whole = made.full_scenario()
        door().check({**whole, "title": "exercise"})
        _prove(made, lambda: time.monotonic() > deadline)
        _prove_variants(plain)
    except (TooLong, BadAnswer):
        raise Refused(words.TOO_LONG) from None
    except (msgspec.ValidationError, ScenarioError, KeyError, TypeError, ValueError) as error:
        raise Refused(words.NO_EXERCISE, problem=message_of(error)) from None
    return made


def _prove_variants(plain: dict[str, Any]) -> None:
    """Prove the exercise with all numbers that can be drawn."""
    drawn = variants.drawn_of(plain)
    count = math.prod(len(each.choices) for each in drawn.values())
    if count > MOST_VARIANTS:
        raise Refused(words.MOST_VARIANTS, count=count, most=MOST_VARIANTS)
    deadline = time.monotonic() + VARIANTS_S
    for chosen in itertools.product(*(each.choices for each in drawn.values())) if drawn else ():
        numbers = dict(zip(drawn, chosen, strict=True))
        try:
            made = catalog.read(variants.with_numbers(plain, numbers))
            door().check({**made.full_scenario(), "title": "exercise"})
            _prove(made, lambda: time.monotonic() > deadline)
        except Refused as refused:
            given = ", ".join(f"{name} = {number}" for name, number in numbers.items())
            raise Refused(words.VARIANT, numbers=given, problem=str(refused.message)) from None


def _prove(made: Exercise, give_up: Any) -> None:
    check = CHECKS.get(kind_of(made).name)
    if check is not None:
        check(made, give_up)
    elif not grade(made, kind_of(made).solution(made), give_up).passed:
        raise Refused(words.NOT_PASSED)


def _choice(made: Exercise, give_up: Any) -> None:
    right = holding(made, give_up)
    if len(right) != 1:
        raise Refused(words.ONE_TRUE, count=len(right))


def _several(made: Exercise, give_up: Any) -> None:
    if not 0 < len(holding(made, give_up)) < len(made.form.options):
        raise Refused(words.SOME_TRUE)


def _number(made: Exercise, give_up: Any) -> None:
    right = kind_of(made).solution(made)
    if not grade(made, right, give_up).passed:
        raise Refused(words.TOO_LONG)
    if right in [slip.measure for slip in made.form.slips]:
        raise Refused(words.SLIP_IS_RIGHT, number=right)


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


CHECKS = {"choice": _choice, "several": _several, "number": _number, "reach": _reach, "broker": _broker}
