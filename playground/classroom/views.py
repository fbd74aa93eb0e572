"""Pages of a class: a teacher's classes, one live, votes, what can be taken away; a student's door, class and leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import segno
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from playground.classroom import asking, selectors, services
from playground.classroom.accounts import (
    for_students,
    for_teachers,
    for_the_teacher,
    posts_limited,
    student_or_gone,
)
from playground.classroom.models import ClassPaper, Classroom, PaperAnswer, Student, Vote
from playground.exercises import catalog, learners, task
from playground.exercises.kinds import KindProgress, kind_of
from playground.exercises.schema import Exercise
from playground.exercises.views import ask_to_delete
from playground.records import kept_runs
from playground.sessions import session_sharing
from playground.storybook import ready_scenarios
from playground.texts import PageMessage, RequestRefused
from playground.typed_texts import typed_number
from playground.web import access
from playground.web.access import View, form_page, rate_limited, rate_limited_reading, session_or_gone
from playground.web.errors import PageGone


def shows_class(view: View) -> View:
    """Show something of a class to its teacher."""
    return require_safe(never_cache(for_the_teacher(view)))


@form_page
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
        "vote": asking.current(classroom),
        "paper": asking.current_paper(classroom),
        "had_paper": classroom.papers.exists(),
        "handed": selectors.for_students(classroom)["handed"],
    }
    return render(request, "classroom/home.html", context)


def handed_out(classroom: Classroom, student: Student) -> list[dict[str, Any]]:
    """Return the units with only those exercises that the class was given, in the teacher's order."""
    works = catalog.works_of(student.learner)
    numbers = {each.slug: str(number) for number, each in enumerate(catalog.units(), 1)}
    given = selectors.assigned(classroom)
    return [
        catalog.unit_row(unit, numbers.get(unit.slug, ""), exercises, works, _language())
        for unit in map(catalog.unit, selectors.units_of(classroom))
        for exercises in [[each for each in given if each.unit == unit.slug]]
    ]


@form_page
@for_students
def cast_vote(request: HttpRequest, student: Student) -> HttpResponse:
    """Show the vote that is on, or take a prediction."""
    current = asking.current(student.classroom)
    if current is None:
        return redirect("student")
    problem = ""
    if request.method == "POST":
        try:
            services.take_token("vote", str(student.pk))
            asking.cast(current, student, kind_of(catalog.exercise(current.exercise)).read(request.POST))
            return redirect("class-vote-page")
        except RequestRefused as refused:
            problem = str(refused.message)
    exercise = catalog.exercise(current.exercise)
    texts = exercise.texts(_language())
    second = asking.is_second(current)
    mine = asking.ballot_of(current, student, second) or asking.ballot_of(current, student, False)
    progress = KindProgress(seed=asking.seed(current))
    context = {
        "classroom": student.classroom,
        "vote": current,
        "exercise": exercise,
        "texts": texts,
        "task": texts.task.split("\n\n"),
        "answer": catalog.answer_form(exercise, texts, progress),
        "options": asking.options(current, _language()),
        "mine": mine.answer if mine else None,
        "chosen": kind_of(exercise).parts(mine.tally) if mine else [],
        "given": asking.ballot_of(current, student, second) is not None,
        "open": asking.is_open(current),
        "left_s": asking.left_s(current),
        "counts": asking.counts(current),
        "results": asking.results(current, _language()) if current.stage == "revealed" else [],
        "problem": problem,
    }
    return render(request, "classroom/vote.html", context, status=409 if problem else 200)


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    learners.forget(request.session)
    return redirect("join")


@form_page
@for_students
def delete_yourself(request: HttpRequest, student: Student) -> HttpResponse:
    """Ask once more; then delete the student with all work."""
    if request.method != "POST":
        text = _(
            "Your nickname, your answers and your sessions will be deleted. Your teacher cannot bring them back."
        )
        return ask_to_delete(request, _("Delete yourself and all your work?"), text, reverse("student"))
    services.leave(request, student.learner, learners.code_of(request.session))
    learners.forget(request.session)
    request.session["sessions"] = []
    return redirect("join")


@form_page
@rate_limited_reading
def delete_work(request: HttpRequest) -> HttpResponse:
    """Ask once more; then delete the work of a visitor who is in no class."""
    learner = learners.current(request.session)
    if learner is not None and request.method != "POST":
        text = _("Your answers and your sessions will be deleted, and your personal code will stop working.")
        return ask_to_delete(request, _("Delete all your work?"), text, reverse("units"))
    if learner is not None:
        services.leave(request, learner, learners.code_of(request.session))
    learners.forget(request.session)
    return redirect("units")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    what = services.undoable(request.session)
    if not services.undo(request):
        raise PageGone(_("It is too late"), PageMessage(_("What you deleted is gone for good.")))
    if what != "Learner" or request.user.is_authenticated:
        return redirect("classes")
    return redirect("student" if selectors.student_of(learners.current(request.session)) else "units")


@require_POST
@posts_limited("join")
def come_back(request: HttpRequest) -> HttpResponse:
    """Be the student again that a personal code belongs to."""
    code = request.POST.get("personal", "")[:64]
    if selectors.student_of(learners.by_code(code)) is None:
        problem = _("No student has this code. Check it, or ask your teacher for another.")
        return _join_page(request, "", problem, 422)
    learners.remember(request.session, code)
    return redirect("student")


MINE = 12
"""Sessions of a teacher's browser that can be shown to a class, at most."""


def _language() -> str:
    return get_language() or "en"


@require_safe
@never_cache
def entrance(request: HttpRequest) -> HttpResponse:
    """Lead everybody to their own door: teachers to their classes, students to theirs, strangers to the choice."""
    if request.user.is_authenticated:
        return classes(request)
    if selectors.student_of(learners.current(request.session)) is not None:
        return redirect("student")
    return render(request, "classroom/entrance.html")


@require_safe
@never_cache
@for_teachers
def classes(request: HttpRequest) -> HttpResponse:
    shown_once = {name: request.session.pop(name, "") for name in ("recovery_code", "invitation")}
    return render(request, "classroom/classes.html", services.list_context(request.user) | shown_once)


@require_POST
@for_teachers
def new(request: HttpRequest) -> HttpResponse:
    try:
        made = services.make_class(
            request.user, request.POST.get("name", ""), _units(request), _days(request) or 0
        )
    except RequestRefused as refused:
        context = services.list_context(request.user) | {"problem": str(refused.message)}
        return render(request, "classroom/classes.html", context, status=422)
    return redirect("class", made.public_id)


def _units(request: HttpRequest) -> list[str]:
    """Return the units and exercises that were ticked, in the order of the numbers beside them."""
    ticked = request.POST.getlist("unit")[:200]

    def place(slug: str) -> int:
        number = typed_number(request.POST.get(f"order-{slug}", ""))
        return 999 if number is None else number

    return sorted(ticked, key=place)


def _days(request: HttpRequest) -> int | None:
    return typed_number(request.POST.get("keep_days", ""), 4)


@shows_class
def classroom(request: HttpRequest, found: Classroom) -> HttpResponse:
    return page(request, found)


def page(request: HttpRequest, found: Classroom, problem: str = "", status: int = 200) -> HttpResponse:
    """Render the page of a class; `problem` is what kept the teacher from doing something."""
    exercises = selectors.assigned(found)
    vote, paper = asking.current(found), asking.current_paper(found)
    numbers = {each.slug: number for number, each in enumerate((*catalog.units(), catalog.made_unit()), 1)}
    mine = kept_runs.latest_of_all(kept_runs.owned(request.session), MINE)
    context = {
        "classroom": found,
        "join_url": request.build_absolute_uri(reverse("join-code", args=[found.join_code])),
        "unreachable": access.unreachable(request.get_host(), request.META.get("SERVER_PORT", "")),
        "blocked": len(found.blocked),
        "is_owner": found.teacher_id == request.user.pk,
        "handed": found.units,
        "exercises": [(each, each.texts(_language())) for each in exercises],
        "unit_choices": services.unit_choices(_language(), found.units),
        "single_choices": services.single_choices(_language(), request.user, found.units),
        "assigned": [
            (numbers[slug], slug, catalog.unit(slug).texts(_language())) for slug in selectors.units_of(found)
        ],
        "votable": [
            (each.slug, each.texts(_language()).title) for each in exercises if kind_of(each).votable
        ],
        "vote": vote,
        **(_vote_context(vote) if vote else {}),
        "vote_seconds": asking.SECONDS,
        "paper": paper,
        "paper_words": asking.KINDS[paper.kind] if paper else "",
        "paper_left_s": asking.paper_left_s(paper) if paper else None,
        "paper_kinds": list(asking.KINDS.items()),
        "paper_minutes": asking.MINUTES,
        "keep_days": services.KEEP_DAYS,
        "ready_lesson": services.steps(_language()),
        "report_minutes": services.REPORT_MINUTES,
        "mine": [
            {
                "public_id": each.public_id,
                "title": each.scenario["title"] or _("Playground"),
                "at_s": f"{each.reached_us / 1_000_000:.1f}",
            }
            for each in mine
        ],
        "ready": [(each.slug, each.title) for each in ready_scenarios.entries()],
        "problem": problem,
        "class_data": {
            "websocket": f"/ws/class/{found.public_id}/",
            "exercises": [_for_script(each) for each in exercises],
            "student": reverse("class-student", args=[found.public_id, 0]),
        },
    }
    return render(request, "classroom/class.html", context, status=status)


def _for_script(exercise: Exercise) -> dict[str, Any]:
    texts = exercise.texts(_language())
    return {
        "slug": exercise.slug,
        "unit": exercise.unit,
        "title": texts.title,
        "question": texts.task.split("\n\n")[-1],
        "words": texts.words,
        "between": kind_of(exercise).between,
        "minutes": exercise.minutes,
    }


def changes_class(view: Any) -> Any:
    """Let a POST change a class, and lead back to its page."""

    @require_POST
    @for_the_teacher
    def done(request: HttpRequest, found: Classroom) -> HttpResponse:
        try:
            view(request, found)
        except RequestRefused as refused:
            return page(request, found, str(refused.message), status=409)
        return redirect("class", found.public_id)

    return done


@changes_class
def change(request: HttpRequest, found: Classroom) -> None:
    services.change_class(found, _units(request), _days(request), "joining" in request.POST)


@changes_class
def renew_code(request: HttpRequest, found: Classroom) -> None:
    services.renew_join_code(found)


@changes_class
def freeze(request: HttpRequest, found: Classroom) -> None:
    services.freeze(found, request.POST.get("frozen") == "yes")


@changes_class
def push(request: HttpRequest, found: Classroom) -> None:
    """Open a kept run for everybody, or a session of the teacher's as it is now."""
    mine = request.POST.get("session", "")
    if mine and kept_runs.owns(request.session, mine):
        kept = session_sharing.share(session_or_gone(mine))
        services.push(found, kept.short_id, request.user.get_username())
    else:
        services.push(found, request.POST.get("link", ""), request.user.get_username())


@changes_class
def vote(request: HttpRequest, found: Classroom) -> None:
    """Begin a vote, or do with the one that is on what the teacher chose."""
    slug, seconds = request.POST.get("exercise", ""), typed_number(request.POST.get("seconds", ""), 4) or 0
    current = asking.current(found)
    if slug:
        asking.open_vote(found, slug[:60], seconds)
    elif current is not None:
        asking.lead(current, request.POST.get("act", ""), request.POST.get("stage", ""), seconds)


@require_POST
@for_the_teacher
def delete(request: HttpRequest, found: Classroom) -> HttpResponse:
    if found.teacher_id != request.user.pk:
        return page(request, found, _("Only the teacher who made the class can delete it."), status=403)
    if request.POST.get("name", "").strip() != found.name:
        return page(request, found, _("Type the name of the class to delete it."), status=422)
    services.leave(request, found)
    return redirect("classes")


TABLES: Final[dict[str, Callable[[Classroom], Iterable[list[str]]]]] = {
    "class": selectors.csv_rows,
    "votes": asking.rows_to_keep,
    "exam": asking.marks_rows,
    "inventory": asking.inventory_rows,
}


@shows_class
def table(request: HttpRequest, found: Classroom, what: str) -> HttpResponse:
    """Download a table of a class. `what`: a key of `TABLES`."""
    rows = selectors.csv_text(TABLES[what](found))
    response = HttpResponse("\ufeff" + rows, content_type="text/csv; charset=utf-8")
    name = f"waterline-{what}-{found.public_id}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@shows_class
def qr(request: HttpRequest, found: Classroom) -> HttpResponse:
    url = request.build_absolute_uri(reverse("join-code", args=[found.join_code]))
    drawing = segno.make(url, error="m", micro=False)
    picture = drawing.svg_inline(border=2, dark="#191c21", light="#ffffff", omitsize=True)
    picture = picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return HttpResponse(picture, content_type="image/svg+xml")


@shows_class
def projector(request: HttpRequest, found: Classroom) -> HttpResponse:
    """Show what the whole class may see: the join code, and the vote that is on."""
    current = asking.current(found)
    context = {
        "classroom": found,
        "join_url": request.build_absolute_uri(reverse("join")),
        "unreachable": access.unreachable(request.get_host(), request.META.get("SERVER_PORT", "")),
        "vote": current,
        **(_vote_context(current) if current else {}),
        "stage": task.stage_with_messages(catalog.exercise(current.exercise)) if current else None,
        "class_data": {"websocket": f"/ws/class/{found.public_id}/"},
    }
    return render(request, "classroom/projector.html", context)


def _vote_context(current: Vote) -> dict[str, Any]:
    texts = catalog.exercise(current.exercise).texts(_language())
    return {
        "texts": texts,
        "task": texts.task.split("\n\n"),
        "counts": asking.counts(current),
        "options": asking.options(current, _language()),
        "results": asking.results(current, _language()),
        "recommended": asking.recommended(current),
        "right_percent": asking.right_percent(current),
        "left_s": asking.left_s(current),
    }


@changes_class
def unblock(request: HttpRequest, found: Classroom) -> None:
    services.unblock_all(found)


@changes_class
def teachers(request: HttpRequest, found: Classroom) -> None:
    """Share the class with another teacher, or end that; only its own teacher may."""
    if found.teacher_id != request.user.pk:
        raise RequestRefused(_("Only the teacher who made the class can share it."))
    if "remove" in request.POST:
        services.remove_teacher(found, request.POST["remove"])
    else:
        services.add_teacher(found, request.POST.get("username", ""))


@require_POST
@for_the_teacher
def lesson(request: HttpRequest, found: Classroom) -> HttpResponse:
    """End the lesson and show its report, or begin another one, with a vote where its report proposed one."""
    if request.POST.get("act") == "begin":
        services.begin_lesson(found)
        slug = request.POST.get("vote", "")[:60]
        if slug and catalog.find(slug) is not None:
            asking.open_vote(found, slug)
        return redirect("class", found.public_id)
    services.end_lesson(found)
    return redirect("class-report", found.public_id)


@shows_class
def report(request: HttpRequest, found: Classroom) -> HttpResponse:
    """Show what came of a lesson, to be read, printed or kept."""
    exam = asking.latest(found, asking.EXAM)
    context = {
        "classroom": found,
        "report": selectors.of_lesson(found, _language()),
        "gain": asking.gain(found, _language()),
        "exam": exam,
        "marks": asking.marks(exam) if exam else [],
    }
    return render(request, "classroom/report.html", context)


@shows_class
def student(request: HttpRequest, found: Classroom, pk: int) -> HttpResponse:
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
    session = kept_runs.session_by_id(work.session.public_id) if work else None
    if session is None:
        return redirect("class-student", found.public_id, pk)
    try:
        kept = session_sharing.share(session)
    except RequestRefused as refused:
        return page(request, found, str(refused.message), status=409)
    opened = kept_runs.replay_session(kept)
    kept_runs.claim(request.session, opened)
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
    who = student_or_gone(found, pk)
    try:
        services.rename(who, request.POST.get("nickname", ""))
    except RequestRefused as refused:
        return _page(request, found, pk, str(refused.message), 422)
    return redirect("class-student", found.public_id, pk)


@form_page
@for_the_teacher
def delete_student(request: HttpRequest, found: Classroom, pk: int, *, blocked: bool = False) -> HttpResponse:
    """Ask once more; then delete a student with all work. `blocked`: keep nickname and browser out of the class."""
    who = student_or_gone(found, pk)
    if request.method == "POST":
        if blocked:
            services.block(who)
        services.leave(request, who.learner)
        return redirect("class", found.public_id)
    question = _("Delete %(name)s and all work?")
    lost = _("The nickname, the answers and the sessions of this student will be deleted.")
    if blocked:
        question = _("Block %(name)s?")
        lost = _(
            "The student and all work will be deleted, and neither this nickname nor this browser can join "
            "the class again."
        )
    back = reverse("class-student", args=[found.public_id, pk])
    return ask_to_delete(request, question % {"name": who.nickname}, lost, back)


@changes_class
def lead(request: HttpRequest, found: Classroom) -> None:
    kind, minutes = request.POST.get("kind", ""), typed_number(request.POST.get("minutes", "")) or 0
    if kind:
        asking.open_paper(found, kind, minutes, selectors.assigned(found))
        done = _("The test has begun. Students find it on their page of the class.")
    else:
        asking.close(found)
        done = _("The test has ended. Students see the solutions; the marks are in the report.")
    messages.success(request, done, extra_tags="done")


@form_page
@for_students
def paper(request: HttpRequest, student: Student) -> HttpResponse:
    """Show a question of the test that is on, or take an answer; after the end, show all with their solutions."""
    paper = asking.current_paper(student.classroom) or student.classroom.papers.first()
    if paper is None:
        return redirect("student")
    given = {each.exercise: each for each in paper.answers.filter(student=student)}
    if not asking.is_paper_open(paper):
        late = request.method == "POST"
        ended = _ended(paper, student, given) | {
            "problem": _("The test ended before this answer came. It is not kept.") if late else ""
        }
        return render(request, "classroom/paper_end.html", ended, status=409 if late else 200)
    questions = dict(enumerate(paper.exercises, 1))
    asked = typed_number(request.GET.get("q", "")) or None
    open_ones = [number for number, slug in questions.items() if slug not in given]
    if request.method == "POST" and asked is not None and asked not in open_ones:
        return redirect("class-paper")  # sent twice: it is no answer to the question that comes next
    number, problem = asked if asked in open_ones else next(iter(open_ones), None), ""
    if number is None:
        return render(request, "classroom/paper.html", {"paper": paper, "classroom": student.classroom})
    slug = questions[number]
    found = asking.question(paper, student, slug)
    if request.method == "POST":
        try:
            services.take_token("vote", str(student.pk))
            answer = None if "unknown" in request.POST else kind_of(found).read(request.POST)
            asking.take(paper, student, slug, answer)
            messages.success(request, _kept(number, answer is None, len(open_ones) - 1), extra_tags="done")
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
        "answer": catalog.answer_form(found, texts, KindProgress(seed=f"paper {student.pk}")),
        "number": number,
        "questions": [(place, each in given) for place, each in questions.items()],
        "left_s": asking.paper_left_s(paper),
        "problem": problem,
        "mine": None,
    }
    return render(request, "classroom/paper.html", context, status=409 if problem else 200)


def _kept(number: int, unknown: bool, left: int) -> str:
    kept = _("Question %(number)s: your answer is kept.")
    if unknown:
        kept = _("Question %(number)s: you do not know.")
    more = ngettext("%(n)s question is left.", "%(n)s questions are left.", left)
    return f"{kept % {'number': number}} {more % {'n': left}}"


def _ended(paper: ClassPaper, student: Student, given: dict[str, PaperAnswer]) -> dict[str, Any]:
    language = get_language() or "en"
    lines = []
    for slug in paper.exercises:
        found = asking.question(paper, student, slug)
        texts, mine = found.texts(language), given.get(slug)
        lines.append(
            {
                "title": texts.title,
                "task": texts.task.split("\n\n"),
                "mine": kind_of(found).tally_text(texts, mine.tally) if mine and mine.tally != "-" else "",
                "right": bool(mine and mine.right),
                "solution": catalog.shown_solution(found, language),
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
