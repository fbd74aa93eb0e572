"""What teachers, students and strangers may ask of the machine, and for how long things are kept."""

from __future__ import annotations

import time
from functools import cache

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from playground.messages import Refused
from playground.ratelimit import SharedBuckets

CLASSES = 40
"""Classes of one teacher."""
KEEP_DAYS = (30, 90, 180, 365)
KEEP_DAYS_USUALLY = 90
LEARNERS_KEEP_DAYS = 180
"""A learner outside of classes is forgotten after so many days without a visit."""
SOCKETS_OF_A_STUDENT = 4
SOCKETS_OF_A_TEACHER = 8

CO_TEACHERS = 8
BLOCKED = 200
"""Nicknames and browsers that one class remembers as blocked."""
MOST_STUDENTS = 300
"""A lecture. Beyond that the grid is of no use, and one process cannot carry the sessions."""


def students() -> int:
    """Return how many students a class may have, as the operator has set it."""
    return min(MOST_STUDENTS, max(1, settings.WATERLINE_CLASS_SIZE))


PER_MINUTE = {
    "signup": 5,  # accounts from one address
    "recover": 5,  # tries from one address, at some 79 bits
    "login": 10,  # wrong or right, from one address
    "login-name": 5,  # for one name, from one address: a stranger elsewhere cannot lock a teacher out
    "join": 60,  # a whole class behind one address, and hopeless for guessing 40 bits
    "teacher": 240,
    "vote": 30,
}


@cache
def _buckets(what: str) -> SharedBuckets:
    return SharedBuckets(what, PER_MINUTE[what])


def take(what: str, who: str) -> None:
    """Take a token for something, or raise `Refused`."""
    if not _buckets(what).take(who, time.monotonic()):
        raise Refused(_("Too often. Wait a minute, and try again."))


def forget() -> None:
    """Give everybody a full bucket again."""
    _buckets.cache_clear()
