"""Deleting with a way back: what is deleted is gone for everybody at once, and for good some minutes later.

The browser that deleted something remembers what it was, in its signed cookie, and may bring it back until then.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model, login
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from playground.classroom import rooms, services
from playground.classroom.models import Classroom, Farewell
from playground.exercises import gates, learners
from playground.exercises import services as exercises
from playground.exercises.models import Learner

UNDO_MINUTES = 10
KEY = "undo"


def leave(request: HttpRequest, what: Model, code: str = "") -> None:
    """Take a learner, a class or a teacher out of sight, and let this browser bring it back for some minutes.

    Args:
        request: of the browser that deletes.
        what: a Learner, a Classroom or a user.
        code: the personal code, where the browser is the learner.
    """
    carry_out()
    now = timezone.now()
    if isinstance(what, Learner):
        Learner.objects.filter(pk=what.pk).update(leaving_at=now)
        _notify_class_of(what)
    elif isinstance(what, Classroom):
        Classroom.everyone.filter(pk=what.pk).update(leaving_at=now)
        rooms.announce_change(what.pk)
    else:
        for each in list(what.classes.all()):
            Classroom.everyone.filter(pk=each.pk).update(leaving_at=now)
            rooms.announce_change(each.pk)
        type(what).objects.filter(pk=what.pk).update(is_active=False)
        Farewell.objects.create(teacher=what, at=now)
    request.session[KEY] = {
        "what": type(what).__name__,
        "pk": what.pk,
        "code": code,
        "until": time.time() + 60 * UNDO_MINUTES,
    }


def undoable(browser: Any) -> str:
    """Return what this browser may bring back: the name of a model, or nothing."""
    found = browser.get(KEY)
    return found["what"] if isinstance(found, dict) and found.get("until", 0) > time.time() else ""


def undo(request: HttpRequest) -> bool:
    """Bring back what this browser deleted; return whether it was still there."""
    carry_out()
    what, found = undoable(request.session), request.session.pop(KEY, None)
    if what == Learner.__name__:
        return _learner_back(request, found["pk"], found["code"])
    if what == Classroom.__name__:
        back = Classroom.everyone.filter(pk=found["pk"]).update(leaving_at=None)
        rooms.announce_change(found["pk"])
        return bool(back)
    return bool(what) and _teacher_back(request, found["pk"])


def _learner_back(request: HttpRequest, pk: int, code: str) -> bool:
    if not Learner.objects.filter(pk=pk).update(leaving_at=None):
        return False
    if code:
        learners.remember(request.session, code)
    _notify_class_of(Learner.objects.get(pk=pk))
    return True


def _teacher_back(request: HttpRequest, pk: int) -> bool:
    farewell = Farewell.objects.select_related("teacher").filter(teacher_id=pk).first()
    if farewell is None:
        return False
    Classroom.everyone.filter(teacher_id=pk, leaving_at=farewell.at).update(leaving_at=None)
    get_user_model().objects.filter(pk=pk).update(is_active=True)
    farewell.delete()
    login(request, get_user_model().objects.get(pk=pk), "django.contrib.auth.backends.ModelBackend")
    return True


def _notify_class_of(learner: Learner) -> None:
    gates.worked.send(Learner, learner=learner, work=None)


def carry_out() -> int:
    """Delete for good what was deleted longer ago than it can be brought back; return how much that was."""
    horizon = timezone.now() - timedelta(minutes=UNDO_MINUTES)
    gone: list[Any] = []
    for farewell in Farewell.objects.select_related("teacher").filter(at__lt=horizon):
        services.delete_teacher(farewell.teacher)
        gone.append(farewell)
    for classroom in Classroom.everyone.filter(leaving_at__lt=horizon):
        services.delete_class(classroom)
        gone.append(classroom)
    for learner in Learner.objects.filter(leaving_at__lt=horizon):
        exercises.delete_learner(learner)
        gone.append(learner)
    return len(gone)
