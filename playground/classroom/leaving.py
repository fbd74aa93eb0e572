"""What is kept of a person, deleting it with a way back, and what every page shows of the student."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model, login
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.classroom import rooms, selectors, services
from playground.classroom.models import Ballot, Classroom, Farewell, PaperAnswer, Student
from playground.exercises import learners
from playground.exercises import services as exercises
from playground.exercises.models import Learner
from playground.web.access import rate_limited_reading


def of_learner(learner: Learner) -> dict[str, Any]:
    """Return everything that is kept of somebody who works on exercises, the class and the votes included."""
    student = Student.objects.filter(learner=learner).select_related("classroom").first()
    return {
        "format": "waterline-person-1",
        "begun": learner.created.isoformat(),
        "last_seen": learner.last_seen.isoformat(),
        "class": {
            "name": student.classroom.name,
            "nickname": student.nickname,
            "joined": student.joined.isoformat(),
            "kept_until": student.classroom.keep_until.isoformat(),
        }
        if student
        else None,
        "votes": [
            {
                "exercise": each.vote.exercise,
                "answer": each.answer,
                "second": each.second,
                "right": each.right,
            }
            for each in Ballot.objects.filter(student=student).select_related("vote")
        ]
        if student
        else [],
        "tests": [
            {
                "kind": each.paper.kind,
                "exercise": each.exercise,
                "at": each.at.isoformat(),
                "said": each.tally,
                "right": each.right,
            }
            for each in PaperAnswer.objects.filter(student=student).select_related("paper")
        ]
        if student
        else [],
        "exercises": [
            {
                "exercise": work.exercise,
                "begun": work.begun.isoformat(),
                "done": work.done_at.isoformat() if work.done_at else None,
                "right_first_time": work.right_first,
                "hints": work.hints,
                "solution_shown": work.solution_shown,
                "session": work.session.public_id if work.session else None,
                "answers": [
                    {
                        "number": each.number,
                        "at": each.at.isoformat(),
                        "passed": each.passed,
                        "said": each.tally,
                        "why": each.why,
                    }
                    for each in work.answers.all()
                ],
            }
            for work in learner.works.select_related("session").prefetch_related("answers")
        ],
    }


def of_teacher(teacher: Any) -> dict[str, Any]:
    """Return everything that is kept of a teacher: not the students' work, which is theirs."""
    return {
        "format": "waterline-person-1",
        "user_name": teacher.get_username(),
        "signed_up": teacher.date_joined.isoformat(),
        "last_log_in": teacher.last_login.isoformat() if teacher.last_login else None,
        "log_ins_in_force": [each.begun.isoformat() for each in teacher.logins.all()],
        "classes": [
            {"name": each.name, "made": each.created.isoformat(), "kept_until": each.keep_until.isoformat()}
            for each in teacher.classes.all()
        ],
        "shared_classes": [each.name for each in teacher.shared_classes.filter(leaving_at=None)],
        "open_invitations": teacher.invitations.count(),
    }


@require_safe
@never_cache
@rate_limited_reading
def download(request: HttpRequest) -> HttpResponse:
    """Hand the visitor all that is kept of them, as a file that programs read."""
    learner = learners.current(request.session)
    if request.user.is_authenticated:
        found = of_teacher(request.user)
    elif learner is not None:
        found = of_learner(learner)
    else:
        return redirect("privacy")
    response = JsonResponse(found, json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="waterline-my-data.json"'
    return response


UNDO_MINUTES = 10
KEY = "undo"


def leave(request: HttpRequest, what: Model, code: str = "") -> None:
    """Take a learner, a class or a teacher out of sight, and let this browser bring it back for some minutes.

    Args:
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
    learners.worked.send(Learner, learner=learner, work=None)


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


def student(request: HttpRequest) -> dict[str, Any]:
    """Return the visitor's student, looked up only if the browser has a personal code and a page asks."""
    browser = getattr(request, "session", {})
    undo = {"undo": undoable(browser)}
    if not learners.code_of(browser):
        return {"student": None, **undo}
    return undo | {
        "student": SimpleLazyObject(lambda: selectors.student_of(learners.current(request.session)))
    }
