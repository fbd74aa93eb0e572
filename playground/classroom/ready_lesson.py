"""A lesson of 45 minutes to start from: a vote, an exercise that shows why, a vote that asks it again otherwise."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from playground.exercises import catalog


class Part(NamedTuple):
    """A part of the lesson.

    Args:
        kind: what the class does: votes in two rounds, or works alone.
        exercise: the exercise's name.
        minutes: how long, with the talk about it.
    """

    kind: Literal["vote", "exercise"]
    exercise: str
    minutes: int


READY: Final = (
    Part("vote", "tail-or-head", 12),
    Part("exercise", "first-paging", 18),
    Part("vote", "memory-after-paging", 10),
)
REPORT_MINUTES: Final = 5
"""What is left for the report of the lesson."""


def parts(language: str) -> list[dict[str, Any]]:
    """Return the parts with their exercises' titles and texts.

    Args:
        language: of the titles.
    """
    every = catalog.exercises()
    return [
        {
            **each._asdict(),
            "unit": every[each.exercise].unit,
            "title": every[each.exercise].texts(language).title,
            "misconception": every[each.exercise].texts(language).misconception,
        }
        for each in READY
    ]
