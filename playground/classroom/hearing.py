"""How a class hears of work on exercises, and holds it while the teacher speaks."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from playground.classroom import rooms
from playground.classroom.models import Classroom, Student
from playground.exercises import gates
from playground.exercises.models import Learner
from playground.messages import Message


def begin() -> None:
    """Listen, and ask before each answer."""
    gates.worked.connect(_worked, dispatch_uid="classroom")
    gates.register(frozen)


def frozen(learner: Learner) -> Message | None:
    """Return why a student may not answer now."""
    if Classroom.objects.filter(students__learner=learner, frozen=True).exists():
        return Message(_("Your teacher has paused the class. Look up, it goes on soon."))
    return None


def _worked(sender: Any, learner: Learner, **more: Any) -> None:
    classroom = Student.objects.filter(learner=learner).values_list("classroom_id", flat=True).first()
    if classroom is not None:
        rooms.tell(classroom)
