"""Imports progress from a file that was exported here or on another server. Anybody may have edited the file.
So it only fills gaps, and is refused for learners of a class or a learning platform, who must answer
themselves.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Literal

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground.exercises import catalog, learners
from playground.exercises.limits import ATTEMPTS
from playground.exercises.models import Attempt, Learner, Work
from playground.texts.page_message import RequestRefused
from playground.texts.pasted_text import text_of

MOST_BYTES: Final = 1_000_000
OLDEST: Final = timedelta(days=3650)
NO_LINES: Final = {"feedback": [], "lines": [], "step": 0, "moves": []}
"""A file has only the result of a verdict, not its lines."""

Text = Annotated[str, msgspec.Meta(max_length=255)]


class BroughtAnswer(msgspec.Struct, frozen=True):
    """One answer, as it is in the file of a person's data."""

    at: datetime
    passed: bool
    tally: Text = msgspec.field(name="said")


class ExercisesEntry(msgspec.Struct, frozen=True):
    """Somebody's work on one exercise."""

    exercise: Annotated[str, msgspec.Meta(max_length=60)]
    begun: datetime
    done: datetime | None
    right_first_time: bool
    solution_shown: bool
    hints: Annotated[int, msgspec.Meta(ge=0, le=4)]
    answers: Annotated[list[BroughtAnswer], msgspec.Meta(max_length=ATTEMPTS)]


class ExercisesFile(msgspec.Struct, frozen=True):
    """The part of the file of one's data that can be brought back."""

    format: Literal["waterline-person-1"]
    exercises: Annotated[list[ExercisesEntry], msgspec.Meta(max_length=500)]


def read(data: bytes) -> ExercisesFile:
    """Return the content of a file. Raises `RequestRefused` if it is not such a file, or too large."""
    if len(data) > MOST_BYTES:
        raise RequestRefused(_("The file is larger than %(most)s bytes."), most=MOST_BYTES)
    try:
        return msgspec.json.decode(text_of(data), type=ExercisesFile)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RequestRefused(
            _("This is not a file of your progress. Choose the file from “Export my progress”.")
        ) from None


def is_counted(learner: Learner) -> bool:
    """Return whether somebody else counts this learner's work: a class, or a learning platform."""
    return hasattr(learner, "student") or learner.seats.exists()


def bring(learner: Learner, file: ExercisesFile) -> int:
    """Import exercises that the learner has not worked on; return their number. Raises RequestRefused."""
    if is_counted(learner):
        raise RequestRefused(
            _("Your work belongs to a class or a learning platform, and cannot be imported from a file.")
        )
    with transaction.atomic():
        known = {*learner.works.values_list("exercise", flat=True)}
        found = 0
        for entry in file.exercises:
            if entry.exercise in known or entry.exercise not in catalog.exercises():
                continue
            if learners.closed(learner, entry.exercise) is not None:
                continue
            known.add(entry.exercise)
            _keep(learner, entry)
            found += 1
    return found


def _keep(learner: Learner, entry: ExercisesEntry) -> None:
    times = [_bounded(each.at) for each in entry.answers]
    begun, done = _bounded(entry.begun), _bounded(entry.done) if entry.done and entry.answers else None
    failures = sum(not each.passed for each in entry.answers)
    work = Work.objects.create(
        learner=learner,
        exercise=entry.exercise,
        done_at=done,
        attempts=len(entry.answers),
        earlier=len(entry.answers),
        failures=failures,
        wrong=bool(entry.answers) and not entry.answers[-1].passed,
        right_first=bool(done) and entry.right_first_time and not failures and not entry.solution_shown,
        hints=min(entry.hints, len(catalog.exercise(entry.exercise).en.hints)),
        solution_shown=entry.solution_shown,
        statement_sent=True,
    )
    Work.objects.filter(pk=work.pk).update(begun=begun, touched=max([begun, *times]))
    answers = Attempt.objects.bulk_create(
        Attempt(
            work=work,
            number=number,
            passed=each.passed,
            tally="".join(letter for letter in each.tally if letter.isprintable()),
            verdict=NO_LINES,
        )
        for number, each in enumerate(entry.answers, 1)
    )
    for answer, at in zip(answers, times, strict=True):
        answer.at = at
    Attempt.objects.bulk_update(answers, ["at"])  # a row that is made gets the present time


def _bounded(at: datetime) -> datetime:
    """Return a time with its zone, not in the future and not older than anything done here."""
    now = timezone.now()
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(max(aware, now - OLDEST), now)
