"""What the engine does in an exercise is the same for everybody who is asked: one run answers all."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from playground.exercises.schema import MADE
from playground.jobs.job import RUN, BoundedJob, job
from playground.limits import work_places

T = TypeVar("T")

MOST: Final = 500
"""Exercises whose answers are kept: as many variants as the catalogue keeps."""


class KnownAnswers(Generic[T]):
    """A question to the engine about an exercise, whose answers are kept.

    Exercises are distinguished by identity: the catalogue hands out the same one each time, and another after a change.

    Args:
        ask: runs the engine; gets the exercise and what else `answer` was given.
    """

    def __init__(self, ask: Callable[..., T]) -> None:
        self._ask = ask
        self._kept: dict[int, tuple[Any, T]] = {}
        self._lock = threading.Lock()

    def answer(self, exercise: Any, *more: Any) -> T:
        """Return what the engine finds, for which only who asks first needs a place.

        Raises what the question raises, and keeps nothing then.
        """
        known = self._known(exercise)
        if known:
            return known[0]
        with work_places.for_present():
            known = self._known(exercise)  # others may have asked the same meanwhile
            found = known[0] if known else self._asked(exercise, *more)
        with self._lock:
            self._kept[id(exercise)] = exercise, found
            while len(self._kept) > MOST:
                del self._kept[next(iter(self._kept))]
        return found

    def _asked(self, exercise: Any, *more: Any) -> T:
        """Ask here; as a job where that plays what somebody made."""
        if BoundedJob.carrier is None or exercise.unit != MADE:
            return self._ask(exercise, *more)
        found: T = ask_apart(self._ask.__module__, self._ask.__name__, exercise)
        return found

    def _known(self, exercise: Any) -> tuple[T] | None:
        kept = self._kept.get(id(exercise))
        return kept[1:] if kept is not None and kept[0] is exercise else None


@job(RUN)
def ask_apart(module: str, name: str, exercise: Any) -> Any:
    """Return the answer of a question of a module, which the job's own bounds end."""
    return getattr(importlib.import_module(module), name)(exercise, lambda: False)
