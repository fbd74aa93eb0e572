"""What one learner may ask of the machine."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from playground import ratelimit
from playground.messages import Refused

ATTEMPTS = 200
"""Answers to one exercise."""
TRIES_BEFORE_SOLUTION = 3
GRADING_S = 5.0
"""Real time that grading one answer may take."""


def take_attempt(learner_id: int) -> None:
    """Take one of the learner's attempts, or raise `Refused`."""
    if not ratelimit.take("attempts", str(learner_id)):
        raise Refused(_("Too many answers at once. Think a little, and try again in a minute."))
