"""What teachers, students and strangers may ask of the machine, and for how long things are kept."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from playground.limits import rate_limits
from playground.texts.page_message import RequestRefused

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


def take(what: str, who: str) -> None:
    """Take a token for something, or raise `RequestRefused`."""
    if not rate_limits.take(what, who):
        raise RequestRefused(_("Too often. Wait a minute, and try again."))
