"""The library of ready scenarios: searched, filtered, opened; and the schema of their files."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from playground.library import ready_scenarios
from playground.records import selectors
from playground.storybook import cards
from playground.storybook.cards import QUESTIONS, SUBJECTS
from playground.storybook.entry import schema
from playground.texts.page_message import PageMessage
from playground.web.access import rate_limited_reading
from playground.web.errors import PageGone

LONGEST_SEARCH = 80


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """List the ready scenarios that match the search."""
    words = request.GET.get("q", "")[:LONGEST_SEARCH]
    subject = _number(request.GET.get("subject", ""), SUBJECTS)
    question = _number(request.GET.get("question", ""), QUESTIONS)
    loaded = {kept.slug: kept.short_id for kept in selectors.library() if kept.slug}
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
