"""What one learner may ask of the machine."""

from __future__ import annotations

import time
from functools import cache

from django.utils.translation import gettext_lazy as _

from playground.messages import Refused
from playground.ratelimit import SharedBuckets

ATTEMPTS = 200
"""Answers to one exercise."""
TRIES_BEFORE_SOLUTION = 3
GRADING_S = 5.0
"""Real time that grading one answer may take."""
ATTEMPTS_PER_MINUTE = 20
"""Answers of one learner, to all exercises together."""


@cache
def _buckets() -> SharedBuckets:
    return SharedBuckets("attempts", ATTEMPTS_PER_MINUTE)


def take_attempt(learner_id: int) -> None:
    """Take one of the learner's attempts, or raise `Refused`."""
    if not _buckets().take(str(learner_id), time.monotonic()):
        raise Refused(_("Too many answers at once. Think a little, and try again in a minute."))


def forget() -> None:
    """Give everybody a full bucket again."""
    _buckets.cache_clear()
