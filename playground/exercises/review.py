"""Spaced review: a few exercises from before that are due again, each with other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from playground.exercises import catalog, words
from playground.exercises.selectors import state_of

if TYPE_CHECKING:
    from playground.exercises.models import Work

QUESTIONS: Final = 5
"""So many at a visit."""


REST: Final = {"wrong": timedelta(hours=8), "later": timedelta(days=1), "first": timedelta(days=3)}
"""How long an exercise rests after it was touched: the shorter the less sure its answer was."""


def sureness(work: Work) -> str:
    """Return how sure somebody's last answer was: wrong, later (right, but not at once) or first."""
    if work.wrong:
        return "wrong"
    return "first" if work.right_first else "later"


def due(works: Iterable[Work], now: datetime) -> list[Work]:
    """Return what is to be asked again: what was answered wrong first, then what rests longest; five at most."""
    rested = [
        work
        for work in works
        if work.attempts
        and work.exercise in catalog.exercises()
        and now - work.touched >= REST[sureness(work)]
    ]
    return sorted(rested, key=lambda work: (not work.wrong, work.touched))[:QUESTIONS]


def rows(works: Iterable[Work], now: datetime, language: str) -> list[dict[str, Any]]:
    """Return the due exercises as the page of units shows them."""
    found = []
    for work in due(works, now):
        exercise = catalog.exercise(work.exercise)
        found.append(
            {
                "slug": exercise.slug,
                "unit": exercise.unit,
                "title": exercise.texts(language).title,
                "kind": words.kind(exercise),
                "minutes": exercise.minutes,
                "state": state_of(work),
                "last": work.touched,
            }
        )
    return found
