"""Somebody's work on an exercise, from the database or the browser."""

from __future__ import annotations

import datetime as dt
from typing import Any, Protocol


class WorkedExercise(Protocol):
    """Somebody's work on one exercise: a row of the database, or what a browser remembers."""

    exercise: str
    learner_id: Any
    attempts: int
    failures: int
    wrong: bool
    done_at: dt.datetime | None
    right_first: bool
    variant: int
    earlier: int
    hints: int
    solution_shown: bool
    steps: Any
    locked: bool
    touched: dt.datetime
    right_at: dt.datetime | None
    reviews: int


class AnsweredExercise(Protocol):
    """One answer and its grading."""

    number: int
    passed: bool
    verdict: Any
    why: str
