"""The right option differs from case to case, so an answer cannot be passed on in a word."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from playground.exercises.schema import Exercise
from playground.exercises.variants import another_case, filled, merged
from tests.unit.exercises.test_exercises import LANGUAGES, broken_claims

OF_CHOICES = [each for each in catalog.exercises().values() if each.kind in {"choice", "order", "several"}]
SEEDS = range(1, 13)
FEWEST = 3
MOST_SHARE = 0.6


def cases_of(exercise: Exercise) -> list[Exercise]:
    """Return an exercise in each of its cases."""
    return [catalog.variant(exercise.slug, seed) for seed in range(len(exercise.cases) + 1)]


def test_the_kinds_with_options_are_fifty() -> None:
    assert len(OF_CHOICES) >= 50


@pytest.mark.parametrize("exercise", OF_CHOICES, ids=lambda each: each.slug)
def test_twelve_seeds_have_three_right_options_and_none_is_right_too_often(exercise: Exercise) -> None:
    """A case is graded once: the soak below shows that its numbers do not move its right option."""
    cases = cases_of(exercise)
    rights = {each.case: str(solution_of(each)) for each in cases}
    counts = Counter(rights[catalog.variant(exercise.slug, seed).case] for seed in SEEDS)
    assert len(counts) >= FEWEST, counts
    assert max(counts.values()) <= MOST_SHARE * len(SEEDS), counts
    for each in cases:
        assert broken_claims(each) == [], each.case
        for name in wrong_names(each):
            for language in LANGUAGES:
                assert name in each.texts(language).feedback, (each.case, name)


@pytest.mark.parametrize(
    ("slug", "others"),
    [("who-holds-what", {4, 0}), ("lazy-after-restart", {0, 3}), ("one-ack-for-many", {0})],
)
def test_another_rule_decides_the_number_of_a_case(slug: str, others: set[int]) -> None:
    """The file's own number follows from the numbers drawn; in each other case another rule gives it."""
    cases = cases_of(catalog.exercise(slug))
    rights = [solution_of(each) for each in cases]
    assert set(rights[1:]) == others
    assert rights[0] not in others
    assert {catalog.variant(slug, seed).case for seed in SEEDS} == {each.case for each in cases}
    assert [each.case for each in cases if broken_claims(each)] == []


@pytest.mark.soak
@pytest.mark.parametrize("exercise", OF_CHOICES, ids=lambda each: each.slug)
def test_the_numbers_of_a_case_do_not_move_its_right_option(exercise: Exercise) -> None:
    by_case: dict[str, set[str]] = {}
    for seed in range(1, 4 * (len(exercise.cases) + 1)):
        each = catalog.variant(exercise.slug, seed)
        by_case.setdefault(each.case, set()).add(str(solution_of(each)))
        assert broken_claims(each) == []
    assert {len(each) for each in by_case.values()} == {1}, by_case


def wrong_names(exercise: Exercise) -> list[str]:
    """Return the ids that a wrong answer leads to as feedback."""
    right: Any = solution_of(exercise)
    listed = [each.id for part in ("options", "items") for each in getattr(exercise.form, part, ())]
    if exercise.kind == "several":
        return listed
    return [name for name in listed if name not in (right if exercise.kind == "order" else [right])]


@pytest.mark.parametrize("exercise", OF_CHOICES, ids=lambda each: each.slug)
def test_a_case_differs_in_what_the_learner_reads_and_in_every_language(exercise: Exercise) -> None:
    for language in LANGUAGES:
        texts = [each.texts(language) for each in cases_of(exercise)]
        assert len({each.explain for each in texts}) == len(texts)
        assert len({each.task for each in texts}) == len(texts), "the numbers at least"


def test_a_table_of_a_case_is_merged_and_a_list_replaced() -> None:
    usual = {"scenario": {"settings": {"a": 1}, "commands": [1, 2]}, "en": {"task": "x", "explain": "y"}}
    other = {"scenario": {"settings": {"b": 2}, "commands": [3]}, "en": {"explain": "z"}}
    assert merged(usual, other) == {
        "scenario": {"settings": {"a": 1, "b": 2}, "commands": [3]},
        "en": {"task": "x", "explain": "z"},
    }
    plain = {**usual, "cases": {"later": other}}
    assert filled(plain, 0) == {**usual, "cases": ["later"], "case": ""}
    assert filled(plain, 1) == {**merged(usual, other), "cases": ["later"], "case": "later"}
    assert usual["scenario"]["commands"] == [1, 2]


@pytest.mark.parametrize("cases", [0, 1, 2, 3])
def test_another_try_is_about_another_case_wherever_there_is_one(cases: int) -> None:
    for before in range(6):
        for seed in range(1, 8):
            found = another_case(seed, before, cases)
            assert found in {seed, seed + 1}
            assert not cases or found % (cases + 1) != before % (cases + 1)
