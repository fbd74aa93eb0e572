"""The second try is another exercise of the same kind: other numbers, and the engine computes the answer."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from playground.exercises import catalog
from playground.exercises.kinds import grade, kind_of, solution_of
from playground.exercises.schema import DrawnVariant, Exercise, filled
from tests.helpers.wrong_answers import wrong_answer
from tests.unit.exercises.test_exercises import broken_claims

VARIED = [each for each in catalog.exercises().values() if each.variants]
SEEDS = 80
WANTED = 20
SAMPLE = 2


def variants(exercise: Exercise) -> list[Exercise]:
    """Return different variants of an exercise."""
    found: dict[str, Exercise] = {}
    for seed in range(1, SEEDS):
        each = catalog.variant(exercise.slug, seed)
        found.setdefault(str((each.scenario, each.go_on, each.form)), each)
    return list(found.values())


def wrong_answers(exercise: Exercise, right: Any) -> list[Any]:
    """Return answers of the right form that are not the right one; the file's own, with the variant's numbers."""
    if exercise.kind == "choice":
        return [option.id for option in exercise.form.options if option.id != right]
    if exercise.kind == "number":
        return [right + 1, abs(right - 1), right + 7]
    if exercise.kind == "several":
        options = [option.id for option in exercise.form.options]
        return [[name for name in options if (name in right) != (name == other)] for other in options]
    if exercise.kind == "order":
        never = [item.id for item in exercise.form.items if item.id not in right]
        return [*([*right, other] for other in never), *([right[1:]] if len(right) > 1 else [])]
    return [wrong_answer(exercise, each) for each in exercise.wrong]


def solve_and_mis_solve(exercise: Exercise) -> None:
    """Give the right answer and wrong ones, and check that each is judged as what it is."""
    right = solution_of(exercise)
    assert grade(exercise, right).passed, exercise.scenario
    assert broken_claims(exercise) == []
    for wrong in wrong_answers(exercise, right):
        verdict = grade(exercise, wrong)
        assert not verdict.passed, (exercise.scenario, wrong)
        assert verdict.feedback
        known = {*exercise.en.feedback, *kind_of(exercise).feedback}
        assert set(verdict.feedback) <= known
    for each in exercise.wrong:
        if exercise.kind in {"broker", "reach"}:
            assert grade(exercise, wrong_answer(exercise, each)).feedback[0] == each.feedback


@pytest.mark.parametrize("exercise", catalog.exercises().values(), ids=lambda each: each.slug)
def test_every_exercise_has_twenty_variants(exercise: Exercise) -> None:
    assert len(variants(exercise)) >= WANTED


@pytest.mark.parametrize("exercise", VARIED, ids=lambda each: each.slug)
def test_two_variants_are_solved_and_mis_solved(exercise: Exercise) -> None:
    for each in variants(exercise)[:SAMPLE]:
        solve_and_mis_solve(each)


@pytest.mark.soak
@pytest.mark.parametrize("exercise", VARIED, ids=lambda each: each.slug)
def test_twenty_variants_are_solved_and_mis_solved(exercise: Exercise) -> None:
    for each in variants(exercise)[:WANTED]:
        solve_and_mis_solve(each)


@pytest.mark.parametrize("exercise", VARIED, ids=lambda each: each.slug)
def test_texts_say_the_numbers_of_the_run_in_every_language(exercise: Exercise) -> None:
    for each in variants(exercise)[:5]:
        numbers = []
        for texts in (each.en, each.zh_hans, each.zh_hant):
            written = str(msgspec.to_builtins(texts))
            assert not re.search(r"\{[a-z]", written.replace("{'", "")), written
            numbers.append(sorted(re.findall(r"\d+", texts.task)))
        assert numbers[0] == numbers[1] == numbers[2], each.slug


def test_a_variant_is_the_same_wherever_it_is_drawn() -> None:
    assert catalog.variant("tail-or-head", 7) == catalog.variant("tail-or-head", 7)
    assert catalog.variant("tail-or-head", 0) == catalog.exercise("tail-or-head")


def test_numbers_stand_in_texts_and_in_the_run() -> None:
    plain = {
        "variants": {"count": {"usual": 1200, "first": 1200, "last": 1200}},
        "run": {"count": "{count}", "left": "{count-200}"},
        "text": "{count} messages, 0 to {count-1}; {other} stays",
    }
    with pytest.raises(KeyError):
        filled(plain, 1)
    plain["text"] = plain["text"].replace("{other}", "{ other }")
    found = filled(plain, 1)
    assert found["run"] == {"count": 1200, "left": 1000}
    assert found["text"] == "1\u202f200 messages, 0 to 1\u202f199; { other } stays"


def test_a_range_holds_the_usual_number() -> None:
    with pytest.raises(ValueError, match="usual"):
        DrawnVariant(usual=5, first=6, last=9)
