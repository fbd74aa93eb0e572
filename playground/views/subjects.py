"""The subjects of the articles with their verdicts, and the words explained."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_cookie, vary_on_headers

from engine.releases import REFERENCE
from playground import verdicts
from playground.exercises import catalog
from playground.records import kept_runs
from playground.storybook import cards, ready_scenarios
from playground.storybook.cards import SUBJECTS
from playground.storybook.other_release import shown_release
from playground.storybook.story import in_language
from playground.texts import PageMessage
from playground.verdicts import ArticleVerdict, VerdictRun
from playground.web.errors import PageGone

RELEASES_ASKED = (verdicts.ARTICLES.name, REFERENCE.name, verdicts.TODAYS.name)
"""For which each subject has a verdict, in the order of the rows."""
VERDICTS = ("true", "depends", "changed", "gone", "false")
"""In the order of the tally."""


def _verdict_row(each: ArticleVerdict) -> dict[str, object]:
    return {
        "number": each.number,
        "slug": each.slug,
        "title": SUBJECTS[each.number],
        "verdict": each.verdict,
        "rules": each.rules,
        "claim": in_language(each.claim),
        "finding": in_language(each.finding),
    }


def _releases(
    each: ArticleVerdict, loaded: dict[str, str], evidences: dict[int, VerdictRun]
) -> list[dict[str, object]]:
    """Return the verdict of three releases, each with the address of the run that shows it; for 3.10 by `evidences`."""
    today = verdicts.todays_verdicts()[each.number]
    old = each.in_3_8.run
    rows: list[dict[str, object]] = [
        {
            "release": verdicts.ARTICLES.series,
            "verdict": each.in_3_8.verdict,
            "address": verdicts.articles_address(old, get_language() or ""),
        }
    ]
    for release, verdict, run in (
        (REFERENCE, each.verdict, evidences.get(each.number, old)),
        (verdicts.TODAYS, today.verdict, today.run),
    ):
        short_id = loaded.get(run.scenario)
        address = short_id and verdicts.todays_address(run.scenario, run.at_us, short_id, release.series)
        rows.append({"release": release.series, "verdict": verdict, "address": address})
    return rows


def evidences() -> dict[int, VerdictRun]:
    """Return the run that judges a subject's claim for the reference, by the subject's number, where one does.

    It is a run of that release, and one that says of its claim what the subject says: that it is true, or that it is
    not quite so.
    """
    found: dict[int, VerdictRun] = {}
    for entry in ready_scenarios.entries():
        story = entry.story.verdict
        if story is None or story.source is None or shown_release(entry.run).series != REFERENCE.series:
            continue
        if (story.verdict == "true") == (verdicts.verdicts()[story.source].verdict == "true"):
            found.setdefault(story.source, VerdictRun(entry.slug, story.evidence_at_us))
    return found


def _todays_broker(each: ArticleVerdict, loaded: dict[str, str], address: object) -> dict[str, object]:
    today = verdicts.todays_verdicts()[each.number]
    return {
        "verdict": today.verdict,
        "finding": in_language(today.finding),
        "rules": today.rules,
        "release": verdicts.TODAYS.name,
        "address": address,
        "short_id": loaded.get(today.run.scenario),
        "at_us": today.run.at_us,
    }


def _articles_broker(each: ArticleVerdict) -> dict[str, object]:
    old = each.in_3_8
    return {
        "verdict": old.verdict,
        "finding": in_language(old.finding),
        "rules": old.rules,
        "release": verdicts.ARTICLES.name,
        "address": verdicts.articles_address(old.run, get_language() or ""),
    }


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    loaded = {kept.slug: kept.short_id for kept in kept_runs.library() if kept.slug}
    found = evidences()
    rows = [
        {**_verdict_row(each), "releases": _releases(each, loaded, found)}
        for each in verdicts.verdicts().values()
    ]
    context = {"subjects": rows, "names": RELEASES_ASKED, "tally": _tally(rows)}
    return render(request, "subjects/index.html", context)


def _tally(rows: list[dict[str, Any]]) -> list[dict[str, object]]:
    """Return how many subjects have which verdict on each release, by the rows of the page."""
    answers = list(zip(*(each["releases"] for each in rows), strict=True))
    return [
        {
            "release": of_one[0]["release"],
            "counts": [
                {"verdict": verdict, "count": count}
                for verdict in VERDICTS
                if (count := sum(each["verdict"] == verdict for each in of_one))
            ],
        }
        for of_one in answers
    ]


@require_safe
def subject(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one subject: claim, verdict, what the broker does, and the runs that show it."""
    each = verdicts.by_slug(slug)
    if each is None:
        raise PageGone(_("No such subject"), PageMessage(_("The list of subjects has no page of this name.")))
    loaded = {kept.slug: kept.short_id for kept in kept_runs.library() if kept.slug}
    shown = [
        entry
        for entry in ready_scenarios.entries()
        if entry.slug in loaded and each.number in entry.story.subjects
    ]
    # Those that judge this subject's claim come first.
    shown.sort(key=lambda entry: entry.story.verdict is None or entry.story.verdict.source != each.number)
    runs = [cards.card(entry, loaded[entry.slug]) for entry in shown]
    every = verdicts.verdicts()
    releases = _releases(each, loaded, evidences())
    context = {
        "subject": _verdict_row(each),
        "old": _articles_broker(each),
        "today": _todays_broker(each, loaded, releases[-1]["address"]),
        "releases": releases,
        "cards": runs,
        "mechanisms": _mechanisms(each.number, loaded),
        "exercises": _exercises(each.number),
        "before": _verdict_row(every[each.number - 1]) if each.number - 1 in every else None,
        "after": _verdict_row(every[each.number + 1]) if each.number + 1 in every else None,
    }
    return render(request, "subjects/subject.html", context)


def _exercises(number: int) -> list[dict[str, str]]:
    every = catalog.exercises()
    language = get_language() or "en"
    return [
        {"unit": every[slug].unit, "slug": slug, "title": every[slug].texts(language).title}
        for slug in verdicts.exercised()[number]
        if slug in every
    ]


def _mechanisms(number: int, loaded: dict[str, str]) -> list[dict[str, object]]:
    """Return the rows of a subject, each with the moments at which it is seen, by {slug: id} of the ready runs."""
    entries = {entry.slug: entry for entry in ready_scenarios.entries()}
    rows: list[dict[str, object]] = []
    for each in verdicts.mechanisms():
        if each.subject == number:
            moments = [
                {
                    "title": entries[seen.scenario].title,
                    "short_id": loaded[seen.scenario],
                    "at_us": at_us,
                    "at_s": f"{at_us / 1_000_000:g}",
                }
                for seen in each.seen
                if seen.scenario in loaded
                for at_us in [entries[seen.scenario].run["until_us"] if seen.at_us is None else seen.at_us]
            ]
            rows.append({"claim": in_language(each.claim), "verdict": each.verdict, "moments": moments})
    return rows


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    every = verdicts.verdicts()
    terms = [
        {
            "term": each.term,
            "anchor": each.anchor,
            "also": each.also,
            "text": in_language(each.text),
            "subject": _verdict_row(every[each.subject]),
        }
        for each in sorted(verdicts.glossary().values(), key=lambda each: each.term)
    ]
    return render(request, "subjects/glossary.html", {"terms": terms})


@require_safe
@cache_control(private=True, max_age=600)
@vary_on_headers("Accept-Language")
@vary_on_cookie
def glossary_words(request: HttpRequest) -> HttpResponse:
    """Return the meanings of all words, for the script that shows them beside the words."""
    return JsonResponse({each.anchor: in_language(each.text) for each in verdicts.glossary().values()})
