"""Who is working: a personal code in the browser's signed cookie, its trace in the database, and imported progress.

Anybody may have edited a file of progress. So it only fills gaps, and is refused for learners of a class or a learning
platform, who must answer themselves.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal

import msgspec
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from playground.exercises import catalog
from playground.exercises.limits import ATTEMPTS
from playground.exercises.models import Attempt, Learner, Work
from playground.hosting.session_record import ALPHABET
from playground.limits import request_callers
from playground.texts import PageMessage, RequestRefused
from playground.typed_texts import given_text

KEY = "learner"
NUMBER = "learner_number"
"""The signed cookie has the learner's number as well: a new personal code sends nobody out who is in."""
LEARNER_BYTES = 512
ANSWER_BYTES = 512
CODE_LETTERS = 12
"""Some 59 bits: nobody finds another one's work by trying."""


def new_code() -> str:
    """Return a personal code, in groups that can be read out: k7f3-9xqm-2hdp."""
    letters = "".join(secrets.choice(ALPHABET) for _each in range(CODE_LETTERS))
    return "-".join(letters[at : at + 4] for at in range(0, CODE_LETTERS, 4))


def trace_of(code: str) -> str:
    """Return what is kept of a code, however it was typed."""
    letters = "".join(letter for letter in code.lower() if letter.isalnum())[:64]
    return salted_hmac("playground.exercises.learner", letters, algorithm="sha256").hexdigest()


def by_code(code: str) -> Learner | None:
    return Learner.objects.filter(code_trace=trace_of(code), leaving_at=None).first()


def current(browser: Any) -> Learner | None:
    """Return the learner of a browser, if there is one."""
    number, code = browser.get(NUMBER), browser.get(KEY)
    if isinstance(number, int):
        return Learner.objects.filter(pk=number, leaving_at=None).first()
    return by_code(code) if isinstance(code, str) else None


def code_of(browser: Any) -> str:
    """Return the personal code that a browser remembers, or nothing."""
    code = browser.get(KEY)
    return code if isinstance(code, str) else ""


def code_is_good(browser: Any) -> bool:
    """Return whether the code that a browser remembers still brings the work back, and was not replaced."""
    return by_code(code_of(browser)) is not None


def begin(browser: Any) -> Learner:
    """Return the browser's learner, a new one if there is none."""
    found = current(browser)
    if found is None:
        code = new_code()
        group = request_callers.trace_of(request_callers.present().group)
        found = Learner.objects.create(code_trace=trace_of(code), group=group)
        browser[KEY], browser[NUMBER] = code, found.pk
    else:
        Learner.objects.filter(pk=found.pk).update(last_seen=timezone.now())
    return found


def be(browser: Any, learner: Learner) -> None:
    """Let the browser be a learner who came without a personal code."""
    forget(browser)
    browser[NUMBER] = learner.pk
    Learner.objects.filter(pk=learner.pk).update(last_seen=timezone.now())


def remember(browser: Any, code: str) -> None:
    found = by_code(code)
    browser[KEY] = code
    browser.pop(NUMBER, None)
    if found is not None:
        browser[NUMBER] = found.pk


def forget(browser: Any) -> None:
    browser.pop(KEY, None)
    browser.pop(NUMBER, None)


def renew_code(learner: Learner) -> str:
    """Give a learner another code; the old one is of no use any more, but no browser is sent out."""
    code = new_code()
    learner.code_trace = trace_of(code)
    learner.save(update_fields=["code_trace"])
    return code


def kept_bytes(whose: dict[str, str]) -> int:
    """Return about how much the learners of a group and their answers take."""
    found = Learner.objects.filter(**whose)
    return (
        LEARNER_BYTES * found.count() + ANSWER_BYTES * Attempt.objects.filter(work__learner__in=found).count()
    )


worked = Signal()
"""Sent with `work` after it changed; and with `learner` alone when somebody deleted their work."""

Gate = Callable[[Learner, str, bool], PageMessage | None]
_gates: list[Gate] = []


def register(gate: Gate) -> None:
    """Ask this gate before each answer to an exercise, and, with True, before its page is shown."""
    if gate not in _gates:
        _gates.append(gate)


def closed(learner: Learner, slug: str, *, hidden: bool = False) -> PageMessage | None:
    """Return why a learner may not continue an exercise now, or with `hidden` not even see it; None if allowed."""
    return next((reason for gate in _gates if (reason := gate(learner, slug, hidden)) is not None), None)


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
        return msgspec.json.decode(given_text(data), type=ExercisesFile)
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
            if closed(learner, entry.exercise) is not None:
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
