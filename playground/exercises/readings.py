"""One-page readings before exercises: sentences, a small run whose numbers can be dragged, and what carries over.

A sentence about what the broker does cites rules, and where it speaks of the run it has claims: they hold at the
end of the run, with whatever numbers, and a test plays it to see. What carries over to other systems names its source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final

import msgspec

from engine.reading.conditions import Condition, ConditionWatch
from playground.exercises import catalog
from playground.exercises.grading import GradedRun
from playground.exercises.schema import Id, SchemaPart, Text, TranslatedPart
from playground.exercises.variants import DrawnVariant, with_numbers
from playground.jobs.job import RUN, job

SYSTEMS: Final = {
    "v2": "https://www.rabbitmq.com/docs/classic-queues",
    "quorum": "https://www.rabbitmq.com/docs/quorum-queues",
    "log": "https://kafka.apache.org/documentation/#design",
}
"""What a reading compares with, and where its own documentation is."""


class NoReading(LookupError):
    """There is no reading before this exercise."""


class BadNumber(ValueError):
    """A number cannot be drawn so."""


class ReadingSentence(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One sentence: the rules that it rests on, and what must hold in the run if it is true."""

    id: Id
    rules: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    claims: tuple[Condition, ...] = ()


class ReadingTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A reading in one language."""

    title: Text
    terms: dict[str, Text]
    numbers: dict[str, Text]
    sentences: dict[str, Text]
    carries: dict[str, Text]


class UnitReading(TranslatedPart[ReadingTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One page before one or several exercises.

    Args:
        exercises: before which it is read.
        numbers: those that the reader can drag, and from where to where.
        scenario: the run beside the text, with the numbers in it.
        sentences: what is claimed of the run, in order.
    """

    exercises: Annotated[tuple[Id, ...], msgspec.Meta(min_length=1)]
    numbers: Annotated[dict[str, DrawnVariant], msgspec.Meta(min_length=1, max_length=3)]
    scenario: dict[str, Any]
    sentences: tuple[ReadingSentence, ...]
    slug: str = ""


@cache
def _plain() -> dict[str, dict[str, Any]]:
    return {
        path.stem: catalog.with_nulls(tomllib.loads(path.read_text("utf-8")))
        for path in sorted(catalog.FOLDER.glob("*/readings/*.toml"))
    }


@cache
def readings() -> dict[str, UnitReading]:
    return {slug: reading(slug, {}) for slug in _plain()}


def before(exercise: str) -> UnitReading | None:
    return next((each for each in readings().values() if exercise in each.exercises), None)


def reading(slug: str, numbers: Mapping[str, int]) -> UnitReading:
    """Return a reading with these numbers; what is not given is as usual.

    Raises NoReading, and BadNumber for a number that it does not have or that is out of its range.
    """
    if slug not in _plain():
        raise NoReading(slug)
    plain = _plain()[slug]
    drawn = msgspec.convert(plain["numbers"], dict[str, DrawnVariant])
    for name, number in numbers.items():
        if name not in drawn or number not in drawn[name].choices:
            raise BadNumber(f"{name} cannot be {number}")
    chosen = {name: numbers.get(name, each.usual) for name, each in drawn.items()}
    rest = with_numbers({name: part for name, part in plain.items() if name != "numbers"}, chosen)
    return msgspec.convert({**rest, "numbers": plain["numbers"], "slug": slug}, UnitReading)


class ReadingRun(msgspec.Struct, frozen=True):
    """The run beside a reading: transitions with their times, and which sentences hold in it."""

    at_us: list[int]
    rows: msgspec.Raw | list[Any]
    until_us: int
    holds: dict[str, bool]


@job(RUN)
def run(slug: str, numbers: tuple[tuple[str, int], ...]) -> bytes:
    """Play the run of a reading with these numbers to its end; return it as JSON, see `ReadingRun`."""
    found = reading(slug, dict(numbers))
    watches = {each.id: [ConditionWatch(claim) for claim in each.claims] for each in found.sentences}
    playback = GradedRun(found.scenario, (), [each for several in watches.values() for each in several])
    moment = playback.go(found.scenario["until_us"])
    return msgspec.json.encode(
        ReadingRun(
            at_us=[event.at_us for event in playback.events],
            rows=[event.transition for event in playback.events],
            until_us=found.scenario["until_us"],
            holds={name: all(each.holds(moment) for each in several) for name, several in watches.items()},
        )
    )
