"""A course: plans as data, and the slides and sheets of a unit, each with the stage as the engine has it there."""

from __future__ import annotations

import base64
import io
import tomllib
from functools import cache
from typing import Any, Literal

import msgspec
from django.template.loader import render_to_string
from PIL import Image

from engine.backing_queue.message_places import places_of
from engine.reading.message_places import count_of, drawn_queue
from playground.exercises import catalog, selectors, words
from playground.exercises.grading import GradedRun
from playground.exercises.kinds import GiveUp, KindProgress, kind_of, never
from playground.exercises.known_answers import KnownAnswers
from playground.exercises.schema import Exercise, ExerciseTexts, Id, SchemaPart, Text, Translated
from playground.library import link_picture

STAGE = (0, 180, 1200, 630)
"""The part of a link's picture that shows the queue: without the heading, which a slide has itself."""


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


class CoursePlan(Translated[PlanTexts], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan of one lesson or many."""

    lessons: tuple[CourseLesson, ...]


@cache
def plans() -> tuple[CoursePlan, ...]:
    """Return the plans, the shortest first."""
    plain = tomllib.loads((catalog.FOLDER / "plans.toml").read_text("utf-8"))
    return msgspec.convert(plain["plans"], tuple[CoursePlan, ...])


def plan_rows(language: str) -> list[dict[str, Any]]:
    """Return the plans as their page shows them."""

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


def _drawn(exercise: Exercise, give_up: GiveUp) -> tuple[str, dict[str, int]]:
    """Return the stage where the learner stands as the address of a picture, and how many messages are where."""
    scenario = exercise.scenario
    run = GradedRun(scenario, give_up=give_up)
    run.go(scenario["until_us"])
    state = run.node.snapshot()
    whole = Image.open(io.BytesIO(link_picture.draw("", state, scenario["until_us"], scenario["until_us"])))
    out = io.BytesIO()
    whole.crop(STAGE).quantize(64).save(out, "PNG", optimize=True)
    queue = drawn_queue(state)
    counts = {place.name: count_of(queue, place.name) for place in places_of(queue or {})} if queue else {}
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}", counts


_pictures = KnownAnswers(_drawn)


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
    picture, counts = _pictures.answer(exercise, never)
    return {
        "title": texts.title,
        "kind": words.kind(exercise),
        "minutes": exercise.minutes,
        "task": texts.task.split("\n\n"),
        "lines": lines or [text for _id, text in page.get("lines", page.get("goals", ()))],
        "steps": texts.steps,
        "picture": picture,
        "counts": [(name, count) for name, count in counts.items() if count],
        "misconception": texts.misconception,
        "solution": selectors.shown_solution(exercise, language),
        "explain": texts.explain,
    }


def offline_page(unit: str, language: str, style: str, script: str) -> str:
    """Return the slides of a unit as one page that needs nothing else."""
    return render_to_string(
        "exercises/slides.html", slides(unit, language) | {"style": style, "script": script}
    )
