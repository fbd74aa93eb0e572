"""The builder: a teacher makes an exercise from her own session, without a file.

A form becomes the content of an exercise, the engine checks it, and a row keeps it. What the form asks is the kind's
own (`playground.exercises.kinds`).
"""

from __future__ import annotations

import itertools
import json
import math
import string
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from engine.values.errors import ScenarioError
from playground.exercises import authors, catalog, learners, schema, task
from playground.exercises.authors import SHORT, TEXT, AuthoredRun, PostedForm, command_line, text_of
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import KINDS, kind_of
from playground.exercises.models import Made
from playground.exercises.schema import MADE, Exercise, filled
from playground.hosting.real_engine import door
from playground.jobs import RUN, job
from playground.limits import work_places
from playground.records import kept_runs
from playground.storybook.story import message_of
from playground.texts import PageMessage, RequestRefused
from playground.typed_texts import given_text, typed_number
from playground.web.access import form_page, rate_limited, rate_limited_reading
from playground.web.errors import PageGone

FIELDS = ("count", "value", "size_bytes")
MOST = 8
DIGITS = 7


class BuiltNumber(msgspec.Struct, frozen=True):
    """One number of a command: its name, usual value and line."""

    name: str
    usual: int
    field: str
    command: dict[str, Any]

    @property
    def line(self) -> str:
        return command_line(self.command)


def of_run(run: AuthoredRun) -> list[BuiltNumber]:
    """Return the whole numbers of a run's commands, called a, b, c in their order."""
    found = [
        (command[field], field, command)
        for command in run.commands
        for field in FIELDS
        if isinstance(command.get(field), int) and not isinstance(command[field], bool)
    ]
    return [
        BuiltNumber(name, *each) for name, each in zip(string.ascii_lowercase[:MOST], found, strict=False)
    ]


def drawn(numbers: Sequence[BuiltNumber], posted: PostedForm, plain: dict[str, Any]) -> dict[str, Any]:
    """Return the content of an exercise with its letters in the commands, and from where to where they are drawn.
    `numbers`: of the run that the content was made from. `posted`: `first-a` and `last-a` for each number that may
    differ. `plain`: the content, which still has the commands of the run themselves. Raises RequestRefused: the
    usual number is not within a range.
    """
    variants, letters = {}, dict[int, dict[str, str]]()
    for each in numbers:
        first, last = (posted.get(f"{end}-{each.name}", "").strip() for end in ("first", "last"))
        if not first and not last:
            continue
        least, most = typed_number(first, DIGITS), typed_number(last, DIGITS)
        if least is None or most is None or not least <= each.usual <= most:
            raise RequestRefused(authors.RANGE, name=each.name, usual=each.usual)
        variants[each.name] = {"usual": each.usual, "first": least, "last": most}
        letters.setdefault(id(each.command), {})[each.field] = f"{{{each.name}}}"

    def lettered(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [lettered(each) for each in value]
        if isinstance(value, dict):
            return {name: lettered(each) for name, each in value.items()} | letters.get(id(value), {})
        return value

    return {**lettered(plain), "variants": variants} if variants else plain


MOST_VARIANTS = 120
"""Combinations of numbers of one exercise; each is run."""
VARIANTS_S = 4 * task.GRADING_S


@job(RUN)
def proved(plain: dict[str, Any]) -> Exercise:
    """Return the exercise with this content. Raises `RequestRefused`, which says what is wrong."""
    deadline = time.monotonic() + task.GRADING_S
    try:
        made = catalog.read(plain)
        door().check({**made.scenario, "title": "exercise"})
        whole = made.full_scenario()
        door().check({**whole, "title": "exercise"})
        kind_of(made).prove(made, lambda: time.monotonic() > deadline)
        _prove_variants(plain)
    except (TooLong, BadAnswer):
        raise RequestRefused(authors.TOO_LONG) from None
    except (msgspec.ValidationError, ScenarioError, KeyError, TypeError, ValueError) as error:
        raise RequestRefused(authors.NO_EXERCISE, problem=message_of(error)) from None
    return made


def _prove_variants(plain: dict[str, Any]) -> None:
    drawn = schema.drawn_of(plain)
    count = math.prod(len(each.choices) for each in drawn.values())
    if count > MOST_VARIANTS:
        raise RequestRefused(authors.MOST_VARIANTS, count=count, most=MOST_VARIANTS)
    deadline = time.monotonic() + VARIANTS_S
    for chosen in itertools.product(*(each.choices for each in drawn.values())) if drawn else ():
        numbers = dict(zip(drawn, chosen, strict=True))
        try:
            made = catalog.read(schema.with_numbers(plain, numbers))
            door().check({**made.full_scenario(), "title": "exercise"})
            kind_of(made).prove(made, lambda: time.monotonic() > deadline)
        except RequestRefused as refused:
            given = ", ".join(f"{name} = {number}" for name, number in numbers.items())
            raise RequestRefused(authors.VARIANT, numbers=given, problem=str(refused.message)) from None


@job(RUN)
def content(kind: str, posted: PostedForm, run: AuthoredRun) -> dict[str, Any]:
    """Return the plain content of an exercise of a kind. Raises `RequestRefused`, which says what is missing."""
    texts = _texts(posted)
    plain: dict[str, Any] = {
        "kind": kind,
        "minutes": 5,
        "rules": [],
        "wrong": [],
        "scenario": run.before(),
        **KINDS[kind].draft(posted, run, texts),
    }
    plain = {**plain, "en": texts, "zh_hans": texts, "zh_hant": texts}
    return drawn(of_run(run), posted, plain)


def _texts(posted: PostedForm) -> dict[str, Any]:
    needed = (
        ("title", 120, authors.NO_TITLE),
        ("task", TEXT, authors.NO_TASK),
        ("explain", TEXT, authors.NO_EXPLANATION),
    )
    texts = {}
    for name, most, missing in needed:
        texts[name] = text_of(posted, name, most)
        if not texts[name]:
            raise RequestRefused(missing)
    hints = [line.strip()[:SHORT] for line in text_of(posted, "hints", TEXT).splitlines() if line.strip()]
    return {
        **texts,
        "misconception": text_of(posted, "misconception", TEXT) or "–",
        "hints": hints[:4],
        "words": {},
        "feedback": {},
        "steps": [],
    }


PREFIX = "made-"
LETTERS = 12
MOST_OF_ONE = 100
MOST_BYTES = 64 * 1024
FORMAT = "waterline-exercise-1"


def keep(author: Any, plain: dict[str, Any]) -> Made:
    """Store the content of an exercise that the engine has checked. A row never changes. Raises `RequestRefused`."""
    if Made.objects.filter(author=author).count() >= MOST_OF_ONE:
        raise RequestRefused(authors.TOO_MANY_MADE, most=MOST_OF_ONE)
    proved(plain)
    slug = PREFIX + kept_runs.new_id(LETTERS)
    return Made.objects.create(slug=slug, author=author, content=plain, created=timezone.now())


@lru_cache(maxsize=500)
def _kept(slug: str) -> dict[str, Any] | None:
    found = Made.objects.filter(slug=slug).values_list("content", flat=True).first()
    if found is None:
        return None
    plain: dict[str, Any] = found
    return {**plain, "slug": slug, "unit": MADE}


def content_of(slug: str) -> dict[str, Any] | None:
    """Return the content of a made exercise; None where there is none. Rows never change, so it is read once."""
    if not slug.startswith(PREFIX):
        return None
    found = _kept(slug)
    if found is None:
        _kept.cache_clear()  # it may be made any time
    return found


def delete_made(author: Any, slug: str) -> None:
    """Delete an exercise of this author; whoever works on it loses the page, not the answers."""
    Made.objects.filter(author=author, slug=slug).delete()
    forget()


def forget() -> None:
    _kept.cache_clear()
    catalog.forget_made()


def as_file(made: Made) -> str:
    return json.dumps({"format": FORMAT, "exercise": made.content}, ensure_ascii=False, indent=1)


def of_file(text: str) -> dict[str, Any]:
    """Return the content of a file, not proved yet, or raise `RequestRefused`."""
    if len(text.encode()) > MOST_BYTES:
        raise RequestRefused(authors.NO_EXERCISE, problem=f"> {MOST_BYTES} B")
    try:
        found = json.loads(given_text(text))
    except (ValueError, RecursionError):
        raise RequestRefused(authors.NO_EXERCISE, problem=authors.NO_JSON) from None
    content = found.get("exercise") if isinstance(found, dict) and found.get("format") == FORMAT else None
    if not isinstance(content, dict):
        raise RequestRefused(authors.NO_EXERCISE, problem=FORMAT)
    return {name: value for name, value in content.items() if name not in {"slug", "unit"}}


@form_page
@rate_limited_reading
@login_required
def build(request: HttpRequest, session_id: str) -> HttpResponse:
    """Ask about a moment of one's own session: fill in, let the engine evaluate, keep."""
    session = kept_runs.session_by_id(session_id)
    if session is None or not kept_runs.owns(request.session, session_id):
        raise PageGone(
            _("There is no such session of yours"), PageMessage(_("Open one in the playground first."))
        )
    filled = request.POST if request.method == "POST" else request.GET
    kind = filled.get("kind", "")
    kind = kind if kind in KINDS else next(iter(KINDS))
    at_us, end_us = (typed_number(filled.get(name, ""), 12) for name in ("at", "end"))
    problem, right, run = "", "", None
    try:
        run = authors.of_session(session.scenario, learners.log_of(session), at_us, end_us)
        if request.method == "POST":
            with work_places.for_request(request):
                plain = content(kind, request.POST, run)
                if "keep" in request.POST:
                    kept = keep(request.user, plain)
                    return redirect("exercise", "made", kept.slug)
                proved(plain)
            right = _("The engine has checked it: it can be solved, and is not solved by doing nothing.")
    except RequestRefused as refused:
        problem = str(refused.message)
    except TimeoutError:
        problem = _("The session is busy. Pause it, and try again.")
    context = {
        "session_id": session_id,
        "kind": kind,
        "problem": problem,
        "right": right,
        "run": run,
        **({} if run is None else offers(kind, run)),
        "kinds": [(name, each.author_label) for name, each in KINDS.items()],
        "values": {name: value for name, value in filled.items() if name != "csrfmiddlewaretoken"},
    }
    status = 422 if problem and request.method == "POST" else 200
    return render(request, "exercises/build.html", context, status=status)


@job(RUN)
def offers(kind: str, run: authors.AuthoredRun) -> dict[str, Any]:
    return {
        "moments": [
            (each["at_us"] - 1, authors.command_line(each)) for each in run.commands if each["at_us"] > 0
        ],
        "at_s": run.at_us / 1e6,
        "observables": [
            (name, each.label, each.compared) for name, each in authors.observables_of(run).items()
        ],
        "ops": authors.OPS,
        "places": schema.places_of(run.scenario).answers,
        "numbers": of_run(run),
        "fields": KINDS[kind].author_template,
        **KINDS[kind].offers(run),
    }


@require_safe
@never_cache
@login_required
def listed(request: HttpRequest) -> HttpResponse:
    return _list(request)


def _list(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    rows = [
        {
            "slug": each.slug,
            "title": filled(each.content, 0)["en"]["title"],
            "kind": each.content["kind"],
            "made": each.created,
        }
        for each in Made.objects.filter(author=request.user)
    ]
    return render(request, "exercises/made.html", {"rows": rows, "problem": problem}, status=status)


@require_POST
@rate_limited
@login_required
def bring(request: HttpRequest) -> HttpResponse:
    """Import an exercise from a file that somebody else made; the engine proves it first."""
    upload = request.FILES.get("file")
    text = upload.read(MOST_BYTES + 1).decode("utf-8", "replace") if upload else request.POST.get("text", "")
    try:
        with work_places.for_request(request):
            kept = keep(request.user, of_file(text))
    except RequestRefused as refused:
        return _list(request, str(refused.message), 422)
    return redirect("exercise", "made", kept.slug)


@require_safe
@never_cache
@rate_limited_reading
@login_required
def take(request: HttpRequest, slug: str) -> HttpResponse:
    """Download a made exercise as a file. It holds the key, so only teachers may."""
    found = Made.objects.filter(slug=slug).first()
    if found is None:
        raise PageGone(_("There is no such exercise"), PageMessage(_("Its author may have deleted it.")))
    response = HttpResponse(as_file(found), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}.json"'
    return response


@require_POST
@login_required
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    delete_made(request.user, slug)
    return redirect("made")
