"""Which misconception a wrong answer shows: data beside the exercises, of which each tells its own in a sentence."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache

import msgspec

from playground.exercises import catalog
from playground.exercises.schema import Exercise


@cache
def stated() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, by the name of a misconception, the feedback that shows it in each exercise or case."""
    text = (catalog.FOLDER / "misconceptions.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, dict[str, tuple[str, ...]]])


@cache
def _shown() -> dict[tuple[str, str], str]:
    """Return the misconception of an exercise, or one case of it, and a feedback."""
    return {
        (place, feedback): name
        for name, places in stated().items()
        for place, every in places.items()
        for feedback in every
    }


def shown(exercise: Exercise, feedback: Iterable[str]) -> list[str]:
    """Return the misconceptions that the feedback of a verdict shows, in the exercise's present case."""
    places = f"{exercise.slug}/{exercise.case}", exercise.slug
    found = (
        next((_shown()[place, each] for place in places if (place, each) in _shown()), None)
        for each in feedback
    )
    return list(dict.fromkeys(each for each in found if each))


def text(name: str, language: str) -> str:
    """Return a misconception in words: the sentence of the exercise that has its name."""
    return catalog.exercise(name).texts(language).misconception


def asked_by(slug: str) -> list[str]:
    """Return the misconceptions that wrong answers to an exercise may show."""
    return [
        name for name, places in stated().items() if slug in {place.partition("/")[0] for place in places}
    ]
