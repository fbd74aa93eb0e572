"""A course: plans as data, and the slides and sheets of a unit, each with the stage as the engine has it there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import msgspec
from django.template.loader import render_to_string

from engine.backing_queue.message_places import MessagePlace, places_of
from engine.reading.message_places import count_of, drawn_queue
from playground.exercises import catalog, selectors, words
from playground.exercises.drawn_stage import state_where_it_stands
from playground.exercises.kinds import GiveUp, KindProgress, kind_of, never
from playground.exercises.known_answers import KnownAnswers
from playground.exercises.schema import Exercise, ExerciseTexts, Id, SchemaPart, Text, TranslatedPart
from playground.library import link_picture
from playground.library.link_picture import BLOCK, ROWS

LANES_LEFT, LANES, WATER, MEMORY_BAR = 130, 1000, 180, 360
"""Where the lanes begin, how wide they are together, how high the water is, how long the memory's bar (_stage.html)."""


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


def _stood(exercise: Exercise, give_up: GiveUp) -> dict[str, Any]:
    """Return the stage where the learner stands: lanes with their blocks, the memory, how many messages are where."""
    state = state_where_it_stands(exercise, give_up)
    queue, memory = drawn_queue(state), state["node"]["memory"]
    every = places_of(queue or {})
    counts = {place.name: count_of(queue, place.name) for place in every} if queue else {}
    used, limit = memory.get("process_memory") or 0, memory.get("limit") or 1
    return {
        "lanes": [
            _lane(at, place, queue, every)
            for at, place in enumerate(each for each in every if not each.unacked)
        ],
        "counts": [(name, count) for name, count in counts.items() if count],
        "share": round(100 * used / limit),
        "bar": round(MEMORY_BAR * min(1, used / limit)),
        "tone": link_picture.memory_tone(state["node"]),
        "ready": queue["counters"].get("len", 0) if queue else 0,
    }


def _lane(
    at: int, place: MessagePlace, queue: Mapping[str, Any] | None, every: tuple[MessagePlace, ...]
) -> dict[str, Any]:
    """Return a lane of the stage: where it is, and its blocks, as many as fit above and below the water."""
    width = LANES // sum(not each.unacked for each in every)
    left = LANES_LEFT + at * width
    above, below, tone = link_picture.counts_of(queue, place)
    halves = (("alpha", above, WATER - BLOCK - 8, -1), (tone, below, WATER + 34, 1))
    in_row = (width - 12) // (BLOCK + 3)
    return {
        "name": place.name,
        "count": above + below,
        "left": left,
        "edge": left - 6,
        "right": left + width - 12,
        "blocks": [
            (
                name,
                "".join(
                    _block(left, base, step, number, in_row) for number in range(min(count, in_row * ROWS))
                ),
            )
            for name, count, base, step in halves
            if count
        ],
    }


def _block(left: int, base: int, step: int, number: int, in_row: int) -> str:
    x, y = left + number % in_row * (BLOCK + 3), base + step * (number // in_row) * (BLOCK + 3)
    return f"M{x} {y}h{BLOCK}v{BLOCK}h-{BLOCK}z"


_stages = KnownAnswers(_stood)


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
        "kind": words.kind(exercise),
        "minutes": exercise.minutes,
        "task": texts.task.split("\n\n"),
        "lines": lines or [text for _id, text in page.get("lines", page.get("goals", ()))],
        "steps": texts.steps,
        "stage": _stages.answer(exercise, never),
        "misconception": texts.misconception,
        "solution": selectors.shown_solution(exercise, language),
        "explain": texts.explain,
    }


def offline_page(unit: str, language: str, style: str, script: str) -> str:
    """Return the slides of a unit as one page that needs nothing else."""
    return render_to_string(
        "exercises/slides.html", slides(unit, language) | {"style": style, "script": script}
    )
