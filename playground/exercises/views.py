"""Pages of the units and exercises, and what can be done on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import msgspec
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
from playground.hosting.past import PendingAnswers
from playground.limits import work_places
from playground.records import kept_runs
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
    @wraps(view)
    def shown(request: HttpRequest, unit: str) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect(f"{reverse('login')}?next={request.path}")
        try:
            found = catalog.unit(unit)
        except catalog.NoExercise:
            raise PageGone(
                _("There is no such unit"), PageMessage(_("Choose one from the list of units."))
            ) from None
        return view(request, found)

    return shown


def _language() -> str:
    return get_language() or "en"


def _found(unit: str, slug: str) -> Exercise:
    try:
        exercise = catalog.exercise(slug)
    except catalog.NoExercise:
        exercise = None
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
    listed = catalog.unit_rows(learner, language)
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
            "title": each.texts(language).title,
            "misconception": each.texts(language).misconception,
            "explain": each.texts(language).explain,
            "minutes": each.minutes,
            "kind": catalog.kind(each),
            "rules": each.rules,
            "solution": catalog.shown_solution(each, language),
            "others": [
                {
                    "task": other.texts(language).task,
                    "solution": catalog.shown_solution(other, language),
                    "explain": other.texts(language).explain,
                }
                for other in (catalog.variant(each.slug, seed + 1) for seed in range(len(each.cases)))
            ],
            "address": task.address(each),
        }
        for each in catalog.of_unit(unit.slug)
    ]
    texts = unit.texts(language)
    context = {"unit": texts, "slug": unit.slug, "key": key}
    context["timing"] = [named(line, language) for line in texts.timing]
    return render(request, "exercises/notes.html", context)


def named(line: str, language: str) -> SafeString:
    """Return a line of notes in which exercises are called as their pages call them, with links there."""
    slugs = "|".join(sorted(map(re.escape, catalog.exercises()), key=len, reverse=True))
    parts = re.split(rf"(?<![\w-])({slugs})(?![\w-])", line)
    found = [catalog.exercises().get(part) for part in parts]
    return format_html_join(
        "",
        "{}",
        (
            (
                format_html('<a href="{}">{}</a>', task.address(each), each.texts(language).title)
                if each
                else part,
            )
            for part, each in zip(parts, found, strict=True)
        ),
    )


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
        try:
            found = learners.standing(work, catalog.variant(slug, work.variant))
        except RequestRefused:
            found = None
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


def _found_reading(
    request: HttpRequest, unit: str, slug: str
) -> tuple[task.UnitReading, tuple[tuple[str, int], ...]]:
    usual = task.before(slug)
    if usual is None or catalog.exercise(slug).unit != unit:
        raise PageGone(_("There is no such page"), PageMessage(_("Choose one from the list of units.")))
    asked = {name: request.GET.get(name, "") for name in usual.numbers if name in request.GET}
    try:
        numbers = {name: int(text[:9]) for name, text in asked.items()}
        return task.reading(usual.slug, numbers), tuple(sorted(numbers.items()))
    except ValueError:
        raise PageGone(
            _("There is no run with these numbers"), PageMessage(_("Drag the numbers on the page itself."))
        ) from None


def _played(
    request: HttpRequest, found: task.UnitReading, numbers: tuple[tuple[str, int], ...]
) -> task.ReadingRun:
    """Return the run with these numbers, played if it is not among the last ones."""
    key = found.slug, numbers
    played = runs.find(key)
    if played is None:
        with work_places.for_request(request):
            played = runs.keep(key, task.run(found.slug, numbers))
    return msgspec.json.decode(played, type=task.ReadingRun)


def _systems() -> dict[str, str]:
    return {
        "v2": _("Classic queues v2"),
        "quorum": _("Quorum queues"),
        "log": _("Logs such as Kafka's"),
    }


@require_safe
@rate_limited_reading
def reading(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    found, numbers = _found_reading(request, unit, slug)
    if (
        closed := closed_page(
            request, learners.current(request.session), *map(catalog.exercise, found.exercises)
        )
    ) is not None:
        return closed
    texts, names = found.texts(get_language() or "en"), _systems()
    run = _played(request, found, numbers)
    context = {
        "unit": unit,
        "texts": texts,
        "slug": slug,
        "sentences": [_sentence(each, texts, run) for each in found.sentences],
        "numbers": [_number(name, found, dict(numbers), texts) for name in found.numbers],
        "carries": [(names[name], texts.carries[name], source) for name, source in task.SYSTEMS.items()],
        "exercises": [
            (reverse("exercise", args=[each.unit, each.slug]), each.texts(get_language() or "en").title)
            for each in map(catalog.exercise, found.exercises)
        ],
        "data": {"run": reverse("reading-run", args=[unit, slug])},
    }
    return render(request, "exercises/reading.html", context)


def _sentence(
    sentence: task.ReadingSentence, texts: task.ReadingTexts, run: task.ReadingRun
) -> dict[str, Any]:
    return {
        "id": sentence.id,
        "text": texts.sentences[sentence.id],
        "rules": sentence.rules,
        "checked": bool(sentence.claims) and run.holds[sentence.id],
    }


def _number(
    name: str, found: task.UnitReading, numbers: dict[str, int], texts: task.ReadingTexts
) -> dict[str, Any]:
    drawn = found.numbers[name]
    return {
        "name": name,
        "label": texts.numbers[name],
        "value": numbers.get(name, drawn.usual),
        "first": drawn.first,
        "last": drawn.choices[-1],
        "step": drawn.step,
    }


@require_safe
@rate_limited_reading
def reading_run(request: HttpRequest, unit: str, slug: str) -> HttpResponse:
    """Return the run with these numbers, and the sentences as they read with them."""
    found, numbers = _found_reading(request, unit, slug)
    if (
        closed := closed_page(
            request, learners.current(request.session), *map(catalog.exercise, found.exercises)
        )
    ) is not None:
        return closed
    played = _played(request, found, numbers)
    texts = found.texts(get_language() or "en")
    body = {
        "at_us": played.at_us,
        "rows": played.rows,
        "until_us": played.until_us,
        "holds": {each.id: bool(each.claims) and played.holds[each.id] for each in found.sentences},
        "sentences": texts.sentences,
    }
    return HttpResponse(msgspec.json.encode(body), content_type="application/json")
