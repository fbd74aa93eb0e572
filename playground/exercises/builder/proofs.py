"""Checks of an exercise that a teacher made, before it is stored: it must be solvable, and not solved already."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import msgspec

from engine.values.errors import ScenarioError
from playground.exercises import catalog, limits, variants
from playground.exercises.authors import words
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import kind_of
from playground.exercises.schema import Exercise
from playground.hosting.engine_factory import door
from playground.jobs.job import RUN, job
from playground.storybook.authored_texts import message_of
from playground.texts.page_message import RequestRefused

MOST_VARIANTS = 120
"""Combinations of numbers of one exercise; each is run."""
VARIANTS_S = 4 * limits.GRADING_S


@job(RUN)
def proved(plain: dict[str, Any]) -> Exercise:
    """Return the exercise that some content is, or raise `RequestRefused` saying what is wrong with it."""
    deadline = time.monotonic() + limits.GRADING_S
    try:
        made = catalog.read(plain)
        door().check({**made.scenario, "title": "exercise"})
        whole = made.full_scenario()
        door().check({**whole, "title": "exercise"})
        kind_of(made).prove(made, lambda: time.monotonic() > deadline)
        _prove_variants(plain)
    except (TooLong, BadAnswer):
        raise RequestRefused(words.TOO_LONG) from None
    except (msgspec.ValidationError, ScenarioError, KeyError, TypeError, ValueError) as error:
        raise RequestRefused(words.NO_EXERCISE, problem=message_of(error)) from None
    return made


def _prove_variants(plain: dict[str, Any]) -> None:
    """Prove the exercise with all numbers that can be drawn."""
    drawn = variants.drawn_of(plain)
    count = math.prod(len(each.choices) for each in drawn.values())
    if count > MOST_VARIANTS:
        raise RequestRefused(words.MOST_VARIANTS, count=count, most=MOST_VARIANTS)
    deadline = time.monotonic() + VARIANTS_S
    for chosen in itertools.product(*(each.choices for each in drawn.values())) if drawn else ():
        numbers = dict(zip(drawn, chosen, strict=True))
        try:
            made = catalog.read(variants.with_numbers(plain, numbers))
            door().check({**made.full_scenario(), "title": "exercise"})
            kind_of(made).prove(made, lambda: time.monotonic() > deadline)
        except RequestRefused as refused:
            given = ", ".join(f"{name} = {number}" for name, number in numbers.items())
            raise RequestRefused(words.VARIANT, numbers=given, problem=str(refused.message)) from None
