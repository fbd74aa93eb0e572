"""The library of ready scenarios: searched, filtered, opened, edited; and the schema of their files."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from playground.jobs.job import JobEnded
from playground.limits import session_limits, work_places
from playground.models import Scenario
from playground.records import kept_runs
from playground.storybook import cards, ready_scenarios, rehearsal
from playground.storybook.cards import QUESTIONS, SUBJECTS
from playground.storybook.entry import BadScenario, EntryProblem, LibraryEntry, schema
from playground.texts import PageMessage
from playground.typed_texts import given_text
from playground.web.access import charge, keeps, rate_limited, rate_limited_reading
from playground.web.errors import PageGone

LONGEST_SEARCH = 80


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """List the ready scenarios that match the search."""
    words = request.GET.get("q", "")[:LONGEST_SEARCH]
    subject = _number(request.GET.get("subject", ""), SUBJECTS)
    question = _number(request.GET.get("question", ""), QUESTIONS)
    loaded = {kept.slug: kept.short_id for kept in kept_runs.library() if kept.slug}
    release = request.GET.get("release", "")
    every = [
        cards.card(entry, loaded[entry.slug], release)
        for entry in ready_scenarios.entries()
        if entry.slug in loaded
    ]
    path = cards.path_of(request.GET.get("path", ""))
    by_slug = {each.slug: each for each in every}
    among = every if path is None else _in_order(by_slug, path.slugs)
    found = cards.found(among, words, subject, question)
    seen = set(ready_scenarios.slugs(request.session))
    context = {
        "cards": found,
        "count": len(every),
        "path": path,
        "start": _in_order(by_slug, cards.START),
        "paths": [
            (each, len(_in_order(by_slug, each.slugs)), len(seen.intersection(each.slugs)))
            for each in cards.PATHS
        ],
        "seen": seen,
        "filtered": bool(path or words or subject or question or release or request.GET.get("all")),
        "words": words,
        "subject": subject,
        "question": question,
        "release": release,
        "subjects": [(number, SUBJECTS[number]) for number in SUBJECTS],
        "questions": [(number, QUESTIONS[number]) for number in QUESTIONS],
    }
    template = "library/_cards.html" if getattr(request, "htmx", False) else "library/page.html"
    return render(request, template, context)


def _in_order(by_slug: dict[str, Any], slugs: tuple[str, ...]) -> list[Any]:
    """Return the cards of some scenarios, those that are not loaded left out."""
    return [by_slug[slug] for slug in slugs if slug in by_slug]


def _number(text: str, known: dict[int, Any]) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 4 and int(text) in known else None


@require_safe
@rate_limited_reading
def file(request: HttpRequest, slug: str) -> HttpResponse:
    entry = ready_scenarios.entry(slug)
    if entry is None:
        raise PageGone(_("No such scenario"), PageMessage(_("The library has no scenario of this name.")))
    response = HttpResponse(entry.encode(), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}.json"'
    return response


@require_safe
@cache_control(public=True, max_age=3600)
def schema_file(request: HttpRequest) -> HttpResponse:
    """Return the JSON Schema of the scenario file, for editors anywhere."""
    response = JsonResponse(schema(), json_dumps_params={"indent": 1})
    response["Content-Type"] = "application/schema+json"
    response["Access-Control-Allow-Origin"] = "*"
    return response


BLANK = """{
  "version": 1,
  "title": "",
  "question": "",
  "profile": "classroom",
  "workload": [
    {"name": "w", "start": 1, "time": 5, "rate": 20, "size": 6000, "producers": 1}
  ],
  "commands": [
    {"at_us": 8000000, "do": "set_consumer", "name": "c1", "rate_per_s": 30, "prefetch": 10}
  ],
  "until_us": 15000000,
  "annotations": [
    {"at_us": 4000000, "text": "Look at delta."}
  ]
}
"""


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest) -> HttpResponse:
    """Show a scenario's text; take a written one and play it."""
    if request.method == "POST":
        return _play(request)
    return _shown(request)


@rate_limited
def _shown(request: HttpRequest) -> HttpResponse:
    return _page(request, _text_of(request.GET.get("from", "")))


def _text_of(name: str) -> str:
    """Return the text of a ready scenario or of a kept run, or an example to begin with."""
    entry = ready_scenarios.entry(name) if name else None
    if entry:
        return entry.encode()
    kept = kept_runs.scenario_by_name(name[:80]) if name else None
    return _text_of_kept(kept) if kept else BLANK


def _text_of_kept(kept: Scenario) -> str:
    try:
        return rehearsal.read_kept({**kept_runs.scenario_body(kept), **(kept.story or {})}).encode()
    except (BadScenario, JobEnded):
        return BLANK


def _page(request: HttpRequest, text: str, problems: list[EntryProblem] | None = None) -> HttpResponse:
    context = {
        "text": text,
        "most": session_limits.current().scenario_bytes,
        "problems": problems,
        "checked": problems is not None,
    }
    return render(request, "library/edit.html", context, status=422 if problems else 200)


def _checked(request: HttpRequest, text: str) -> tuple[LibraryEntry | None, list[EntryProblem]]:
    most = session_limits.current().scenario_bytes
    size_bytes = len(text.encode("utf-8", "replace"))
    if size_bytes > most:
        message = PageMessage(_("The scenario has more than %(most)s bytes.") % {"most": most})
        return None, [EntryProblem("$", message)]
    try:
        with work_places.for_text(request, size_bytes):
            return rehearsal.read_file(text), []
    except BadScenario as bad:
        return None, bad.problems
    except JobEnded as ended:
        return None, [EntryProblem("$", ended.message)]


@require_POST
@rate_limited_reading
def check(request: HttpRequest) -> HttpResponse:
    entry, problems = _checked(request, given_text(request.POST.get("text", "")))
    commands = len(entry.run["commands"]) if entry else 0
    return render(
        request, "library/_problems.html", {"problems": problems, "commands": commands, "checked": True}
    )


@keeps
def _play(request: HttpRequest) -> HttpResponse:
    text = given_text(request.POST.get("text", ""))
    entry, problems = _checked(request, text)
    if entry is None:
        return _page(request, text, problems)
    kept = kept_runs.keep_scenario({**entry.run, "digest": None}, story=entry.story_json())
    charge(request, entry.run)
    session = kept_runs.replay_session(kept)
    kept_runs.claim(request.session, session)
    return redirect("session", session.public_id)
