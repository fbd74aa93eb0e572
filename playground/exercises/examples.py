"""Faded worked examples before exercises with several steps: all done, then all but the last, then the exercise itself.

Each step has a name, its subgoal. A file in `data/*/examples` names the exercise and has each number twice: for the
example that is done, and for the one whose last step is left. What each step brings the engine finds.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import msgspec

from playground.exercises import catalog, selectors
from playground.exercises.authors import PostedForm
from playground.exercises.grading import BadAnswer
from playground.exercises.kinds import kind_of
from playground.exercises.kinds.kind import FadedKind
from playground.exercises.schema import FadedExample, NumberedExample
from playground.exercises.variants import with_numbers


class NoExample(LookupError):
    """There is no example before this exercise."""


@cache
def _plain() -> dict[str, dict[str, Any]]:
    found = (
        catalog.with_nulls(tomllib.loads(path.read_text("utf-8")))
        for path in sorted(catalog.FOLDER.glob("*/examples/*.toml"))
    )
    return {each["exercise"]: each for each in found}


def slugs() -> frozenset[str]:
    """Return the exercises before which there is an example."""
    return frozenset(_plain())


@cache
def examples(slug: str) -> tuple[NumberedExample, NumberedExample]:
    """Return the example that is done, and the one with a step left. Raises NoExample."""
    if slug not in _plain():
        raise NoExample(slug)
    plain = _plain()[slug]
    rows = [{name: pair[at] for name, pair in plain["numbers"].items()} for at in range(2)]
    done, left = (
        NumberedExample(msgspec.convert(with_numbers(plain, row), FadedExample), catalog.numbered(slug, row))
        for row in rows
    )
    return done, left


def kind_before(slug: str) -> FadedKind:
    """Return the kind of an exercise before which there is an example. Raises NoExample."""
    kind = kind_of(catalog.exercise(slug))
    if not isinstance(kind, FadedKind):
        raise NoExample(slug)
    return kind


def context(slug: str, language: str, posted: PostedForm | None) -> dict[str, Any]:
    """Return what the page of an example needs.

    Args:
        posted: the learner's last step, if there is one.

    Raises NoExample.
    """
    _done, left = examples(slug)
    usual, kind = catalog.exercise(slug), kind_before(slug)
    texts = left.exercise.texts(language)
    done_part, left_part = _parts(slug, language)
    given = dict(posted.items()) if posted else {}
    shown: dict[str, Any] = {"verdict": None, "problem": ""}
    if posted:
        try:
            verdict = kind.example_verdict(left, posted)
            attempt = ExampleAnswer(verdict.passed, msgspec.to_builtins(verdict))
            shown["verdict"] = selectors.shown_verdict(left.exercise, texts, attempt, locked=False, told=True)
        except BadAnswer:
            shown["problem"] = kind.example_missing
    return {
        "exercise": usual,
        "title": usual.texts(language).title,
        "done": done_part,
        "left": left_part,
        "last": {"template": kind.example_template, **kind.example_page(left, language, given)},
        **shown,
    }


class ExampleAnswer(msgspec.Struct):
    """The learner's last step, as a verdict is shown."""

    passed: bool
    verdict: dict[str, Any]
    number: int = 1
    why: str = ""


@cache
def _parts(slug: str, language: str) -> list[dict[str, Any]]:
    """Return task and steps of both examples, each step with its name, its reason, and what the engine did."""
    kind, found = kind_before(slug), []
    for example in examples(slug):
        exercise, texts = example.exercise, example.faded.texts(language)
        played = kind.example_steps(example, language)
        steps = [
            {"name": name, "reason": reason, "what": what, "state": state, "rules": rules}
            for name, reason, (what, state, rules) in zip(texts.steps, texts.reasons, played, strict=True)
        ]
        found.append({"task": (texts.task or exercise.texts(language).task).split("\n\n"), "steps": steps})
    return found
