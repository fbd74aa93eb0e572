"""The form of an exercise's file, and its variants: the same question about another case, with other numbers.

What is graded stands once; texts stand once for each language. A file tells one case; each table in `cases` says what
is otherwise in another: another cause, order, setting or release, and the texts that change with it. Tables are merged,
and any other value stands for the file's own.

A file's table `variants` names its numbers: `count = {usual = 6, first = 3, last = 20}`. Wherever the file has
`{count}`, in texts and in the run alike, the number stands; `{count-1}` is one less, and any sum of numbers and names
works. A text that is nothing but `{count}` becomes a number. Nothing else is evaluated. A seed draws both; 0 is the
file's own case with the usual numbers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from engine.backing_queue.message_places import PLACES, counted, listed, ready, unacked
from engine.reading.conditions import Condition
from engine.releases import PROFILES
from playground.storybook.story import WrittenWrong
from playground.texts import THIN_SPACE

SUM = re.compile(r"\{([a-z0-9_]+(?:[+-][a-z0-9_]+)*)\}")
TERM = re.compile(r"([+-]?)([a-z0-9_]+)")


class DrawnVariant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One number of an exercise: as it is usually, and from where to where it may be drawn."""

    usual: int
    first: int
    last: int
    step: int = 1

    def __post_init__(self) -> None:
        """Refuse a range that holds nothing, or not the usual number."""
        if self.step < 1 or self.usual not in self.choices:
            raise WrittenWrong("usual_not_drawn")

    @property
    def choices(self) -> range:
        return range(self.first, self.last + 1, self.step)


def filled(plain: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return a file's content in the case that a seed draws, with its numbers in place. `plain`: the file as TOML
    reads it; the names of its cases are kept. `seed`: which variant; 0 is the usual one.
    """
    if "cases" in plain:
        cases = plain["cases"]
        case = ["", *cases][case_number(seed, len(cases))]
        plain = {
            **merged({k: v for k, v in plain.items() if k != "cases"}, cases.get(case, {})),
            "case": case,
        }
        return {**_drawn(plain, seed), "cases": list(cases)}
    return _drawn(plain, seed)


def case_number(seed: int, cases: int) -> int:
    """Return which case a seed draws, 0 for the file's own: seeds one after the other draw one case after the other."""
    return seed % (cases + 1)


def another_case(seed: int, before: int, cases: int) -> int:
    """Return the first seed from this one on that draws another case than the one before, where there are cases."""
    same = cases and case_number(seed, cases) == case_number(before, cases)
    return seed + 1 if same else seed


def merged(plain: dict[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with what is otherwise in another: tables are merged, anything else is replaced."""
    found = dict(plain)
    for name, value in other.items():
        table = isinstance(value, dict) and isinstance(found.get(name), dict)
        found[name] = merged(found[name], value) if table else value
    return found


def _drawn(plain: dict[str, Any], seed: int) -> dict[str, Any]:
    drawn = drawn_of(plain)
    if not drawn:
        return plain
    return {**with_numbers(plain, numbers_of(drawn, seed)), "variants": plain["variants"]}


def numbers_of(drawn: Mapping[str, DrawnVariant], seed: int) -> dict[str, int]:
    chance = random.Random(seed)
    return {name: chance.choice(each.choices) if seed else each.usual for name, each in drawn.items()}


def drawn_of(plain: dict[str, Any]) -> dict[str, DrawnVariant]:
    """Return the numbers of a file's content that can be drawn."""
    return msgspec.convert(plain.get("variants", {}), dict[str, DrawnVariant])


def with_numbers(plain: dict[str, Any], numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return a file's content with these numbers in place; nothing is left to be drawn."""
    found: dict[str, Any] = _filled({k: v for k, v in plain.items() if k != "variants"}, numbers)
    return found


def _filled(value: Any, numbers: Mapping[str, int]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, numbers) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, numbers) for each in value]
    if not isinstance(value, str):
        return value
    whole = SUM.fullmatch(value)
    if whole:
        return _sum(whole[1], numbers)
    # thousands stand apart, as in 6 000, by a space at which no line breaks
    return SUM.sub(lambda found: f"{_sum(found[1], numbers):,}".replace(",", THIN_SPACE), value)


def _sum(text: str, numbers: Mapping[str, int]) -> int:
    total = 0
    for sign, name in TERM.findall(text):
        number = int(name) if name.isdigit() else numbers[name]
        total += -number if sign == "-" else number
    return total


USUAL_PROFILE = "classroom"


class PlaceNames(msgspec.Struct, frozen=True):
    """The places of one kind of queue, by their names. `kind`: the backing queue of a queue that asks for nothing
    special. `stage`: lanes and counted places from the tail to the head. `lanes`: those of the stage that have an
    entry for each message. `counted`: those of which RAM has only a count. `held`: those of messages that wait for
    their acknowledgement.
    """

    kind: str
    stage: tuple[str, ...]
    lanes: tuple[str, ...]
    counted: tuple[str, ...]
    held: tuple[str, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        return (*self.stage, "unacked", "gone")


@cache
def of_kind(kind: str) -> PlaceNames:
    places = PLACES[kind]
    lanes = tuple(lane for lane in ready(places) if lane in listed(places))
    return PlaceNames(kind, ready(places), lanes, counted(places), unacked(places))


def places_of(scenario: Mapping[str, Any]) -> PlaceNames:
    release = PROFILES[scenario.get("profile", USUAL_PROFILE)].release
    return of_kind(next(iter(release.queues)))


def is_known(place: str) -> bool:
    """Return whether messages of any kind of queue can be said to be there."""
    return any(place in of_kind(kind).answers for kind in PLACES)


MADE = "made"
"""The unit of exercises that teachers made."""

T = TypeVar("T")

LANGUAGES = ("en", "zh_hans", "zh_hant")
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=3000)]
Id = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,40}\Z")]


class SchemaPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Anything in the file."""


class TranslatedPart(SchemaPart, Generic[T], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What has its texts once for each language of the site."""

    en: T
    zh_hans: T
    zh_hant: T

    def texts(self, language: str) -> T:
        """Return the texts in a language of the site, English for any other."""
        return {"zh-hans": self.zh_hans, "zh-hant": self.zh_hant}.get(language.lower(), self.en)


class GoOn(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the run goes on once the prediction is locked: commands with absolute times, and the end."""

    until_us: int
    commands: tuple[dict[str, Any], ...] = ()


class WrongAnswer(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A wrong answer that the tests give, and the feedback that it must get."""

    feedback: str
    answer: Any = None
    off: int | None = None
    of: Any = None
    step: int = 0
    moves: tuple[tuple[int, str], ...] = ()


class ExerciseTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The texts in one language."""

    title: Text
    task: Text
    misconception: Text
    explain: Text
    hints: Annotated[tuple[Text, ...], msgspec.Meta(max_length=4)] = ()
    words: dict[str, Text] = {}
    feedback: dict[str, Text] = {}
    steps: tuple[Text, ...] = ()


class Exercise(TranslatedPart[ExerciseTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One exercise.

    Args:
        kind: a name of `playground.exercises.kinds.KINDS`; the file's table of that name is what the kind asks.
        scenario: what the live session begins with; its `until_us` is where the learner stands.
        go_on: how the run goes on after a prediction, and through the steps of "be the broker".
        wrong: answers that must fail; three in the catalogue, fewer only if there are no more.
        claims: conditions that the task's text speaks of; they hold where the learner stands.
        form: what the kind asks, in the kind's own form.
        variants: the numbers that a second try draws again; none where the numbers must be as they are.
        cases: the names of the other cases; empty where there is one.
        case: the one that this is; empty for the file's own.
    """

    kind: str
    minutes: Annotated[int, msgspec.Meta(ge=1, le=20)]
    rules: tuple[str, ...]
    scenario: dict[str, Any]
    go_on: GoOn | None = None
    wrong: tuple[WrongAnswer, ...] = ()
    claims: tuple[Condition, ...] = ()
    form: Any = None
    variants: dict[str, DrawnVariant] = {}
    cases: tuple[Id, ...] = ()
    case: str = ""
    slug: str = ""
    unit: str = ""

    def full_scenario(self) -> dict[str, Any]:
        """Return the scenario with everything that comes after the prediction."""
        if self.go_on is None:
            return self.scenario
        commands = [*self.scenario.get("commands", ()), *self.go_on.commands]
        return {**self.scenario, "commands": commands, "until_us": self.go_on.until_us}


class UnitTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A unit in one language: what learners read, and the notes for the teacher."""

    title: Text
    goal: Text
    before: Text
    timing: tuple[Text, ...]
    discussion: tuple[Text, ...]


class LessonUnit(TranslatedPart[UnitTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Exercises for one lesson, in order, with notes and a timetable for the teacher."""

    slug: Id
    exercises: tuple[Id, ...]


class ExampleStep(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One step towards a state: what is done until when, and what holds then."""

    commands: tuple[dict[str, Any], ...] = ()
    until_us: int
    reached: Condition


class ExampleTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An example in one language: its task, where that is not the exercise's, and for each step its name and reason."""

    task: Text | None = None
    steps: tuple[Text, ...]
    reasons: tuple[Text, ...]


class FadedExample(TranslatedPart[ExampleTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An example before one exercise. `exercise`: before which it is read. `numbers`: each for the example that is
    done, and for the one with a step left. `steps`: towards a state that is not the exercise's own; none where the
    exercise has steps. `others`: commands in the place of the last step's that do not bring what it brings.
    """

    exercise: Id
    numbers: dict[str, tuple[int, int]]
    steps: tuple[ExampleStep, ...] = ()
    others: Annotated[tuple[tuple[dict[str, Any], ...], ...], msgspec.Meta(max_length=3)] = ()


class NumberedExample(msgspec.Struct, frozen=True):
    """An example with one row of its numbers, and the exercise with the same."""

    faded: FadedExample
    exercise: Exercise
