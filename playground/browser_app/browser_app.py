"""The app in a browser: answers questions of the page as JSON, one function for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl

from django.template.loader import render_to_string
from django.utils import translation

from playground import rules
from playground.browser_app import exercises, file_records, own_sweeps
from playground.hosting import refusals
from playground.hosting.session import protocol
from playground.hosting.session_record import short_id
from playground.library import ready_scenarios
from playground.rules import LONGEST_QUERY, search
from playground.sessions import scenario_links
from playground.static_edition.addresses import relative
from playground.storybook import cards, other_release, rehearsal
from playground.storybook.story import localized
from playground.texts import RequestRefused
from playground.verdicts import related, words_of
from playground.whatif.context import page_context
from playground.whatif.query import read_query
from playground.whatif.shipped import cell_scenario, peak_us

Answer = dict[str, Any]


def ask(text: str) -> str:
    """Answer a question: {q, lang, at, ...}. A question that cannot be answered gets `error`, a sentence."""
    question = json.loads(text)
    with translation.override(question.get("lang", "en")):
        try:
            answer = QUESTIONS[question["q"]](question)
        except (RequestRefused, scenario_links.BadLink) as refused:
            answer = {"error": str(refused)}
    at = question.get("at", "index.html")
    if "html" in answer and at:  # on a page of a server, addresses stay as they are
        answer["html"] = relative(
            answer["html"],
            at,
            {short_id(entry.slug): entry.slug for entry in ready_scenarios.entries()},
        )
    return json.dumps(answer, default=str)


def refused(refusal: protocol.CommandRefused, language: str) -> str:
    """Return the sentence of a refusal of the session, in the reader's language."""
    with translation.override(language):
        return str(refusals.of(refusal))


def _link(question: Answer) -> Answer:
    """Return the run that a link carries."""
    entry, made_with = scenario_links.unpacked(question["packed"])
    story = localized(entry.story_json()) if entry.story_json() else None
    if story:
        story |= {"words": words_of(story), "glossary": "../glossary/index.html"}
    title = entry.title or entry.run["title"]
    return {"scenario": entry.run, "story": story, "title": title, "made_with": made_with}


def _kept(question: Answer) -> Answer:
    """Return a run that a server keeps, in the present form."""
    kept = rehearsal.repeatable(question["scenario"])
    story = question["story"]
    title = story["title"] if story else kept["title"]
    return {"scenario": kept, "story": story, "title": title, "made_with": question["made_with"]}


def _cell(question: Answer) -> Answer:
    """Return the run of a heatmap's cell, and the moment of its peak."""
    heatmap = own_sweeps.known().get(question["heatmap"])
    run = heatmap.runs.get(question["cell"]) if heatmap else None
    if heatmap is None or run is None or run.digest is None:
        raise RequestRefused(translation.gettext("This run is not there any more"))
    entry = scenario_links.read_run(cell_scenario(heatmap, run))
    return {"scenario": entry, "story": None, "title": entry["title"], "at_us": peak_us(heatmap, run)}


def _whatif(question: Answer) -> Answer:
    """Return the view of a heatmap that a query asks for."""
    known = own_sweeps.known()
    query, notices = read_query(dict(parse_qsl(question["query"])), known)
    context = {**page_context(query, known), "notices": notices}
    return {"html": render_to_string("whatif/_view.html", context)}


def _library(question: Answer) -> Answer:
    """Return the cards of the scenarios that match a search."""
    asked = dict(parse_qsl(question["query"]))
    numbers = [
        int(text) if (text := asked.get(name, "")).isdecimal() else None for name in ("subject", "question")
    ]
    release = asked.get("release", "")
    every = [cards.card(entry, short_id(entry.slug), release) for entry in ready_scenarios.entries()]
    found = cards.found(every, asked.get("q", "")[:80], *numbers)
    return {"html": render_to_string("library/_cards.html", {"cards": found, "count": len(every)})}


def _rules(question: Answer) -> Answer:
    """Return the rules that a search finds."""
    query = dict(parse_qsl(question["query"])).get("q", "").strip()[:LONGEST_QUERY]
    context = {"query": query, "hits": search(query), "related": related(query), "count": len(rules.by_id())}
    return {"html": render_to_string("rules/_found.html", context)}


def _release(question: Answer) -> Answer:
    """Return a run on another release, and what of it does not exist there."""
    taken = other_release.asked_for(question["release"], question["scenario"])
    if taken is None:
        return {"scenario": None, "said": []}
    return {
        "scenario": scenario_links.read_run(_without_empty_title(taken.scenario)),
        "said": [str(each) for each in taken.said],
    }


def _share(question: Answer) -> Answer:
    """Return a run as a link carries it; nothing where it is too long for one."""
    return {
        "packed": scenario_links.packed(scenario_links.read_run(_without_empty_title(question["scenario"])))
    }


def _without_empty_title(scenario: Answer) -> Answer:
    """Return a run as a file may hold it: a title has a character, and the one that begins empty has none."""
    return {name: value for name, value in scenario.items() if name != "title" or value}


QUESTIONS: Final[dict[str, Callable[[Answer], Answer]]] = {
    "link": _link,
    "kept": _kept,
    "cell": _cell,
    "release": _release,
    "whatif": _whatif,
    "library": _library,
    "rules": _rules,
    "share": _share,
    "task": exercises.task_page,
    "units": exercises.units_page,
    "standing": exercises.standing,
    "example": exercises.example_page,
    "record": file_records.record,
    "sweep": own_sweeps.plan,
    "sweep_row": own_sweeps.row,
    "sweep_heatmap": own_sweeps.heatmap,
    "sweep_kept": own_sweeps.bring,
}
