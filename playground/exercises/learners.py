"""Who is working: a personal code in the browser's signed cookie, and its trace in the database."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from django.dispatch import Signal
from django.utils import timezone
from django.utils.crypto import salted_hmac

from playground.callers import request_callers
from playground.exercises.models import Attempt, Learner
from playground.hosting.session_record import ALPHABET
from playground.texts.page_message import PageMessage

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
