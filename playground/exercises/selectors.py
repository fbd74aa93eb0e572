"""Reads: what a page shows of units, exercises and somebody's work."""

from __future__ import annotations

from typing import Any

import msgspec

from playground.exercises import catalog, words
from playground.exercises.grading import broker, solution_of
from playground.exercises.models import Attempt, Learner, Work
from playground.exercises.schema import Exercise, Texts


def works_of(learner: Learner | None) -> dict[str, Work]:
    """Return somebody's work by exercise."""
    return {work.exercise: work for work in learner.works.all()} if learner else {}


def work_on(learner: Learner | None, slug: str) -> Work | None:
    """Return somebody's work on one exercise, with its session."""
    if learner is None:
        return None
    return learner.works.select_related("session", "learner").filter(exercise=slug).first()


def state_of(work: Work | None) -> str:
    """Return begun, done or nothing: a class adds "stuck"."""
    if work is None:
        return "none"
    return "done" if work.done_at else "working"


def units(learner: Learner | None, language: str) -> list[dict[str, Any]]:
    """Return the units with their exercises and the learner's progress."""
    works = works_of(learner)
    found = []
    for number, unit in enumerate(catalog.units(), 1):
        rows = []
        for place, exercise in enumerate(catalog.of_unit(unit.slug), 1):
            work = works.get(exercise.slug)
            rows.append(
                {
                    "slug": exercise.slug,
                    "number": f"{number}.{place}",
                    "title": exercise.texts(language).title,
                    "kind": words.kind(exercise),
                    "minutes": exercise.minutes,
                    "state": state_of(work),
                    "attempts": work.attempts if work else 0,
                }
            )
        done = sum(row["state"] == "done" for row in rows)
        texts = unit.texts(language)
        found.append(
            {
                "slug": unit.slug,
                "number": number,
                "title": texts.title,
                "goal": texts.goal,
                "exercises": rows,
                "done": done,
                "minutes": sum(row["minutes"] for row in rows),
            }
        )
    return found


def last_attempt(work: Work | None) -> Attempt | None:
    """Return the latest answer."""
    return work.answers.order_by("-number").first() if work else None


def shown_verdict(exercise: Exercise, texts: Texts, attempt: Attempt) -> dict[str, Any]:
    """Return an attempt in words: what was predicted beside what happened."""
    verdict = attempt.verdict
    lines = [
        {
            "about": words.about(exercise, texts, line["about"]),
            "yours": words.said(exercise, texts, line["yours"]),
            "engine": words.said(exercise, texts, line["engine"]),
            "right": line["right"],
        }
        for line in verdict["lines"]
    ]
    if exercise.kind == "broker":
        lines = lines[:1]  # the first difference is enough to think about; the rest is for the next try
    return {
        "passed": attempt.passed,
        "number": attempt.number,
        "feedback": [words.feedback(texts, name) for name in verdict["feedback"]],
        "lines": lines,
        "step": verdict["step"],
        "moves": shown_moves(verdict["moves"])
        if exercise.kind == "broker" and not verdict["feedback"]
        else [],
    }


def shown_moves(moves: list[Any]) -> list[dict[str, Any]]:
    """Return what the engine moved, in words."""
    return [
        {
            "rule": rule,
            "kind": kind,
            "source": words.place(source),
            "to": words.place(to),
            "first": first,
            "last": last,
        }
        for rule, kind, source, to, first, last in moves
    ]


def shown_solution(exercise: Exercise, language: str) -> list[str]:
    """Return the solution in words, computed from the engine's run."""
    texts, solution = exercise.texts(language), solution_of(exercise)
    if exercise.kind == "reach":
        commands = solution["commands"]
        return [command_line(command) for command in commands]
    if exercise.kind == "broker":
        return [
            f"{texts.steps[number]} → "
            + "; ".join(
                f"{place}: {', '.join(members)}"
                for place in broker.PLACES
                if (members := [seq for seq, at in stage.items() if at == place])
            )
            for number, stage in enumerate(solution)
        ]
    if isinstance(solution, list):
        return [texts.words[name] for name in solution]
    return [texts.words.get(str(solution), str(solution))]


def command_line(command: dict[str, Any]) -> str:
    """Return a command as one line: when, what, with which values."""
    values = ", ".join(f"{name}={value}" for name, value in command.items() if name not in {"at_us", "do"})
    return f"{command['at_us'] / 1_000_000:g} s  {command['do']} {values}".strip()


def board(exercise: Exercise, work: Work) -> dict[str, Any] | None:
    """Return the step of a "be the broker" that is to be done: its text, and where the messages stand."""
    if exercise.broker is None or len(work.steps) >= len(exercise.broker.steps):
        return None
    stage = broker.stages(exercise)[len(work.steps)]
    return {
        "number": len(work.steps),
        "placed": msgspec.to_builtins(stage.before),
        "places": list(broker.PLACES),
    }
