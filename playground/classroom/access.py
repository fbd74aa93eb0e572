"""Who may do what in a class: its teacher, and its students for themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from playground.callers import request_callers
from playground.classroom import selectors, services
from playground.classroom.models import Classroom, Student
from playground.exercises import learners
from playground.texts.page_message import PageMessage, RequestRefused
from playground.web.access import View
from playground.web.errors import PageGone, too_many


def posts_limited(what: str) -> Callable[[View], View]:
    """Let one address send a form only so many times a minute, see `ratelimit.PER_MINUTE`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def limited(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST":
                try:
                    services.take_token(what, request_callers.address_in(request))
                except RequestRefused as refused:
                    return too_many(request, refused.message)
            return view(request, *args, **kwargs)

        return limited

    return decorate


def for_teachers(view: View) -> View:
    """Let in only people who are logged in; pass nothing else."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect(f"{reverse('login')}?next={request.path}")
        try:
            services.take_token("teacher", str(request.user.pk))
        except RequestRefused as refused:
            return too_many(request, refused.message)
        return view(request, *args, **kwargs)

    return guarded


def for_the_teacher(view: View) -> View:
    """Let only the teacher of the class in; for everybody else there is no such class."""

    @wraps(view)
    def guarded(request: HttpRequest, public_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        classroom = selectors.of_teacher(request.user, public_id)
        if classroom is None:
            raise PageGone(
                _("There is no such class"), PageMessage(_("It may have been deleted, or it is not yours."))
            )
        return view(request, classroom, *args, **kwargs)

    return for_teachers(guarded)


def student_or_gone(classroom: Classroom, pk: int) -> Student:
    """Return a student of this class, or raise `PageGone`."""
    found = classroom.students.select_related("learner").filter(pk=pk).first()
    if found is None:
        raise PageGone(_("There is no such student"), PageMessage(_("The student may have left the class.")))
    return found


def for_students(view: View) -> View:
    """Let only a student in, with the class; others are led to the door."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        student = selectors.student_of(learners.current(request.session))
        if student is None:
            return redirect("join")
        return view(request, student, *args, **kwargs)

    return guarded
