"""A course: plans as data, and the slides and sheets of a unit, each with the stage as the engine has it there."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any, Literal, NamedTuple

import msgspec
from django.template.loader import render_to_string

from engine.broker.commands.settings import release_of
from playground.exercises import catalog, selectors
from playground.exercises.grading import GradedRun, KnownAnswers, TooLong
from playground.exercises.kinds import GiveUp, KindProgress, kind_of, never
from playground.exercises.schema import Exercise, ExerciseTexts, Id, SchemaPart, Text, TranslatedPart
from playground.limits.work_places import GateBusy
from playground.storybook.stage_picture import MemoryLevel, StagePicture, memory_of, picture_of
from playground.texts.page_message import RequestRefused


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
