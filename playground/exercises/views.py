"""Pages of the units and exercises, and what can be done on them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Final, NamedTuple

import msgspec
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from playground.exercises import catalog, learners, task
from playground.exercises.kinds import kind_of
from playground.exercises.models import Learner, Work
from playground.exercises.schema import Exercise, LessonUnit
from playground.limits import work_places
from playground.records import kept_runs
from playground.sessions.past_runs import PendingAnswers
from playground.texts import PageMessage, RequestRefused
from playground.web import live_page
from playground.web.access import View, keeps, rate_limited, rate_limited_reading
from playground.web.errors import PageGone
from playground.web.errors import answer as error_page


def closed_page(request: HttpRequest, learner: Learner | None, *exercises: Exercise) -> HttpResponse | None:
    """Return the page that says why one of these exercises may not be seen now; None where all may."""
    for each in exercises:
        reason = learner and learners.closed(learner, each.slug, hidden=True)
        if reason is not None:
            context = {"texts": each.texts(get_language() or "en"), "reason": reason}
            return render(request, "exercises/locked.html", context, status=423)
    return None


UnitView = Callable[[HttpRequest, LessonUnit], HttpResponse]


def for_teachers(view: UnitView) -> Callable[[HttpRequest, str], HttpResponse]:
    """Let a page have the unit that the address names; others than teachers log in first.

    Returns:
        The view of the address. It raises PageGone where there is no such unit.
    """

    @require_safe
    @never_cache
    @login_required
    @wraps(view)
    def shown(request: HttpRequest, unit: str) -> HttpResponse:
        try:
            found = catalog.unit(unit)
        except catalog.NoExercise:
            text = _("Choose one from the list of units.")
            raise PageGone(_("There is no such unit"), PageMessage(text)) from None
        return view(request, found)

    return shown


def _language() -> str:
    return get_language() or "en"


def _found(unit: str, slug: str) -> Exercise:
    exercise = catalog.find(slug)
    if exercise is None or exercise.unit != unit:
        raise PageGone(_("There is no such exercise"), PageMessage(_("Choose one from the list of units.")))
    return exercise


@require_safe
@never_cache
def units(request: HttpRequest) -> HttpResponse:
    return _units(request)


def _units(request: HttpRequest, status: int = 200, **more: str) -> HttpResponse:
    learner, language = learners.current(request.session), _language()
    works = learner.works.all() if learner else ()
    listed = catalog.unit_rows({each.exercise: each for each in works}, language)
    context = {
        "units": listed,
        "go_on": catalog.go_on(listed),
        "review": catalog.rows(works, timezone.now(), language),
        "learner": learner,
        "code": learners.code_of(request.session) if learner else "",
        **more,
    }
    return render(request, "exercises/units.html", context, status=status)


@for_teachers
def notes(request: HttpRequest, unit: LessonUnit) -> HttpResponse:
    """Show the notes for the teacher of a unit, with the key that the engine computes. For teachers only."""
    language = _language()
    key = [
        {
            "exercise": each,
            "texts": each.texts(language),
            "kind": catalog.kind(each),
            "solution": catalog.shown_solution(each, language),
            "others": [
                {"texts": other.texts(language), "solution": catalog.shown_solution(other, language)}
                for other in (catalog.variant(each.slug, seed + 1) for seed in range(len(each.cases)))
            ],
            "address": task.address(each),
        }
        for each in catalog.of_unit(unit.slug)
    ]
    texts = unit.texts(language)
    timing = [named(line, language) for line in texts.timing]
    context = {"unit": texts, "slug": unit.slug, "key": key, "timing": timing}
    return render(request, "exercises/notes.html", context)


def named(line: str, language: str) -> SafeString:
    """Return a line of notes in which exercises are called as their pages call them, with links there."""
    slugs = "|".join(sorted(map(re.escape, catalog.exercises()), key=len, reverse=True))

    def linked(part: str) -> str:
        found = catalog.exercises().get(part)
        title = found.texts(language).title if found else part
        return format_html('<a href="{}">{}</a>', task.address(found), title) if found else title

    parts = re.split(rf"(?<![\w-])({slugs})(?![\w-])", line)
    return format_html_join("", "{}", ((linked(part),) for part in parts))


@require_safe
@never_cache
def exercise(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Show the task, beside its live session once the work has begun."""
    return page(request, _found(unit, slug))


def page(request: HttpRequest, found: Exercise, problem: str = "", status: int = 200) -> HttpResponse:
    """Render the page of an exercise; `problem` is what kept an answer from being graded."""
    learner = learners.current(request.session)
    if (closed := closed_page(request, learner, found)) is not None:
        return closed
    work = catalog.work_on(learner, found.slug)
    if work is not None:
        found = catalog.variant(found.slug, work.variant)
    context = task.context(found, work, catalog.last_attempt(work), _language())
    context["problem"] = problem
    if work is None or work.session is None:
        context["stage"] = task.stage_with_messages(found)
        return render(request, "exercises/begin.html", context, status=status)
    held = task.held(found, work)
    if not held:
        kept_runs.claim(request.session, work.session)
    context |= live_page.context(request, work.session, plays=held)
    return render(request, "exercises/exercise.html", context, status=status)


def changes_work(view: View) -> View:
    """Let a POST change the visitor's work on an exercise, and lead back to its page."""

    @wraps(view)
    @require_POST
    def done(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
        found = _found(unit, slug)
        work = catalog.work_on(learners.current(request.session), slug)
        if work is None:
            return redirect(task.address(found))
        found = catalog.variant(slug, work.variant)
        try:
            view(request, work, found)
        except RequestRefused as refused:
            if request.htmx:
                return error_page(request, 409, _("That did not work"), refused.message)
            return page(request, found, str(refused.message), status=409)
        return redirect(task.address(found) + "#task")

    return done


@require_safe
@never_cache
@rate_limited_reading
def standing(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Return how far the visitor's answer in the session is: goals reached, and commands left."""
    _found(unit, slug)
    work = catalog.work_on(learners.current(request.session), slug)
    found = None
    if work is not None and work.session is not None:
        with contextlib.suppress(RequestRefused):
            found = learners.standing(work, catalog.variant(slug, work.variant))
    return JsonResponse(found or {})


@require_POST
@keeps
def begin(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    found = _found(unit, slug)
    try:
        learners.begin_work(learners.begin(request.session), found)
    except RequestRefused as refused:
        return page(request, found, str(refused.message), status=409)
    return redirect(task.address(found))


@rate_limited_reading
@changes_work
def answer(request: HttpRequest, work: Work, found: Exercise) -> None:
    learners.answer(work, found, kind_of(found).read(request.POST))


@rate_limited_reading
@changes_work
def hint(request: HttpRequest, work: Work, found: Exercise) -> None:
    learners.hint(work, found)


@rate_limited_reading
@changes_work
def why(request: HttpRequest, work: Work, found: Exercise) -> None:
    """Keep the learner's reason for a wrong answer."""
    learners.keep_reason(work, found, request.POST.get("why", ""))


@rate_limited_reading
@changes_work
def solution(request: HttpRequest, work: Work, found: Exercise) -> None:
    learners.show_solution(work, found)


@keeps
@changes_work
def again(request: HttpRequest, work: Work, found: Exercise) -> None:
    learners.again(work, found)


@require_POST
@rate_limited
def come_back(request: HttpRequest) -> HttpResponse:
    """Go on with the work that belongs to a personal code."""
    code = request.POST.get("code", "")[:64]
    if learners.by_code(code) is None:
        error = _("No work is kept under this code. Check the code.")
        return _units(request, 404, code_error=error)
    learners.remember(request.session, code)
    return redirect("units")


@require_POST
@keeps
def bring(request: HttpRequest) -> HttpResponse:
    """Take in the progress that somebody took along in a file."""
    upload = request.FILES.get("file")
    try:
        file = learners.read(upload.read(learners.MOST_BYTES + 1) if upload else b"")
        count = learners.bring(learners.begin(request.session), file)
    except RequestRefused as refused:
        return _units(request, 422, file_error=str(refused.message))
    sentence = ngettext("%(n)s exercise was imported.", "%(n)s exercises were imported.", count)
    return _units(request, taken_in=sentence % {"n": count})


def ask_to_delete(request: HttpRequest, title: str, text: str, back: str) -> HttpResponse:
    """Render the page that asks once more before something is deleted."""
    return render(request, "exercises/delete.html", {"title": title, "text": text, "back": back})


@require_safe
def plans(request: HttpRequest) -> HttpResponse:
    return render(request, "exercises/plans.html", {"plans": task.plan_rows(get_language() or "en")})


@for_teachers
def slides(request: HttpRequest, unit: LessonUnit) -> HttpResponse:
    """Show the slides and sheets of a unit. For teachers only, as their notes have the key."""
    return render(request, "exercises/slides.html", task.slides(unit.slug, get_language() or "en"))


@require_safe
@never_cache
@rate_limited_reading
def example(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Show the example before an exercise, and judge its last step where one was sent."""
    language = get_language() or "en"
    if slug not in task.slugs() or catalog.exercise(slug).unit != unit:
        raise PageGone(_("There is no such page"), PageMessage(_("Choose one from the list of units.")))
    return closed_page(request, learners.current(request.session), catalog.exercise(slug)) or render(
        request, "exercises/example.html", task.example_context(slug, language, request.GET or None)
    )


runs: Final = PendingAnswers(16 * 1024 * 1024)
"""The last ones, by reading and numbers."""


class OpenedReading(NamedTuple):
    """A reading as the address asks for it: with these numbers, its exercises, and its run."""

    reading: task.UnitReading
    numbers: dict[str, int]
    exercises: list[Exercise]
    run: task.ReadingRun

    @property
    def holds(self) -> dict[str, bool]:
        """Whether each sentence has claims that hold in the run, by its id."""
        return {each.id: bool(each.claims) and self.run.holds[each.id] for each in self.reading.sentences}


ReadingView = Callable[[HttpRequest, OpenedReading], HttpResponse]


def of_a_reading(view: ReadingView) -> Callable[[HttpRequest, str, str], HttpResponse]:
    """Let a page have the reading before an exercise, played with the numbers that the address names."""

    @require_safe
    @rate_limited_reading
    @wraps(view)
    def shown(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
        usual = task.before(slug)
        if usual is None or catalog.exercise(slug).unit != unit:
            raise PageGone(_("There is no such page"), PageMessage(_("Choose one from the list of units.")))
        asked = {name: request.GET.get(name, "") for name in usual.numbers if name in request.GET}
        try:
            numbers = {name: int(text[:9]) for name, text in asked.items()}
            found = task.reading(usual.slug, numbers)
        except ValueError:
            text = _("Drag the numbers on the page itself.")
            raise PageGone(_("There is no run with these numbers"), PageMessage(text)) from None
        exercises = list(map(catalog.exercise, found.exercises))
        closed = closed_page(request, learners.current(request.session), *exercises)
        if closed is not None:
            return closed
        key = found.slug, tuple(sorted(numbers.items()))
        played = runs.find(key)
        if played is None:
            with work_places.for_request(request):
                played = runs.keep(key, task.run(*key))
        run = msgspec.json.decode(played, type=task.ReadingRun)
        return view(request, OpenedReading(found, numbers, exercises, run))

    return shown


@of_a_reading
def reading(request: HttpRequest, opened: OpenedReading) -> HttpResponse:
    found, language = opened.reading, _language()
    texts, address = found.texts(language), request.resolver_match.kwargs
    names = {"v2": _("Classic queues v2"), "quorum": _("Quorum queues"), "log": _("Logs such as Kafka's")}
    context = {
        **address,
        "texts": texts,
        "sentences": [
            {"id": each.id, "text": texts.sentences[each.id], "rules": each.rules, "checked": checked}
            for each, checked in zip(found.sentences, opened.holds.values(), strict=True)
        ],
        "numbers": [
            {
                "name": name,
                "label": texts.numbers[name],
                "value": opened.numbers.get(name, drawn.usual),
                "first": drawn.first,
                "last": drawn.choices[-1],
                "step": drawn.step,
            }
            for name, drawn in found.numbers.items()
        ],
        "carries": [(names[name], texts.carries[name], source) for name, source in task.SYSTEMS.items()],
        "exercises": [(task.address(each), each.texts(language).title) for each in opened.exercises],
        "data": {"run": reverse("reading-run", kwargs=address)},
    }
    return render(request, "exercises/reading.html", context)


@of_a_reading
def reading_run(request: HttpRequest, opened: OpenedReading) -> HttpResponse:
    """Return the run with these numbers, and the sentences as they read with them."""
    run = opened.run
    body = {
        "at_us": run.at_us,
        "rows": run.rows,
        "until_us": run.until_us,
        "holds": opened.holds,
        "sentences": opened.reading.texts(_language()).sentences,
    }
    return HttpResponse(msgspec.json.encode(body), content_type="application/json")
