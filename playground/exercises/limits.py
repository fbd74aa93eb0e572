"""What one learner may ask of the machine."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from playground.limits import rate_limits
from playground.texts import RequestRefused

ATTEMPTS = 200
"""Answers to one exercise."""
TRIES_BEFORE_SOLUTION = 2
"""Wrong answers before the explanation and the solution of what was not answered right."""
WHY_LETTERS = 200
GRADING_S = 5.0
"""Real time that grading one answer may take."""


def take_attempt(learner_id: int) -> None:
    """Take one of the learner's attempts, or raise `RequestRefused`."""
    if not rate_limits.take("attempts", str(learner_id)):
        raise RequestRefused(_("Too many answers at once. Think a little, and try again in a minute."))
