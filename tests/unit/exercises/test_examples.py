"""Faded worked examples: named steps that the engine checks, with numbers that do not give the answer away."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict

from playground.exercises import catalog, task
from playground.exercises.kinds import grade, kind_of, solution_of
from playground.exercises.kinds.acting import as_answer, example_states
from playground.exercises.kinds.kind import FadedKind
from tests.unit.exercises.test_exercises import LANGUAGES, all_text
from tests.web.test_translations import MAINLAND, SIMPLIFIED, TRADITIONAL

SLUGS = sorted(task.slugs())
OF_STATES = [slug for slug in SLUGS if catalog.exercise(slug).kind == "reach"]


def last_placed(slug: str) -> dict[str, str]:
    """Return the fields of the last step's form, filled in right."""
    _done, left = task.examples(slug)
    return {f"place-{seq}": place for seq, place in solution_of(left.exercise)[-1].items()}


def sent(fields: dict[str, str]) -> QueryDict:
    return QueryDict("&".join(f"{name}={value}" for name, value in fields.items()))


def test_each_exercise_with_several_steps_has_an_example() -> None:
    needed = {each.slug for each in catalog.exercises().values() if isinstance(kind_of(each), FadedKind)}
    assert set(SLUGS) == needed
    assert {catalog.exercise(slug).kind for slug in SLUGS} == {"broker", "reach"}


@pytest.mark.parametrize("slug", SLUGS)
def test_steps_have_names_in_every_language_and_numbers_of_their_own(slug: str) -> None:
    done, left = task.examples(slug)
    usual = catalog.exercise(slug)
    for language in LANGUAGES:
        texts = done.faded.texts(language)
        shown = task.example_context(slug, language, None)
        assert len(texts.steps) == len(texts.reasons) == len(shown["done"]["steps"]) >= 3
        assert len(set(texts.steps)) == len(texts.steps)
        assert all(step["state"] for step in [*shown["done"]["steps"], *shown["left"]["steps"]])
    assert (done.exercise.scenario, done.faded.steps) != (left.exercise.scenario, left.faded.steps)
    if usual.kind == "broker":
        assert solution_of(usual)[-1] not in (solution_of(done.exercise)[-1], solution_of(left.exercise)[-1])
    assert not TRADITIONAL.intersection(all_text(done.faded.zh_hans))  # type: ignore[arg-type]
    assert not SIMPLIFIED.intersection(all_text(done.faded.zh_hant))  # type: ignore[arg-type]
    assert [word for word in MAINLAND.split() if word in all_text(done.faded.zh_hant)] == []  # type: ignore[arg-type]


@pytest.mark.parametrize("slug", OF_STATES)
def test_the_engine_finds_after_each_step_what_it_is_for(slug: str) -> None:
    for example in task.examples(slug):
        assert [holds for _state, holds in example_states(example)] == [True] * len(example.faded.steps)
        right = example_states(example)[-1][0]
        for other in example.faded.others:
            state, holds = example_states(example, other)[-1]
            assert not holds
            assert state != right, "a learner sees what went otherwise"


@pytest.mark.parametrize("slug", OF_STATES)
def test_the_commands_of_an_example_do_not_solve_the_exercise(slug: str) -> None:
    for example in task.examples(slug):
        done: list[dict[str, Any]] = [each for step in example.faded.steps for each in step.commands]
        answer = as_answer([*done, {"until_us": example.faded.steps[-1].until_us}])
        assert not grade(catalog.exercise(slug), answer).passed


@pytest.mark.parametrize("slug", SLUGS)
def test_the_last_step_is_judged(slug: str) -> None:
    right = {"choice": "0"} if slug in OF_STATES else last_placed(slug)
    wrong = {"choice": "1"} if slug in OF_STATES else {**right, min(right): "q2"}
    shown = task.example_context(slug, "en", sent(right))
    assert shown["verdict"]["passed"], shown["verdict"]
    shown = task.example_context(slug, "zh-hant", sent(wrong))
    assert not shown["verdict"]["passed"]
    assert shown["verdict"]["feedback"]
    assert shown["verdict"]["lines"]
    assert task.example_context(slug, "en", sent({"choice": "9"}))["problem"]


def test_an_exercise_of_another_kind_has_none() -> None:
    with pytest.raises(task.NoExample):
        task.example_context("first-in", "en", None)
