"""A student's pages: the door, the class, the vote, and leaving with everything."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playground.classroom import leaving, papers, selectors, services, voting
from playground.classroom.access import for_students, posts_limited
from playground.classroom.models import Classroom, Student
from playground.exercises import catalog, learners
from playground.exercises import selectors as exercises
from playground.exercises.kinds import KindProgress, kind_of
from playground.exercises.views import ask_to_delete
from playground.texts import PageMessage, RequestRefused
from playground.web.access import rate_limited_reading
from playground.web.errors import PageGone


def _language() -> str:
    return get_language() or "en"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@posts_limited("join")
def join(request: HttpRequest, code: str = "") -> HttpResponse:
    """Join a class with its code and a nickname, without an account."""
    if request.method != "POST":
        already = selectors.student_of(learners.current(request.session))
        if already is not None and code and already.classroom.join_code == services.plain_code(code):
            return redirect("student")  # the code was scanned again
        return _join_page(request, code)
    try:
        services.join(request.session, request.POST.get("code", ""), request.POST.get("nickname", ""))
    except RequestRefused as refused:
        return _join_page(request, request.POST.get("code", "")[:64], str(refused.message), 422)
    return redirect("student")


def _join_page(request: HttpRequest, code: str, problem: str = "", status: int = 200) -> HttpResponse:
    context = {
        "code": code[:64],
        "problem": problem,
        "nickname": request.POST.get("nickname", "")[:60] or services.suggestion(set()),
        "already": selectors.student_of(learners.current(request.session)),
    }
    return render(request, "classroom/join.html", context, status=status)


@require_safe
@never_cache
@for_students
def home(request: HttpRequest, student: Student) -> HttpResponse:
    classroom = student.classroom
    context = {
        "classroom": classroom,
        "units": handed_out(classroom, student),
        "code_is_good": learners.code_is_good(request.session),
        "code": learners.code_of(request.session),
        "vote": voting.current(classroom),
        "paper": papers.current(classroom),
        "had_paper": classroom.papers.exists(),
        "handed": selectors.for_students(classroom)["handed"],
    }
    return render(request, "classroom/home.html", context)


def handed_out(classroom: Classroom, student: Student) -> list[dict[str, Any]]:
    """Return the units with only those exercises that the class was given, in the teacher's order."""
    works, numbers = (
        exercises.works_of(student.learner),
        {each.slug: n for n, each in enumerate(catalog.units(), 1)},
    )
    given = selectors.assigned(classroom)
    return [
        exercises.unit_row(
            catalog.unit(slug),
            str(numbers.get(slug, "")),
            [each for each in given if each.unit == slug],
            works,
            _language(),
        )
        for slug in selectors.units_of(classroom)
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_students
def vote(request: HttpRequest, student: Student) -> HttpResponse:
    """Show the vote that is on, or take a prediction."""
    current = voting.current(student.classroom)
    if current is None:
        return redirect("student")
    problem = ""
    if request.method == "POST":
        try:
            services.take_token("vote", str(student.pk))
            voting.cast(current, student, kind_of(catalog.exercise(current.exercise)).read(request.POST))
            return redirect("class-vote-page")
        except RequestRefused as refused:
            problem = str(refused.message)
    exercise = catalog.exercise(current.exercise)
    texts = exercise.texts(_language())
    second = voting.is_second(current)
    mine = voting.ballot_of(current, student, second) or voting.ballot_of(current, student, False)
    progress = KindProgress(seed=voting.seed(current))
    context = {
        "classroom": student.classroom,
        "vote": current,
        "exercise": exercise,
        "texts": texts,
        "task": texts.task.split("\n\n"),
        "answer": exercises.answer_form(exercise, texts, progress),
        "options": voting.options(current, _language()),
        "mine": mine.answer if mine else None,
        "chosen": kind_of(exercise).parts(mine.tally) if mine else [],
        "given": voting.ballot_of(current, student, second) is not None,
        "open": voting.is_open(current),
        "left_s": voting.left_s(current),
        "counts": voting.counts(current),
        "results": voting.results(current, _language()) if current.stage == "revealed" else [],
        "problem": problem,
    }
    return render(request, "classroom/vote.html", context, status=409 if problem else 200)


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """Forget who the visitor is, on this browser only."""
    learners.forget(request.session)
    return redirect("join")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_students
def delete(request: HttpRequest, student: Student) -> HttpResponse:
    """Ask once more; then delete the student with all work."""
    if request.method != "POST":
        return ask_to_delete(
            request,
            _("Delete yourself and all your work?"),
            _(
                "Your nickname, your answers and your sessions will be deleted. Your teacher cannot bring "
                "them back."
            ),
            reverse("student"),
        )
    leaving.leave(request, student.learner, learners.code_of(request.session))
    learners.forget(request.session)
    request.session["sessions"] = []
    return redirect("join")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limited_reading
def delete_work(request: HttpRequest) -> HttpResponse:
    """Ask once more; then delete the work of a visitor who is in no class."""
    learner = learners.current(request.session)
    if learner is not None and request.method != "POST":
        text = _("Your answers and your sessions will be deleted, and your personal code will stop working.")
        return ask_to_delete(request, _("Delete all your work?"), text, reverse("units"))
    if learner is not None:
        leaving.leave(request, learner, learners.code_of(request.session))
    learners.forget(request.session)
    return redirect("units")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    what = leaving.undoable(request.session)
    if not leaving.undo(request):
        raise PageGone(_("It is too late"), PageMessage(_("What you deleted is gone for good.")))
    if what != "Learner":
        return redirect("classes")
    if request.user.is_authenticated:
        return redirect("classes")
    return redirect("student" if selectors.student_of(learners.current(request.session)) else "units")


@require_POST
@posts_limited("join")
def come_back(request: HttpRequest) -> HttpResponse:
    """Be the student again that a personal code belongs to."""
    code = request.POST.get("personal", "")[:64]
    if selectors.student_of(learners.by_code(code)) is None:
        return _join_page(
            request,
            "",
            _("No student has this code. Check it, or ask your teacher for another."),
            422,
        )
    learners.remember(request.session, code)
    return redirect("student")
