"""Turns a teacher's form into the content of an exercise, in the format of the files."""

from __future__ import annotations

import itertools
import math
import string
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from engine.values.errors import ScenarioError
from playground.exercises import authors, catalog, limits, variants
from playground.exercises.authors import SHORT, TEXT, AuthoredRun, PostedForm, command_line, text_of
from playground.exercises.grading import BadAnswer, TooLong
from playground.exercises.kinds import KINDS, kind_of
from playground.exercises.schema import Exercise
from playground.hosting.real_engine import door
from playground.jobs.job import RUN, job
from playground.storybook.story import message_of
from playground.texts.page_message import RequestRefused

FIELDS = ("count", "value", "size_bytes")
MOST = 8
DIGITS = 7


class BuiltNumber(msgspec.Struct, frozen=True):
    """One number of a command: its name, usual value and line."""

    name: str
    usual: int
    field: str
    command: dict[str, Any]

    @property
    def line(self) -> str:
        return command_line(self.command)


def of_run(run: AuthoredRun) -> list[BuiltNumber]:
    """Return the whole numbers of a run's commands, called a, b, c in their order."""
    found = [
        (command[field], field, command)
        for command in run.commands
        for field in FIELDS
        if isinstance(command.get(field), int) and not isinstance(command[field], bool)
    ]
    return [
        BuiltNumber(name, *each) for name, each in zip(string.ascii_lowercase[:MOST], found, strict=False)
    ]


def drawn(numbers: Sequence[BuiltNumber], posted: PostedForm, plain: dict[str, Any]) -> dict[str, Any]:
    """Return the content of an exercise with its letters in the commands, and from where to where they are drawn.

    Args:
        numbers: of the run that the content was made from.
        posted: `first-a` and `last-a` for each number that may differ.
        plain: the content, which still has the commands of the run themselves.

    Raises:
        RequestRefused: the usual number is not within a range.
    """
    variants, letters = {}, dict[int, dict[str, str]]()
    for each in numbers:
        first, last = (posted.get(f"{end}-{each.name}", "").strip() for end in ("first", "last"))
        if not first and not last:
            continue
        if not (_whole(first) and _whole(last) and int(first) <= each.usual <= int(last)):
            raise RequestRefused(authors.RANGE, name=each.name, usual=each.usual)
        variants[each.name] = {"usual": each.usual, "first": int(first), "last": int(last)}
        letters.setdefault(id(each.command), {})[each.field] = f"{{{each.name}}}"

    def lettered(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [lettered(each) for each in value]
        if isinstance(value, dict):
            return {name: lettered(each) for name, each in value.items()} | letters.get(id(value), {})
        return value

    return {**lettered(plain), "variants": variants} if variants else plain


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= DIGITS


MOST_VARIANTS = 120
"""Combinations of numbers of one exercise; each is run."""
VARIANTS_S = 4 * limits.GRADING_S


@job(RUN)
def proved(plain: dict[str, Any]) -> Exercise:
    """Return the exercise with this content. Raises `RequestRefused`, which says what is wrong."""
    deadline = time.monotonic() + limits.GRADING_S
    try:
        made = catalog.read(plain)
        door().check({**made.scenario, "title": "exercise"})
        whole = made.full_scenario()
        door().check({**whole, "title": "exercise"})
        kind_of(made).prove(made, lambda: time.monotonic() > deadline)
        _prove_variants(plain)
    except (TooLong, BadAnswer):
        raise RequestRefused(authors.TOO_LONG) from None
    except (msgspec.ValidationError, ScenarioError, KeyError, TypeError, ValueError) as error:
        raise RequestRefused(authors.NO_EXERCISE, problem=message_of(error)) from None
    return made


def _prove_variants(plain: dict[str, Any]) -> None:
    drawn = variants.drawn_of(plain)
    count = math.prod(len(each.choices) for each in drawn.values())
    if count > MOST_VARIANTS:
        raise RequestRefused(authors.MOST_VARIANTS, count=count, most=MOST_VARIANTS)
    deadline = time.monotonic() + VARIANTS_S
    for chosen in itertools.product(*(each.choices for each in drawn.values())) if drawn else ():
        numbers = dict(zip(drawn, chosen, strict=True))
        try:
            made = catalog.read(variants.with_numbers(plain, numbers))
            door().check({**made.full_scenario(), "title": "exercise"})
            kind_of(made).prove(made, lambda: time.monotonic() > deadline)
        except RequestRefused as refused:
            given = ", ".join(f"{name} = {number}" for name, number in numbers.items())
            raise RequestRefused(authors.VARIANT, numbers=given, problem=str(refused.message)) from None


@job(RUN)
def content(kind: str, posted: PostedForm, run: AuthoredRun) -> dict[str, Any]:
    """Return the plain content of an exercise of a kind. Raises `RequestRefused`, which says what is missing."""
    texts = _texts(posted)
    plain: dict[str, Any] = {
        "kind": kind,
        "minutes": 5,
        "rules": [],
        "wrong": [],
        "scenario": run.before(),
        **KINDS[kind].draft(posted, run, texts),
    }
    plain = {**plain, "en": texts, "zh_hans": texts, "zh_hant": texts}
    return drawn(of_run(run), posted, plain)


def _texts(posted: PostedForm) -> dict[str, Any]:
    title, task, explain = (
        text_of(posted, "title", 120),
        text_of(posted, "task", TEXT),
        text_of(posted, "explain", TEXT),
    )
    for text, missing in (
        (title, authors.NO_TITLE),
        (task, authors.NO_TASK),
        (explain, authors.NO_EXPLANATION),
    ):
        if not text:
            raise RequestRefused(missing)
    hints = [line.strip()[:SHORT] for line in text_of(posted, "hints", TEXT).splitlines() if line.strip()]
    return {
        "title": title,
        "task": task,
        "explain": explain,
        "misconception": text_of(posted, "misconception", TEXT) or "–",
        "hints": hints[:4],
        "words": {},
        "feedback": {},
        "steps": [],
    }
