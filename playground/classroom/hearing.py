"""Tells a class of work on exercises, and holds that work while the teacher speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground.callers import request_callers
from playground.classroom import rooms, voting
from playground.classroom.models import Student
from playground.exercises import learners
from playground.exercises.models import Learner
from playground.texts.page_message import PageMessage


def begin() -> None:
    request_callers.register(group_of)
    learners.worked.connect(_worked, dispatch_uid="classroom")
    learners.register(closed)
    rooms.begin()


def group_of(browser: Mapping[str, Any]) -> str:
    """Return how limits call a student's class, or a teacher."""
    learner = browser.get(learners.NUMBER)
    if isinstance(learner, int):
        found = Student.objects.filter(learner=learner).values_list("classroom", flat=True).first()
        if found is not None:
            return f"class {found}"
    return f"teacher {browser[SESSION_KEY]}" if SESSION_KEY in browser else ""


# Written out, because it is asked for each answer and each page: Django takes longer to write it than the database to
# answer it.
_STANDING: Final = """
    SELECT classroom.frozen,
        EXISTS (
            SELECT 1 FROM classroom_vote AS vote
            WHERE vote.classroom_id = classroom.id AND vote.exercise = %s AND vote.stage NOT IN (%s, %s, %s)
        ),
        (
            SELECT paper.exercises FROM classroom_classpaper AS paper
            WHERE paper.classroom_id = classroom.id AND NOT paper.closed
                AND (paper.ends_at IS NULL OR paper.ends_at > %s)
            ORDER BY paper.opened DESC LIMIT 1
        )
    FROM classroom_student AS student JOIN classroom_classroom AS classroom ON classroom.id = student.classroom_id
    WHERE student.learner_id = %s AND classroom.leaving_at IS NULL
"""


def closed(learner: Learner, slug: str, hidden: bool) -> PageMessage | None:
    """Return why a student may not work on an exercise now, or with `hidden` not even see it."""
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, [slug, *voting.ENDED, "revealed", now, learner.pk])
        found = cursor.fetchone()
    if found is None:
        return None
    frozen, voted_on, tested = found
    if frozen and not hidden:
        return PageMessage(_("Your teacher has paused the class. Look up; it continues soon."))
    if voted_on:
        return PageMessage(_("Your class votes on this exercise. It opens again with the result."))
    if tested and slug in json.loads(tested):
        return PageMessage(
            _("Your class has a test on this exercise. It opens again when the test has ended.")
        )
    return None


def _worked(sender: Any, learner: Learner, work: Any = None, **more: Any) -> None:
    classroom = Student.objects.filter(learner=learner).values_list("classroom_id", flat=True).first()
    if classroom is not None:
        (rooms.announce_change if work is None else rooms.announce_work)(classroom)
