"""A teacher's page of one student: what was done, a copy of the session, another code or name, and the way out."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playground.classroom import leaving, selectors, services, views
from playground.classroom.access import for_the_teacher, student_or_gone
from playground.classroom.models import Classroom
from playground.exercises import learners
from playground.exercises.views import ask_to_delete
from playground.records import selectors as sessions
from playground.records import services as session_services
from playground.records import session_ownership
from playground.sessions import sharing
from playground.texts.page_message import RequestRefused
from playground.web.access import rate_limited


@require_safe
@never_cache
@for_the_teacher
def student(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
    """Show what one student did."""
    return _page(request, found, pk)


def _page(
    request: HttpRequest, found: Classroom, pk: int, problem: str = "", status: int = 200
) -> HttpResponse:
    who = student_or_gone(found, pk)
    context = {"classroom": found, "who": who, "works": selectors.student_detail(who, get_language() or "en")}
    context |= {"new_code": request.session.pop("new_code", None), "problem": problem}
    return render(request, "classroom/student.html", context, status=status)


@require_POST
@rate_limited
@for_the_teacher
def fork(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
    """Open a session of one's own that repeats a student's."""
    who = student_or_gone(found, pk)
    work = who.learner.works.exclude(session=None).order_by("-touched").first()
    session = sessions.session_by_id(work.session.public_id) if work else None
    if session is None:
        return redirect("class-student", found.public_id, pk)
    try:
        kept = sharing.share(session)
    except RequestRefused as refused:
        return views.page(request, found, str(refused.message), status=409)
    opened = session_services.replay_session(kept)
    session_ownership.claim(request.session, opened.public_id)
    return redirect("session", opened.public_id)


@require_POST
@for_the_teacher
def code(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
    """Give a student who lost the personal code another one, shown once."""
    who = student_or_gone(found, pk)
    request.session["new_code"] = learners.renew_code(who.learner)
    return redirect("class-student", found.public_id, pk)


@require_POST
@for_the_teacher
def rename(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
    """Give a student another nickname."""
    who = student_or_gone(found, pk)
    try:
        services.rename(who, request.POST.get("nickname", ""))
    except RequestRefused as refused:
        return _page(request, found, pk, str(refused.message), 422)
    return redirect("class-student", found.public_id, pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_the_teacher
def block(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
    """Ask once more; then delete a student, and keep nickname and browser out of this class."""
    question = _("Block %(name)s?")
    lost = _(
        "The student and all work will be deleted, and neither this nickname nor this browser can join "
        "the class again."
    )
    return _part_from(request, found, pk, question, lost, blocked=True)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_the_teacher
def delete(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
    """Ask once more; then delete a student with all work."""
    question = _("Delete %(name)s and all work?")
    lost = _("The nickname, the answers and the sessions of this student will be deleted.")
    return _part_from(request, found, pk, question, lost, blocked=False)


def _part_from(
    request: HttpRequest, found: Classroom, pk: int, question: str, lost: str, *, blocked: bool
) -> HttpResponse:
    who = student_or_gone(found, pk)
    if request.method != "POST":
        back = reverse("class-student", args=[found.public_id, pk])
        return ask_to_delete(request, question % {"name": who.nickname}, lost, back)
    if blocked:
        services.block(who)
    leaving.leave(request, who.learner)
    return redirect("class", found.public_id)
