"""What goes round the exercises of a unit: readings with a small run, plans of a course, slides and sheets.

A reading's sentence about what the broker does cites rules, and where it speaks of the run it has claims: they hold at
the end of the run, with whatever numbers, and a test plays it to see. What carries over names its source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from django.template.loader import render_to_string

from engine.broker.commands.settings import release_of
from engine.reading.conditions import Condition, ConditionWatch
from playground.exercises import catalog, selectors
from playground.exercises.grading import GradedRun, KnownAnswers, TooLong
from playground.exercises.kinds import GiveUp, KindProgress, kind_of, never
from playground.exercises.schema import Exercise, ExerciseTexts, Id, SchemaPart, Text, TranslatedPart
from playground.exercises.variants import DrawnVariant, with_numbers
from playground.jobs.job import RUN, job
from playground.limits.work_places import GateBusy
from playground.storybook.stage_picture import MemoryLevel, StagePicture, memory_of, picture_of
from playground.texts import RequestRefused

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


class DrawnStage(NamedTuple):
    """The stage where the learner stands, how full the node's memory is, and the name of its release."""

    picture: StagePicture
    memory: MemoryLevel
    release: str


def stage_of(exercise: Exercise) -> DrawnStage:
    """Return the stage where the learner stands. Raises TooLong, and what a run of somebody's own making raises."""
    return _stages.answer(exercise, never)


def stage_with_messages(exercise: Exercise) -> DrawnStage | None:
    """Return the same; None without messages, or where it cannot be played now."""
    try:
        found = stage_of(exercise)
    except (RequestRefused, GateBusy, TooLong):
        return None
    return found if found.picture.held else None


def _drawn(exercise: Exercise, give_up: GiveUp) -> DrawnStage:
    run = GradedRun(exercise.scenario, give_up=give_up)
    run.go(exercise.scenario["until_us"])
    state = run.node.snapshot()
    release = release_of(exercise.scenario["profile"], state["node"]["settings"]).name
    return DrawnStage(picture_of(state) or StagePicture([]), memory_of(state), release)


_stages = KnownAnswers(_drawn)


class CourseLesson(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is done in a lesson: units, single exercises, a test; and exercises at home."""

    units: tuple[Id, ...] = ()
    exercises: tuple[Id, ...] = ()
    test: Literal["before", "after", "exam"] | None = None
    home: tuple[Id, ...] = ()


class PlanTexts(SchemaPart, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan in one language."""

    title: Text
    prerequisites: Text
    goals: tuple[Text, ...]


class CoursePlan(TranslatedPart[PlanTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan of one lesson or many."""

    lessons: tuple[CourseLesson, ...]


@cache
def plans() -> tuple[CoursePlan, ...]:
    """Return the plans, the shortest first."""
    plain = tomllib.loads((catalog.FOLDER / "plans.toml").read_text("utf-8"))
    return msgspec.convert(plain["plans"], tuple[CoursePlan, ...])


def plan_rows(language: str) -> list[dict[str, Any]]:
    def named(slugs: tuple[str, ...]) -> list[tuple[str, str, str]]:
        found = [catalog.exercise(slug) for slug in slugs]
        return [(each.unit, each.slug, each.texts(language).title) for each in found]

    return [
        {
            "texts": plan.texts(language),
            "lessons": [
                {
                    "test": each.test,
                    "units": [(slug, catalog.unit(slug).texts(language).title) for slug in each.units],
                    "exercises": named(each.exercises),
                    "home": named(each.home),
                }
                for each in plan.lessons
            ],
        }
        for plan in plans()
    ]


def slides(unit: str, language: str) -> dict[str, Any]:
    """Return the slides of a unit: one for each exercise, with what the teacher says beside it.

    Raises NoExercise.
    """
    found = catalog.unit(unit)
    return {
        "unit": found.texts(language),
        "language": language,
        "slides": [_slide(each, each.texts(language), language) for each in catalog.of_unit(unit)],
    }


def _slide(exercise: Exercise, texts: ExerciseTexts, language: str) -> dict[str, Any]:
    kind = kind_of(exercise)
    page = kind.page(exercise, texts, KindProgress())
    lines = [text for _id, _letter, text in kind.listed(exercise, texts, KindProgress())]
    return {
        "title": texts.title,
        "kind": selectors.kind(exercise),
        "minutes": exercise.minutes,
        "task": texts.task.split("\n\n"),
        "lines": lines or [text for _id, text in page.get("lines", page.get("goals", ()))],
        "steps": texts.steps,
        "stage": stage_of(exercise),
        "misconception": texts.misconception,
        "solution": selectors.shown_solution(exercise, language),
        "explain": texts.explain,
    }


def offline_page(unit: str, language: str, style: str, script: str) -> str:
    """Return the slides of a unit as one page that needs nothing else."""
    return render_to_string(
        "exercises/slides.html", slides(unit, language) | {"style": style, "script": script}
    )
