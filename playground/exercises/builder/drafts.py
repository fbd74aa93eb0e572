"""What a teacher filled in, as the content of an exercise: the same form as the files have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playground.exercises.builder import numbers, observables, words
from playground.exercises.builder.runs import Run
from playground.exercises.grading import Event
from playground.exercises.kinds.kind import Posted
from playground.exercises.kinds.reach import command_line
from playground.messages import Refused

KINDS = ("choice", "several", "number", "order", "reach", "broker")
OPTIONS = range(1, 7)
GOALS = range(1, 5)
SLIPS = range(2, 5)
"""Rows of wrong numbers that a known misunderstanding leads to; the first row says what is counted."""
MOST_ITEMS = 8
TEXT, SHORT = 3000, 300


def content(kind: str, posted: Posted, run: Run) -> dict[str, Any]:
    """Return the plain content of an exercise of a kind, or raise `Refused` saying what is missing."""
    texts = _texts(posted)
    plain: dict[str, Any] = {
        "kind": kind,
        "minutes": 5,
        "rules": [],
        "wrong": [],
        "scenario": run.before(),
        **TABLES[kind](posted, run, texts),
    }
    plain = {**plain, "en": texts, "zh_hans": texts, "zh_hant": texts}
    return numbers.drawn(numbers.of_run(run), posted, plain)


def _field(posted: Posted, name: str, most: int) -> str:
    return posted.get(name, "").strip()[:most]


def _texts(posted: Posted) -> dict[str, Any]:
    title, task, explain = (
        _field(posted, "title", 120),
        _field(posted, "task", TEXT),
        _field(posted, "explain", TEXT),
    )
    if not (title and task and explain):
        raise Refused(words.NO_TITLE)
    hints = [line.strip()[:SHORT] for line in _field(posted, "hints", TEXT).splitlines() if line.strip()]
    return {
        "title": title,
        "task": task,
        "explain": explain,
        "misconception": _field(posted, "misconception", TEXT) or "–",
        "hints": hints[:4],
        "words": {},
        "feedback": {},
        "steps": [],
    }


def _go_on(run: Run) -> dict[str, Any]:
    return {"commands": run.after(), "until_us": run.end_us}


def _condition(posted: Posted, name: str) -> dict[str, Any]:
    return observables.condition(
        posted.get(f"observable-{name}", ""),
        posted.get(f"op-{name}", "=="),
        posted.get(f"value-{name}", "").strip(),
        posted.get(f"message-{name}", "").strip(),
    )


def _options(posted: Posted, texts: dict[str, Any]) -> dict[str, Any]:
    options = []
    for number in OPTIONS:
        text = _field(posted, f"text-{number}", SHORT)
        if not text:
            continue
        name = f"option-{number}"
        options.append({"id": name, "when": _condition(posted, str(number))})
        texts["words"][name] = text
        feedback = _field(posted, f"feedback-{number}", SHORT)
        texts["feedback"][name] = feedback or texts["explain"]
    if not 2 <= len(options) <= len(OPTIONS):
        raise Refused(words.OPTIONS)
    return {"options": options}


def _choice(posted: Posted, run: Run, texts: dict[str, Any]) -> dict[str, Any]:
    return {"choice": _options(posted, texts), "go_on": _go_on(run)}


def _several(posted: Posted, run: Run, texts: dict[str, Any]) -> dict[str, Any]:
    return {"several": _options(posted, texts), "go_on": _go_on(run)}


def _number(posted: Posted, run: Run, texts: dict[str, Any]) -> dict[str, Any]:
    slips: list[dict[str, Any]] = []
    for row in SLIPS:
        wrong, text = _field(posted, f"value-{row}", 9), _field(posted, f"text-{row}", SHORT)
        if not wrong and not text:
            continue
        if not (wrong.isascii() and wrong.isdigit() and text):
            raise Refused(words.SLIP)
        slips.append({"id": f"slip-{row}", "measure": int(wrong)})
        texts["feedback"][f"slip-{row}"] = text
    asked = {"measure": observables.measure(posted.get("observable-1", "")), "slips": slips}
    return {"number": asked, "go_on": _go_on(run)}


def happened(events: Sequence[Event]) -> list[Event]:
    """Return the first event of each kind, in the order of the run: what can be put in order."""
    firsts: dict[str, Event] = {}
    for each in events:
        if each.transition.about.shown != "step":
            firsts.setdefault(each.kind, each)
    return list(firsts.values())


def causes(events: Sequence[Event]) -> dict[str, list[str]]:
    """Return which kinds must come before each kind.

    A later instant waits for an earlier one. Within one instant the parts of the broker (messages, memory, files,
    node) go their own ways, and only what one part does is one after the other; the author may correct it.
    """
    found: dict[str, list[str]] = {}
    for at, event in enumerate(events):
        group = event.transition.about.group
        found[event.kind] = [
            before.kind
            for before in events[:at]
            if before.at_us < event.at_us or before.transition.about.group == group
        ]
    return found


def _order(posted: Posted, run: Run, texts: dict[str, Any]) -> dict[str, Any]:
    known = {each.kind: each for each in happened(run.events())}
    chosen = [name for name in known if posted.get(f"event-{name}", "")]
    if not 2 <= len(chosen) <= MOST_ITEMS:
        raise Refused(words.EVENTS)
    derived = causes([known[name] for name in chosen])
    ids = {name: f"event-{at}" for at, name in enumerate(chosen, 1)}
    items: list[dict[str, Any]] = []
    for name in chosen:
        given = posted.getlist(f"after-{name}") if posted.get("corrected", "") else derived[name]
        after = [ids[each] for each in given if each in ids and chosen.index(each) < chosen.index(name)]
        items.append({"id": ids[name], "event": _event(known[name], run), "after": after})
        texts["words"][ids[name]] = _field(posted, f"words-{name}", SHORT) or name
    for at in (1, 2):
        text = _field(posted, f"never-{at}", SHORT)
        if text:
            items.append({"id": f"never-{at}"})
            texts["words"][f"never-{at}"] = text
            texts["feedback"][f"never-{at}"] = texts["explain"]
    return {"order": {"items": items}, "go_on": _go_on(run)}


def _event(event: Event, run: Run) -> dict[str, Any]:
    """Return how the grader finds an event again: the same kind may have happened before the learner's moment."""
    whole = Run(run.scenario, run.commands, 0, run.end_us).events()
    before = sum(other.kind == event.kind and other.number < event.number for other in whole)
    return {"kind": event.kind, "nth": before + 1}


def _reach(posted: Posted, run: Run, texts: dict[str, Any]) -> dict[str, Any]:
    goals = []
    for number in GOALS:
        if not posted.get(f"observable-{number}", ""):
            continue
        name = f"goal-{number}"
        goals.append({"id": name, "test": _condition(posted, str(number))})
        label = str(observables.OBSERVABLES[posted.get(f"observable-{number}", "")].label)
        words_ = f"{label} {posted.get(f'op-{number}', '==')} {posted.get(f'value-{number}', '')}"
        texts["words"][name] = _field(posted, f"text-{number}", SHORT) or words_
        texts["feedback"][name] = _field(posted, f"feedback-{number}", SHORT) or texts["words"][name]
    if not goals:
        raise Refused(words.GOALS)
    solution = run.after()
    if not solution:
        raise Refused(words.NOTHING_AFTER)
    verbs = sorted({each["do"] for each in solution} | set(posted.getlist("verb")))
    most = posted.get("commands", "")
    budget = int(most) if most.isascii() and most.isdigit() and len(most) < 4 else len(solution) + 2
    limits = {"commands": max(len(solution), min(budget, 60)), "verbs": verbs}
    return {
        "reach": {"goals": goals, "limits": limits, "solution": [*solution, {"until_us": run.end_us}]},
    }


def _broker(posted: Posted, run: Run, texts: dict[str, Any]) -> dict[str, Any]:
    after = run.after()
    if not after:
        raise Refused(words.NOTHING_AFTER)
    starts = sorted({each["at_us"] for each in after})[:8]
    ends = [*(at_us - 1 for at_us in starts[1:]), run.end_us]
    for number, start in enumerate(starts, 1):
        lines = "; ".join(command_line(each) for each in after if each["at_us"] == start)
        texts["steps"].append(_field(posted, f"step-{number}", SHORT) or lines)
    return {"broker": {"steps": [{"until_us": end} for end in ends]}, "go_on": _go_on(run)}


TABLES = {
    "choice": _choice,
    "several": _several,
    "number": _number,
    "order": _order,
    "reach": _reach,
    "broker": _broker,
}
