"""A lesson of 45 minutes to start from: a vote, an exercise that shows why, a vote that asks it again otherwise."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from playground.exercises import catalog


class LessonStep(NamedTuple):
    """A step of the lesson.

    Args:
        votes: whether the class votes in two rounds; else each works alone.
        exercise: the exercise's name.
        minutes: how long, with the talk about it.
    """

    votes: bool
    exercise: str
    minutes: int


READY: Final = (
    LessonStep(True, "tail-or-head", 12),
    LessonStep(False, "first-paging", 18),
    LessonStep(True, "memory-after-paging", 10),
)
REPORT_MINUTES: Final = 5
"""What is left for the report of the lesson."""


def steps(language: str) -> list[dict[str, Any]]:
    """Return the steps with their exercises' titles and texts.

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
