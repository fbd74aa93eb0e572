"""What is read: ready scenarios, the subjects of the articles with their verdicts, the words explained, the rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_cookie, vary_on_headers

from engine.releases import REFERENCE, RELEASES
from playground import rules, verdicts
from playground.exercises import catalog
from playground.jobs import JobEnded
from playground.limits import session_limits, work_places
from playground.records import kept_runs
from playground.rules import LONGEST_QUERY, html, search
from playground.storybook import cards, ready_scenarios, rehearsal
from playground.storybook.cards import QUESTIONS, SUBJECTS
from playground.storybook.entry import BadScenario, EntryProblem, LibraryEntry, schema
from playground.storybook.rehearsal import shown_release
from playground.storybook.story import in_language
from playground.texts import PageMessage
from playground.typed_texts import given_text, typed_number
from playground.verdicts import ArticleMechanism, ArticleVerdict, SeenMoment, VerdictRun, related
from playground.web.access import charge, keeps, rate_limited, rate_limited_reading
from playground.web.errors import PageGone

LONGEST_SEARCH = 80


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """List the ready scenarios that match the search."""
    words = request.GET.get("q", "")[:LONGEST_SEARCH]
    subject = _number(request.GET.get("subject", ""), SUBJECTS)
    question = _number(request.GET.get("question", ""), QUESTIONS)
    loaded = _loaded()
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
        "subjects": SUBJECTS.items(),
        "questions": QUESTIONS.items(),
    }
    template = "library/_cards.html" if getattr(request, "htmx", False) else "library/page.html"
    return render(request, template, context)


def _in_order(by_slug: dict[str, Any], slugs: tuple[str, ...]) -> list[Any]:
    """Return the cards of some scenarios, those that are not loaded left out."""
    return [by_slug[slug] for slug in slugs if slug in by_slug]


def _number(text: str, known: dict[int, Any]) -> int | None:
    number = typed_number(text)
    return number if number in known else None


def _loaded() -> dict[str, str]:
    """Return the names in links of the ready scenarios, by their slugs."""
    return {kept.slug: kept.short_id for kept in kept_runs.library() if kept.slug}


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
    if kept is None:
        return BLANK
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


RELEASES_ASKED = (verdicts.ARTICLES.name, REFERENCE.name, verdicts.TODAYS.name)
"""For which each subject has a verdict, in the order of the rows."""
VERDICTS = ("true", "depends", "changed", "gone", "false")
"""In the order of the tally."""


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
    """Return the run that judges a subject's claim for the reference, by the subject's number, where one does. It
    is a run of that release, and one that says of its claim what the subject says: that it is true, or that it is
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


@require_safe
def subjects_index(request: HttpRequest) -> HttpResponse:
    """List the subjects with their verdicts, and how many have which verdict on each release."""
    loaded, found = _loaded(), evidences()
    rows = [(each, _releases(each, loaded, found)) for each in verdicts.verdicts().values()]
    tally = []
    for of_one in zip(*(releases for _each, releases in rows), strict=True):
        counts = Counter(each["verdict"] for each in of_one)
        tally.append((of_one[0]["release"], [(each, counts[each]) for each in VERDICTS if counts[each]]))
    context = {"subjects": rows, "names": RELEASES_ASKED, "tally": tally}
    return render(request, "library/subjects.html", context)


@require_safe
def subject(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one subject: claim, verdict, what the broker does, and the runs that show it."""
    each = verdicts.by_slug(slug)
    if each is None:
        raise PageGone(_("No such subject"), PageMessage(_("The list of subjects has no page of this name.")))
    loaded, language = _loaded(), get_language() or "en"
    shown = [
        entry
        for entry in ready_scenarios.entries()
        if entry.slug in loaded and each.number in entry.story.subjects
    ]
    # Those that judge this subject's claim come first.
    shown.sort(key=lambda entry: entry.story.verdict is None or entry.story.verdict.source != each.number)
    every, asked = verdicts.verdicts(), verdicts.exercised()[each.number]
    today = verdicts.todays_verdicts()[each.number]
    context = {
        "subject": each,
        "old": each.in_3_8,
        "today": today,
        "todays_id": loaded.get(today.run.scenario),
        "names": RELEASES_ASKED,
        "releases": _releases(each, loaded, evidences()),
        "cards": [cards.card(entry, loaded[entry.slug]) for entry in shown],
        "mechanisms": _mechanisms(each.number, loaded),
        "exercises": [
            (found, found.texts(language).title) for slug in asked if (found := catalog.exercises().get(slug))
        ],
        "before": every.get(each.number - 1),
        "after": every.get(each.number + 1),
    }
    return render(request, "library/subject.html", context)


def _mechanisms(number: int, loaded: dict[str, str]) -> list[tuple[ArticleMechanism, list[dict[str, Any]]]]:
    """Return the rows of a subject, each with the moments at which it is seen, by {slug: id} of the ready runs."""
    entries = {entry.slug: entry for entry in ready_scenarios.entries()}

    def moment(seen: SeenMoment) -> dict[str, Any]:
        entry = entries[seen.scenario]
        at_us = entry.run["until_us"] if seen.at_us is None else seen.at_us
        place = {"at_us": at_us, "at_s": f"{at_us / 1_000_000:g}"}
        return {"title": entry.title, "short_id": loaded[seen.scenario], **place}

    return [
        (each, [moment(seen) for seen in each.seen if seen.scenario in loaded])
        for each in verdicts.mechanisms()
        if each.subject == number
    ]


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    ordered = sorted(verdicts.glossary().values(), key=lambda each: each.term)
    terms = [(each, verdicts.verdicts()[each.subject]) for each in ordered]
    return render(request, "library/glossary.html", {"terms": terms})


@require_safe
@cache_control(private=True, max_age=600)
@vary_on_headers("Accept-Language")
@vary_on_cookie
def glossary_words(request: HttpRequest) -> HttpResponse:
    """Return the meanings of all words, for the script that shows them beside the words."""
    return JsonResponse({each.anchor: in_language(each.text) for each in verdicts.glossary().values()})


TITLES = {
    "queue": gettext_lazy("Queues, memory, alarms and credit"),
    "storage": gettext_lazy("Files: index, journal and message store"),
    "mirrors": gettext_lazy("Mirrored queues: several nodes, failover and synchronisation"),
    "queue-v2": gettext_lazy("Version 2 of classic queues, which today's broker has"),
}
"""What each document is about."""


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """List every rule by document and section, or those that a search finds."""
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    context = {
        "query": query,
        "most": LONGEST_QUERY,
        "hits": search(query) if query else None,
        "related": related(query) if query else None,
        "count": len(rules.by_id()),
        "releases": ", ".join(each.name for each in RELEASES.values()),
        "documents": [(each, TITLES[name]) for name, each in rules.documents().items()],
    }
    parts = getattr(request, "htmx", False)
    return render(request, "library/_found.html" if parts else "library/rules.html", context)


@require_safe
def rule(request: HttpRequest, rule_id: str) -> HttpResponse:
    """Show one rule, and the parts of the app that cite it."""
    found = rules.find(rule_id)
    if found is None and rule_id in rules.documents():
        return redirect("rules-document", rule_id, permanent=True)
    if found is None:
        context = {"cited": rule_id, "query": "", "most": LONGEST_QUERY}
        return render(request, "library/none.html", context, status=404)
    if rule_id != found.id:
        return redirect("rule", found.id, permanent=True)
    language = get_language() or "en"
    order = list(rules.by_id())
    place = order.index(found.id)
    document = rules.documents()[found.document]
    context = {
        "rule": found,
        "text": html(found.text, found.document, found.id),
        "section": next(each for each in document.sections if each.anchor == found.section),
        "document": document,
        "document_title": TITLES[found.document],
        "subject": verdicts.of_rule(found.id),
        "exercises": [
            (each.texts(language).title, reverse("exercise", args=[each.unit, each.slug]))
            for each in catalog.exercises().values()
            if found.id in each.rules
        ],
        "before": order[place - 1] if place else None,
        "after": order[place + 1] if place + 1 < len(order) else None,
    }
    return render(request, "library/rule.html", context)


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show a whole document of the specification, with a place for each section and rule."""
    found = rules.documents()[name]
    sections = [
        (each, html(each.text, name), [(rule, html(rule.text, name, rule.id)) for rule in each.rules])
        for each in found.sections
    ]
    context = {
        "document": found,
        "document_title": TITLES[name],
        "opening": html(found.text, name),
        "sections": sections,
    }
    return render(request, "library/document.html", context)
