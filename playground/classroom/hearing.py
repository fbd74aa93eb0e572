"""Tells a class of work on exercises, and holds that work while the teacher speaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.utils.translation import gettext_lazy as _

from playground.callers import request_callers
from playground.classroom import papers, rooms, voting
from playground.classroom.models import Classroom, Student, Vote
from playground.exercises import learners
from playground.exercises.models import Learner
from playground.texts.page_message import PageMessage


def begin() -> None:
    request_callers.register(group_of)
    learners.worked.connect(_worked, dispatch_uid="classroom")
    learners.register(frozen)
    learners.register(voted_on, hides=True)
    learners.register(tested, hides=True)
    rooms.begin()


def group_of(browser: Mapping[str, Any]) -> str:
    """Return how limits call a student's class, or a teacher."""
    learner = browser.get(learners.NUMBER)
    if isinstance(learner, int):
        found = Student.objects.filter(learner=learner).values_list("classroom", flat=True).first()
        if found is not None:
            return f"class {found}"
    return f"teacher {browser[SESSION_KEY]}" if SESSION_KEY in browser else ""


def voted_on(learner: Learner, slug: str) -> PageMessage | None:
    """Return why a student may not see an exercise now: the class votes on it, and the run would show the answer."""
    votes = Vote.objects.filter(classroom__students__learner=learner, exercise=slug)
    if votes.exclude(stage__in=(*voting.ENDED, "revealed")).exists():
        return PageMessage(_("Your class votes on this exercise. It opens again with the result."))
    return None


def tested(learner: Learner, slug: str) -> PageMessage | None:
    """Return why a student may not see an exercise now: the class has a test that asks it."""
    classroom = Classroom.objects.filter(students__learner=learner).first()
    paper = papers.current(classroom) if classroom else None
    if paper is not None and slug in paper.exercises:
        return PageMessage(
            _("Your class has a test on this exercise. It opens again when the test has ended.")
        )
    return None


def frozen(learner: Learner, slug: str) -> PageMessage | None:
    if Classroom.objects.filter(students__learner=learner, frozen=True).exists():
        return PageMessage(_("Your teacher has paused the class. Look up; it continues soon."))
    return None


def _worked(sender: Any, learner: Learner, **more: Any) -> None:
    classroom = Student.objects.filter(learner=learner).values_list("classroom_id", flat=True).first()
    if classroom is not None:
        rooms.announce_change(classroom)
