"""Spaced review: a few exercises from before that are due again, each with other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from playground.exercises import catalog, selectors
from playground.exercises.selectors import WorkedExercise, state_of

Worked = TypeVar("Worked", bound=WorkedExercise)

QUESTIONS: Final = 5
"""So many at a visit."""

FIRST_REST: Final = {"wrong": 0, "later": 1, "first": 2}
"""Where an exercise begins in `RESTS`: the further the surer its answer was."""
RESTS: Final = (timedelta(hours=8), *(timedelta(days=days) for days in (1, 3, 7, 16, 35, 80)))
"""How long an exercise rests after it was touched, as in Leitner's boxes: a step longer after each right review."""


def sureness(work: WorkedExercise) -> str:
    """Return how sure somebody's last answer was: wrong, later (right, but not at once) or first."""
    if work.wrong:
        return "wrong"
    return "first" if work.right_first and not work.failures else "later"


def rest(work: WorkedExercise) -> timedelta:
    return RESTS[min(FIRST_REST[sureness(work)] + work.reviews, len(RESTS) - 1)]


def reviews_after(work: WorkedExercise, wrong: bool, now: datetime) -> int:
    """Return how many reviews in a row were right, with an answer that was just graded.

    A right answer is a review only where the last right one is as old as the exercise rests. A wrong one begins anew.
    """
    if wrong:
        return 0
    return work.reviews + (work.right_at is not None and now - work.right_at >= rest(work))


def due(works: Iterable[Worked], now: datetime) -> list[Worked]:
    """Return what is to be asked again: what was answered wrong first, then what rests longest; five at most."""
    rested = [
        work
        for work in works
        if work.attempts and work.exercise in catalog.exercises() and now - work.touched >= rest(work)
    ]
    return sorted(rested, key=lambda work: (not work.wrong, work.touched))[:QUESTIONS]


def rows(works: Iterable[WorkedExercise], now: datetime, language: str) -> list[dict[str, Any]]:
    found = []
    for work in due(works, now):
        exercise = catalog.exercise(work.exercise)
        found.append(
            {
                "slug": exercise.slug,
                "unit": exercise.unit,
                "title": exercise.texts(language).title,
                "kind": selectors.kind(exercise),
                "minutes": exercise.minutes,
                "state": state_of(work),
                "last": work.touched,
            }
        )
    return found
