"""Who may do what in a class: its teacher, and its students for themselves. A class hears of work on exercises; it
holds that work while the teacher speaks, a vote is on, or a test.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final

from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from playground.classroom import rooms, selectors, services, voting
from playground.classroom.models import Classroom, Student
from playground.exercises import learners
from playground.exercises.models import Learner
from playground.limits import request_callers
from playground.texts import PageMessage, RequestRefused
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


def begin_hearing() -> None:
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
