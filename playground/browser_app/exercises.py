"""Exercises in the browser: the work is what the browser remembers; grading, texts and templates are the server's."""

from __future__ import annotations

import datetime as dt
from collections.abc import ItemsView
from typing import Any

import msgspec
from django.template.loader import render_to_string
from django.utils.translation import get_language

from playground.exercises import catalog, selectors, task
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import kind_of, never
from playground.exercises.schema import Exercise
from playground.hosting.real_engine import door
from playground.texts import RequestRefused

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


class BrowserForm(dict[str, list[str]]):
    """A form as a browser sends it."""

    def get(self, name: str, otherwise: Any = "") -> Any:
        """Return the last value of a field."""
        return self[name][-1] if self.get_all(name) else otherwise

    def get_all(self, name: str) -> list[str]:
        """Return all values of a field."""
        return dict.get(self, name, [])

    getlist = get_all

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]  # as Django's QueryDict
        """Return the last value of each field."""
        return {name: values[-1] for name, values in dict.items(self)}.items()


def task_page(question: dict[str, Any]) -> dict[str, Any]:
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
                found = _again(work, found)
    except RequestRefused as refused:
        problem = str(refused)
    if question.get("do", "show") != "show":
        work.touched = dt.datetime.now(dt.UTC)
    scenario, past_us = kind_of(found).stage(found, task.progress(work))
    context = task.context(found, work, _last(work), get_language() or "en")
    context |= {"problem": problem, "edition": True, "scenario": scenario}
    return {
        "html": render_to_string("static_edition/task.html", context),
        "work": msgspec.to_builtins(work),
        "scenario": door().check({**scenario, "title": found.en.title}),
        "past_us": past_us,
        "held": context["held"],
        "title": context["texts"].title,
        "another": question.get("do") == "again" or before != (task.progress(work), work.variant),
        "score": selectors.score(work),
    }


def standing(question: dict[str, Any]) -> dict[str, Any]:
    """Return how the answer stands that is being made in the session."""
    work = msgspec.convert(question["work"], BrowserWork)
    found = catalog.variant(work.exercise, work.variant)
    try:
        return kind_of(found).standing(found, _whole(work, found, None, question), never) or {}
    except (BadAnswer, TooLong):
        return {}


def example_page(question: dict[str, Any]) -> dict[str, Any]:
    """Return the last step of a worked example, judged."""
    context = task.example_context(question["exercise"], get_language() or "en", _posted(question["form"]))
    return {"html": render_to_string("exercises/_example_last.html", context)}


def units_page(question: dict[str, Any]) -> dict[str, Any]:
    """Return the units with the work that the browser remembers."""
    works = {name: msgspec.convert(each, BrowserWork) for name, each in question["works"].items()}
    language = get_language() or "en"
    units = [
        selectors.unit_row(unit, str(number), catalog.of_unit(unit.slug), works, language)
        for number, unit in enumerate(catalog.units(), 1)
    ]
    rows = selectors.rows(works.values(), dt.datetime.now(dt.UTC), language)
    return {
        "html": "".join(
            render_to_string("exercises/_unit.html", {"unit": unit, "edition": True}) for unit in units
        ),
        "go_on": render_to_string("exercises/_go_on.html", {"go_on": selectors.go_on(units)}),
        "review": render_to_string("exercises/_review.html", {"review": rows, "edition": True}),
    }


def _last(work: BrowserWork) -> BrowserAnswered | None:
    return BrowserAnswered(work.attempts, work.last["passed"], work.last, work.why) if work.last else None


def _whole(work: BrowserWork, found: Exercise, given: Any, question: dict[str, Any]) -> Any:
    log = question.get("log") or {"commands": [], "until_us": 0}
    commands = [{**command, "at_us": at_us} for at_us, command in log["commands"]]
    played = {"commands": commands, "until_us": log["until_us"]}
    return kind_of(found).whole_answer(found, given, task.progress(work), lambda *_goals: played)


def _posted(fields: list[Any]) -> BrowserForm:
    posted = BrowserForm()
    for name, value in fields:
        posted.setdefault(name, []).append(str(value))
    return posted


def _answer(work: BrowserWork, found: Exercise, question: dict[str, Any]) -> None:
    given = kind_of(found).read(_posted(question["form"]))
    verdict = task.graded(found, _whole(work, found, given, question))
    now = dt.datetime.now(dt.UTC)
    work.reviews = selectors.reviews_after(work, verdict.wrong, now)
    work.right_at = work.right_at if verdict.wrong else now
    work.attempts += 1
    work.failures += verdict.wrong
    work.wrong = verdict.wrong
    work.last, work.why = msgspec.to_builtins(verdict), ""
    task.move_on(work, found, verdict, given, now)


def _again(work: BrowserWork, found: Exercise) -> Exercise:
    work.last = None
    return task.begin_again(work, found)
