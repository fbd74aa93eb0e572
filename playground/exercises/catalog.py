"""The exercises and units, read once from the data files beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from playground.exercises.kinds import KINDS
from playground.exercises.schema import MADE, Exercise, Id, LessonUnit, UnitTexts
from playground.exercises.variants import drawn_of, filled, with_numbers

FOLDER = Path(__file__).resolve().parent / "data"


class NoExercise(LookupError):
    """An exercise or unit does not exist."""


def with_nulls(value: Any) -> Any:
    """Return data in which a setting's value "none" is None, which TOML cannot write."""
    if isinstance(value, list):
        return [with_nulls(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: None if name == "value" and each == "none" else with_nulls(each) for name, each in value.items()
    }


def _number(unit: Path) -> int:
    return int(unit.parent.name.partition("-")[0])


@cache
def units() -> tuple[LessonUnit, ...]:
    """Return the units in the order in which they are taught."""
    return tuple(
        msgspec.convert(tomllib.loads(path.read_text("utf-8")), LessonUnit)
        for path in sorted(FOLDER.glob("*/unit.toml"), key=_number)
    )


@cache
def exercises() -> dict[str, Exercise]:
    """Return every exercise by its slug, in the order of the units."""
    return {slug: read(plain) for slug, plain in _plain().items()}


@cache
def _plain() -> dict[str, dict[str, Any]]:
    found = {}
    for unit in units():
        for slug in unit.exercises:
            path = next(FOLDER.glob(f"*/{slug}.toml"))
            found[slug] = {
                **with_nulls(tomllib.loads(path.read_text("utf-8"))),
                "slug": slug,
                "unit": unit.slug,
            }
    return found


Source = Callable[[str], dict[str, Any] | None]
_sources: list[Source] = []


def register(source: Source) -> None:
    """Ask this for the content of exercises that are in no file."""
    if source not in _sources:
        _sources.append(source)


@lru_cache(maxsize=500)
def _made(slug: str) -> Exercise:
    return read(_made_plain(slug))


def _made_plain(slug: str) -> dict[str, Any]:
    for source in _sources:
        plain = source(slug)
        if plain is not None:
            return plain
    raise NoExercise(slug)


def forget_made() -> None:
    _made.cache_clear()
    variant.cache_clear()


def find(slug: str) -> Exercise | None:
    """Return an exercise, of a file or made by a teacher; None if there is none."""
    try:
        return exercise(slug)
    except NoExercise:
        return None


@lru_cache(maxsize=500)
def variant(slug: str, seed: int) -> Exercise:
    """Return an exercise in the case and with the numbers that a seed draws; 0 is as usual."""
    usual = exercise(slug)
    if not seed or not (usual.variants or usual.cases):
        return usual
    return read(_plain().get(slug) or _made_plain(slug), seed)


def numbered(slug: str, numbers: dict[str, int]) -> Exercise:
    """Return the file's own case of an exercise with these numbers; what is not given is as usual."""
    plain = {name: part for name, part in _plain()[slug].items() if name != "cases"}
    usual = {name: each.usual for name, each in drawn_of(plain).items()}
    return read(with_numbers(plain, {**usual, **numbers}))


def read(plain: dict[str, Any], seed: int = 0) -> Exercise:
    """Return the exercise that a file holds; its kind reads the table that has the kind's name.

    Raises msgspec.ValidationError if it is not an exercise.
    """
    plain = filled(plain, seed)
    kind = KINDS.get(plain.get("kind", ""))
    if kind is None:
        raise msgspec.ValidationError(f"no kind is called {plain.get('kind')!r}; known: {', '.join(KINDS)}")
    common = {name: value for name, value in plain.items() if name != kind.name}
    form = msgspec.convert(plain.get(kind.name, {}), kind.form)
    return msgspec.structs.replace(msgspec.convert(common, Exercise), form=form)


def exercise(slug: str) -> Exercise:
    """Return an exercise, or raise `NoExercise`."""
    return exercises().get(slug) or _made(slug)


def unit(slug: str) -> LessonUnit:
    """Return a unit, or raise `NoExercise`."""
    for each in (*units(), made_unit()):
        if each.slug == slug:
            return each
    raise NoExercise(slug)


@cache
def made_unit() -> LessonUnit:
    """Return the unit to which made exercises belong; it lists none, for each is found by its own address."""

    def texts(title: str, goal: str) -> UnitTexts:
        return UnitTexts(title=title, goal=goal, before=goal, timing=(goal,), discussion=(goal,))

    return LessonUnit(
        slug=MADE,
        exercises=(),
        en=texts("Made by teachers", "Exercises that a teacher made from a session."),
        zh_hans=texts("教师自制", "教师用自己的会话制作的练习。"),
        zh_hant=texts("教師自製", "教師用自己的工作階段製作的練習。"),
    )


def of_unit(slug: str) -> list[Exercise]:
    """Return the exercises of a unit, in order."""
    return [exercise(each) for each in unit(slug).exercises]


def next_after(slug: str) -> Exercise | None:
    """Return the exercise after this one, across units."""
    slugs = list(exercises())
    if slug not in slugs:
        return None
    at = slugs.index(slug) + 1
    return exercises()[slugs[at]] if at < len(slugs) else None


@cache
def stated() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, by the name of a misconception, the feedback that shows it in each exercise or case."""
    text = (FOLDER / "misconceptions.toml").read_text("utf-8")
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
    return exercise(name).texts(language).misconception


def asked_by(slug: str) -> list[str]:
    """Return the misconceptions that wrong answers to an exercise may show."""
    return [
        name for name, places in stated().items() if slug in {place.partition("/")[0] for place in places}
    ]


Form = Literal["before", "after"]
FORMS: Final[tuple[Form, ...]] = ("before", "after")


class InventoryItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The item of a subject.

    Args:
        subject: its number.
        exercise: the name of the exercise that asks about it.
        other: the case of one of the forms, the other has the file's own; None where the forms differ in numbers.
    """

    subject: int
    exercise: Id
    other: Id | None = None

    def seed(self, form: Form) -> int:
        """Return the seed of the variant that a form asks: with other numbers than the exercise, and the other form."""
        cases = exercise(self.exercise).cases
        has_own = (self.subject % 2 == 1) == (form == "before")
        case = 0 if has_own or self.other is None else cases.index(self.other) + 1
        return (1 + FORMS.index(form)) * (len(cases) + 1) + case


@cache
def items() -> tuple[InventoryItem, ...]:
    plain = tomllib.loads((FOLDER / "inventory.toml").read_text("utf-8"))
    return msgspec.convert(plain["items"], tuple[InventoryItem, ...])
