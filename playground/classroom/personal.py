"""All that is kept of one person, to be taken along: a learner's work, a teacher's classes."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground.classroom.models import Ballot, Student
from playground.exercises import learners
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
