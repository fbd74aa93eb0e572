"""Pages of a test: its questions for the students, and what the teacher opens, ends and takes along."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from playground.classroom import limits, papers, selectors, views
from playground.classroom.access import for_students, for_the_teacher
from playground.classroom.models import ClassPaper, Classroom, PaperAnswer, Student
from playground.exercises import selectors as exercises
from playground.exercises import task
from playground.exercises.kinds import KindProgress, kind_of
from playground.texts.page_message import RequestRefused


@views.changes_class
def lead(request: HttpRequest, found: Classroom) -> None:
    """Begin a test, or end the one that is on."""
    kind, minutes = request.POST.get("kind", ""), request.POST.get("minutes", "")
    if kind:
        long = int(minutes) if minutes.isascii() and minutes.isdigit() and len(minutes) < 4 else 0
        papers.open_paper(found, kind, long, selectors.assigned(found))
        done = _("The test has begun. Students find it on their page of the class.")
    else:
        papers.close(found)
        done = _("The test has ended. Students see the solutions; the marks are in the report.")
    messages.success(request, done, extra_tags="done")


@require_safe
@never_cache
@for_the_teacher
def marks_table(request: HttpRequest, found: Classroom) -> HttpResponse:
    """Download the answers to the last exam."""
    paper = papers.latest(found, papers.EXAM)
    return views.csv_answer(found, "waterline-exam", papers.marks_rows(paper) if paper else ())


@require_safe
@never_cache
@for_the_teacher
def inventory_table(request: HttpRequest, found: Classroom) -> HttpResponse:
    """Download the answers to both forms of the inventory, without names."""
    return views.csv_answer(found, "waterline-inventory", papers.inventory_rows(found))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_students
def page(request: HttpRequest, student: Student) -> HttpResponse:
    """Show a question of the test that is on, or take an answer; after the end, show all with their solutions."""
    paper = papers.current(student.classroom) or student.classroom.papers.first()
    if paper is None:
        return redirect("student")
    given = {each.exercise: each for each in paper.answers.filter(student=student)}
    if not papers.is_open(paper):
        late = request.method == "POST"
        ended = _ended(paper, student, given) | {
            "problem": _("The test ended before this answer came. It is not kept.") if late else ""
        }
        return render(request, "classroom/paper_end.html", ended, status=409 if late else 200)
    asked, open_ones = _asked(request), [at for at, slug in enumerate(paper.exercises) if slug not in given]
    if request.method == "POST" and asked is not None and asked not in open_ones:
        return redirect("class-paper")  # sent twice: it is no answer to the question that comes next
    number, problem = asked if asked in open_ones else next(iter(open_ones), None), ""
    if number is None:
        return render(request, "classroom/paper.html", {"paper": paper, "classroom": student.classroom})
    slug = paper.exercises[number]
    found = papers.question(paper, student, slug)
    if request.method == "POST":
        try:
            limits.take("vote", str(student.pk))
            answer = None if "unknown" in request.POST else kind_of(found).read(request.POST)
            papers.take(paper, student, slug, answer)
            messages.success(
                request, _kept(number + 1, answer is None, len(open_ones) - 1), extra_tags="done"
            )
            return redirect("class-paper")
        except RequestRefused as refused:
            problem = str(refused.message)
    texts = found.texts(get_language() or "en")
    context = {
        "paper": paper,
        "classroom": student.classroom,
        "exercise": found,
        "texts": texts,
        "task": texts.task.split("\n\n"),
        "answer": exercises.answer_form(found, texts, KindProgress(seed=f"paper {student.pk}")),
        "number": number + 1,
        "questions": [(place, each in given) for place, each in enumerate(paper.exercises, 1)],
        "left_s": papers.left_s(paper),
        "problem": problem,
        "mine": None,
    }
    return render(request, "classroom/paper.html", context, status=409 if problem else 200)


def _kept(number: int, unknown: bool, left: int) -> str:
    """Return what happened with a question, and how many are left."""
    kept = (
        _("Question %(number)s: you do not know.")
        if unknown
        else _("Question %(number)s: your answer is kept.")
    )
    more = ngettext("%(n)s question is left.", "%(n)s questions are left.", left)
    return f"{kept % {'number': number}} {more % {'n': left}}"


def _asked(request: HttpRequest) -> int | None:
    """Return the place of the question that the address names."""
    text = request.GET.get("q", "")
    return int(text) - 1 if text.isascii() and text.isdigit() and len(text) < 4 and int(text) else None


def _ended(paper: ClassPaper, student: Student, given: dict[str, PaperAnswer]) -> dict[str, Any]:
    language = get_language() or "en"
    lines = []
    for slug in paper.exercises:
        found = papers.question(paper, student, slug)
        texts, mine = found.texts(language), given.get(slug)
        lines.append(
            {
                "title": texts.title,
                "task": texts.task.split("\n\n"),
                "mine": kind_of(found).tally_text(texts, mine.tally) if mine and mine.tally != "-" else "",
                "right": bool(mine and mine.right),
                "solution": exercises.shown_solution(found, language),
                "explain": texts.explain,
                "address": task.address(found),
            }
        )
    return {
        "paper": paper,
        "classroom": student.classroom,
        "lines": lines,
        "right": sum(each["right"] for each in lines),
        "back": reverse("student"),
    }
