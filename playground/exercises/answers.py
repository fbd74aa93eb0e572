"""Answers as forms send them: read, bounded, and in the form that grading takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from playground.exercises.grading.broker import PLACES
from playground.exercises.schema import Exercise
from playground.messages import Refused

MOST_PARTS = 64
TEXT = 60


def read(exercise: Exercise, posted: QueryDict) -> Any:
    """Return the answer that was sent, or raise `Refused` saying what is missing."""
    form = exercise.predict.ask if exercise.predict else exercise.kind
    return READERS[form](posted)


def _placement(posted: QueryDict) -> dict[str, str]:
    """Read `place-7=q3` for each message."""
    placed = {}
    for name, value in list(posted.items())[:MOST_PARTS]:
        found = re.fullmatch(r"place-([0-9]{1,4})", name)
        if found and value in PLACES:
            placed[found[1]] = value
    return placed


def _sequence(posted: QueryDict) -> list[str]:
    """Read `position-confirm=3` for each item; 0 or nothing leaves it out."""
    found: list[tuple[int, str]] = []
    for name, value in list(posted.items())[:MOST_PARTS]:
        item = re.fullmatch(r"position-([a-z0-9-]{1,41})", name)
        if item and re.fullmatch(r"[1-9][0-9]?", value):
            found.append((int(value), item[1]))
    if not found:
        raise Refused(_("Put at least one line in its place."))
    return [item for _position, item in sorted(found)]


def _number(posted: QueryDict) -> int:
    text = posted.get("answer", "").strip()
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Refused(_("Give a whole number."))
    return int(text)


def _choice(posted: QueryDict) -> str:
    answer = posted.get("answer", "")[:TEXT]
    if not answer:
        raise Refused(_("Choose one of the answers first."))
    return answer


def _set(posted: QueryDict) -> list[str]:
    return [each[:TEXT] for each in posted.getlist("answer")[:MOST_PARTS]]


READERS: dict[str, Callable[[QueryDict], Any]] = {
    "reach": lambda posted: None,  # the session itself is the answer
    "broker": _placement,
    "order": _sequence,
    "number": _number,
    "choice": _choice,
    "set": _set,
}
