"""The app in a browser: answers questions of the page as JSON, one function for each. Exercises: the work is what the
browser remembers; grading, texts and templates are the server's. Bytes: the run is repeated on real files, in the
worker's own memory. Sweeps: the reader's own browser runs the cells.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from engine import ENGINE_VERSION
from engine.replay import RunPlayer
from playground import rules
from playground.exercises import catalog, task
from playground.exercises.authors import PostedForm
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import kind_of, never
from playground.exercises.schema import Exercise
from playground.hosting import protocol, refusals
from playground.hosting.file_records import NotThere, wanted
from playground.hosting.real_engine import door
from playground.hosting.refusals import missing_words
from playground.hosting.session_record import short_id
from playground.rules import LONGEST_QUERY, search
from playground.sessions import scenario_links
from playground.static_edition.addresses import relative
from playground.storybook import cards, ready_scenarios, rehearsal
from playground.storybook.story import localized
from playground.sweeping import asked
from playground.sweeping.asked import failure, messages_of
from playground.texts import RequestRefused
from playground.verdicts import related, words_of
from playground.whatif.context import page_context
from playground.whatif.query import read_query
from playground.whatif.shipped import ShippedHeatmap, cell_scenario, heatmaps, peak_us
from sweeps.cell import Cell, run_cell
from sweeps.document import one_cell_per_line, page
from sweeps.grid import Grid, Spec, make_spec
from sweeps.plan import make_plan, middle_first
from workloads.workload import Workload

Answer = dict[str, Any]
LONG_AGO = dt.datetime.fromtimestamp(0, dt.UTC)
"""When work was touched of which a browser kept no time."""


class BrowserWork(msgspec.Struct):
    """Somebody's work on one exercise, as `playground.exercises.models.Work` has it."""

    exercise: str
    learner_id: int = 1
    attempts: int = 0
    failures: int = 0
    wrong: bool = False
    done_at: dt.datetime | None = None
    right_first: bool = False
    variant: int = 0
    earlier: int = 0
    hints: int = 0
    solution_shown: bool = False
    steps: list[Any] = []
    locked: bool = False
    touched: dt.datetime = LONG_AGO
    right_at: dt.datetime | None = None
    reviews: int = 0
    last: dict[str, Any] | None = None
    """The verdict on the latest answer since one began."""
    why: str = ""
    """The learner's reason for it."""


class BrowserAnswered(msgspec.Struct):
    """The latest answer, as a page shows it."""

    number: int
    passed: bool
    verdict: dict[str, Any]
    why: str


def posted_form(fields: list[tuple[str, Any]]) -> PostedForm:
    posted = PostedForm()
    for name, value in fields:
        posted.appendlist(name, str(value))
    return posted


def task_page(question: Answer) -> Answer:
    """Do what was asked on the page of an exercise, and return the page's task with the run beside it."""
    work = msgspec.convert(question.get("work") or {"exercise": question["exercise"]}, BrowserWork)
    found = catalog.variant(work.exercise, work.variant)
    problem = ""
    before = task.progress(work), work.variant
    try:
        match question.get("do", "show"):
            case "answer":
                _answer(work, found, question)
            case "hint":
                work.hints = min(work.hints + 1, len(found.en.hints))
            case "solution":
                work.solution_shown = work.solution_shown or task.may_see_solution(work)
            case "why":
                work.why = task.reason(dict(question["form"]).get("why", ""))
            case "again":
                work.last = None
                found = task.begin_again(work, found)
    except RequestRefused as refused:
        problem = str(refused)
    if question.get("do", "show") != "show":
        work.touched = dt.datetime.now(dt.UTC)
    scenario, past_us = kind_of(found).stage(found, task.progress(work))
    last = BrowserAnswered(work.attempts, work.last["passed"], work.last, work.why) if work.last else None
    context = task.context(found, work, last, get_language() or "en")
    context |= {"problem": problem, "edition": True, "scenario": scenario}
    return {
        "html": render_to_string("static_edition/task.html", context),
        "work": msgspec.to_builtins(work),
        "scenario": door().check({**scenario, "title": found.en.title}),
        "past_us": past_us,
        "held": context["held"],
        "title": context["texts"].title,
        "another": question.get("do") == "again" or before != (task.progress(work), work.variant),
        "score": catalog.score(work),
    }


def standing(question: Answer) -> Answer:
    work = msgspec.convert(question["work"], BrowserWork)
    found = catalog.variant(work.exercise, work.variant)
    try:
        return kind_of(found).standing(found, _whole(work, found, None, question), never) or {}
    except (BadAnswer, TooLong):
        return {}


def example_page(question: Answer) -> Answer:
    posted = posted_form(question["form"])
    context = task.example_context(question["exercise"], get_language() or "en", posted)
    return {"html": render_to_string("exercises/_example_last.html", context)}


def units_page(question: Answer) -> Answer:
    """Return the units with the work that the browser remembers."""
    works = {name: msgspec.convert(each, BrowserWork) for name, each in question["works"].items()}
    language = get_language() or "en"
    units = catalog.unit_rows(works, language)
    rows = catalog.rows(works.values(), dt.datetime.now(dt.UTC), language)
    return {
        "html": "".join(
            render_to_string("exercises/_unit.html", {"unit": unit, "edition": True}) for unit in units
        ),
        "go_on": render_to_string("exercises/_go_on.html", {"go_on": catalog.go_on(units)}),
        "review": render_to_string("exercises/_review.html", {"review": rows, "edition": True}),
    }


def _whole(work: BrowserWork, found: Exercise, given: Any, question: dict[str, Any]) -> Any:
    log = question.get("log") or {"commands": [], "until_us": 0}
    commands = [{**command, "at_us": at_us} for at_us, command in log["commands"]]
    played = {"commands": commands, "until_us": log["until_us"]}
    return kind_of(found).whole_answer(found, given, task.progress(work), lambda *_goals: played)


def _answer(work: BrowserWork, found: Exercise, question: dict[str, Any]) -> None:
    given = kind_of(found).read(posted_form(question["form"]))
    verdict = task.graded(found, _whole(work, found, given, question))
    now = dt.datetime.now(dt.UTC)
    work.reviews = catalog.reviews_after(work, verdict.wrong, now)
    work.right_at = work.right_at if verdict.wrong else now
    work.attempts += 1
    work.failures += verdict.wrong
    work.wrong = verdict.wrong
    work.last, work.why = msgspec.to_builtins(verdict), ""
    task.move_on(work, found, verdict, given, now)


ROOT: Final = Path("/tmp/waterline-files")  # noqa: S108 - the worker's own memory, which nobody else reads
MOST_DISK_BYTES: Final = 96 * 1024 * 1024
MOST_VIRTUAL_US: Final = 24 * 3600 * 1_000_000
_made: dict[str, Any] = {}


def record(question: Answer) -> Answer:
    """Return a record of a file after that many transitions, field by field. `question`: scenario, commands, number,
    and seq or file with offset.
    """
    kind = ""
    try:
        _make(question)
        with door().read_records(str(ROOT), question["scenario"]) as records:
            if question.get("seq") is not None:
                return records.message(int(question["seq"]))
            kind, number = wanted(question.get("file", "")) or ("", 0)
            return records.record(kind, number, int(question.get("offset", 0)), whose="whose" in question)
    except NotThere as missing:
        sentence = missing_words(missing, kind)[missing.reason]
        return {"waiting" if missing.reason in ("waiting", "absent") else "error": sentence}
    except door().full:
        return {"error": missing_words(NotThere("too_long"), kind)["too_long"]}


def _make(question: dict[str, Any]) -> None:
    """Repeat the run up to the moment, unless the files of that moment are there."""
    asked = {name: question[name] for name in ("scenario", "commands", "number")}
    if _made == asked:
        return
    _made.clear()
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir(parents=True)
    node, files = door().open(question["scenario"], str(ROOT), MOST_DISK_BYTES)
    try:
        player = RunPlayer(node, [tuple(each) for each in question["commands"]])
        for piece in player.play_to(question["number"], MOST_VIRTUAL_US):
            if piece.last:
                break
    finally:
        files.close()
    if node.log.number < question["number"]:
        raise NotThere("future")
    _made.update(asked)


MOST_S: Final = 900
"""Of one processor, about: what the runs of a sweep may take, measured here."""

_own: dict[str, ShippedHeatmap] = {}


def known() -> dict[str, ShippedHeatmap]:
    """Return the heatmaps that come with the app, and those that were made or brought here."""
    return {**heatmaps(), **_own}


def plan(question: Answer) -> Answer:
    """Return a sweep as text, in which order its cells run, what is told of its workload, and about what it takes.
    Raises RequestRefused: the workload cannot be read or varied like this.
    """
    workload, remarks = asked.workload_of(question["kind"], question["text"], None)
    name = asked.new_name()
    spec, planned = asked.plan_of(workload, name, question["x"], question["y"], False, MOST_S)
    return {
        "name": name,
        "sweep": msgspec.json.encode({"workload": workload, "grid": spec.grid}).decode(),
        "order": middle_first(len(planned.cells)),
        "estimate_s": planned.estimate_s,
        "remarks": [str(each) for each in messages_of(remarks)],
    }


@lru_cache(maxsize=1)
def _planned(sweep: str) -> tuple[Spec, tuple[Cell, ...]]:
    read = json.loads(sweep)
    spec = make_spec((msgspec.convert(read["workload"], Workload),), msgspec.convert(read["grid"], Grid))
    return spec, make_plan(spec, ENGINE_VERSION).cells


def row(question: Answer) -> Answer:
    """Run a cell; return its row without its scenario, which the sweep has, and why it failed if it did."""
    _spec, cells = _planned(question["sweep"])
    found = run_cell(cells[question["number"]], "")
    return {"row": {**found, "scenario": ""}, "failure": failure(found["error"])}


def heatmap(question: Answer) -> Answer:
    """Make the heatmap of a sweep from the rows of its cells, in their order; return it as text."""
    spec, cells = _planned(question["sweep"])
    rows = [{**found, **cell.values} for found, cell in zip(question["rows"], cells, strict=True)]
    document = one_cell_per_line(page(spec, rows, ENGINE_VERSION)).decode()
    return {"name": bring({"document": document})["name"], "document": document}


def bring(question: Answer) -> Answer:
    found = msgspec.json.decode(question["document"], type=ShippedHeatmap)
    found = msgspec.structs.replace(found, title=_("Your own workload"))
    _own.clear()
    _own[found.name] = found
    return {"name": found.name}


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
            answer["html"], at, {short_id(entry.slug): entry.slug for entry in ready_scenarios.entries()}
        )
    return json.dumps(answer, default=str)


def refused(refusal: protocol.CommandRefused, language: str) -> str:
    """Return the sentence of a refusal of the session, in the reader's language."""
    with translation.override(language):
        return str(refusals.of(refusal))


def _link(question: Answer) -> Answer:
    entry, made_with = scenario_links.unpacked(question["packed"])
    story = localized(entry.story_json()) if entry.story_json() else None
    if story:
        story |= {"words": words_of(story), "glossary": "../glossary/index.html"}
    title = entry.title or entry.run["title"]
    return {"scenario": entry.run, "story": story, "title": title, "made_with": made_with}


def _kept(question: Answer) -> Answer:
    kept = rehearsal.repeatable(question["scenario"])
    story = question["story"]
    title = story["title"] if story else kept["title"]
    return {"scenario": kept, "story": story, "title": title, "made_with": question["made_with"]}


def _cell(question: Answer) -> Answer:
    """Return the run of a heatmap's cell, and the moment of its peak."""
    heatmap = known().get(question["heatmap"])
    run = heatmap.runs.get(question["cell"]) if heatmap else None
    if heatmap is None or run is None or run.digest is None:
        raise RequestRefused(translation.gettext("This run is not there any more"))
    entry = scenario_links.read_run(cell_scenario(heatmap, run))
    return {"scenario": entry, "story": None, "title": entry["title"], "at_us": peak_us(heatmap, run)}


def _whatif(question: Answer) -> Answer:
    every = known()
    query, notices = read_query(dict(parse_qsl(question["query"])), every)
    context = {**page_context(query, every), "notices": notices}
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
    query = dict(parse_qsl(question["query"])).get("q", "").strip()[:LONGEST_QUERY]
    context = {"query": query, "hits": search(query), "related": related(query), "count": len(rules.by_id())}
    return {"html": render_to_string("library/_found.html", context)}


def _release(question: Answer) -> Answer:
    """Return a run on another release, and what of it does not exist there."""
    taken = rehearsal.asked_for(question["release"], question["scenario"])
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
    "task": task_page,
    "units": units_page,
    "standing": standing,
    "example": example_page,
    "record": record,
    "sweep": plan,
    "sweep_row": row,
    "sweep_heatmap": heatmap,
    "sweep_kept": bring,
}
