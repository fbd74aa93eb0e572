"""The right option, and the rule that decides a number, differ from case to case: no answer can be passed on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from playground.exercises import catalog
from playground.exercises.kinds import solution_of
from playground.exercises.schema import Exercise, another_case, filled, merged, numbers_of
from tests.unit.exercises.test_exercises import LANGUAGES, broken_claims

OF_CHOICES = [each for each in catalog.exercises().values() if each.kind in {"choice", "order", "several"}]
NUMBERS = [slug for slug, each in catalog.exercises().items() if each.kind == "number"]
SEEDS = range(1, 13)
FEWEST_RULES = 2
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


DECIDED: dict[str, dict[str, Callable[..., int]]] = {
    "read-back": {
        "": lambda target, count: 16 - (target + 8),
        "short": lambda target, count: count - (target + 8),
        "enough": lambda target, count: 0,
    },
    "unacked-again": {
        "": lambda count, taken: count - 1,
        "transient": lambda count, taken: 0,
        "no-ack": lambda count, taken: count - taken,
    },
    "who-holds-what": {
        "": lambda half, prefetch: 2 * half - prefetch,
        "limited": lambda half, prefetch: 4,
        "taken": lambda half, prefetch: 0,
    },
    "bodies-once": {
        "": lambda large, small, size: large,
        "zero": lambda large, small, size: large + small,
        "apart": lambda large, small, size: 3 * large,
    },
    "lanes-of-priorities": {
        "": lambda plain, urgent, over: urgent + over,
        "limited": lambda plain, urgent, over: urgent,
    },
    "lazy-after-restart": {
        "": lambda count, segment: segment,
        "large": lambda count, segment: 0,
        "short": lambda count, segment: 3,
    },
    "fifty-milliseconds": {
        "": lambda sure, late, size: sure,
        "confirmed": lambda sure, late, size: sure + late,
        "pause": lambda sure, late, size: sure + late,
    },
    "late-mirror": {
        "": lambda old, new, size: new,
        "synchronised": lambda old, new, size: old + new,
        "stopped": lambda old, new, size: old + new,
    },
    "held-by-one": {
        "": lambda count, done: 5 - ((done + 1) // 8 - 1),
        "large": lambda count, done: 0,
        "given-back": lambda count, done: 5,
    },
    "written-without-need": {
        "": lambda count: count - 1,
        "earlier": lambda count: 0,
        "waited-for": lambda count: count - 5,
    },
    "before-the-1001st": {
        "": lambda rate: 9 * rate,
        "past": lambda rate: 100,
        "smaller": lambda rate: 50,
    },
    "how-many-segments": {
        "": lambda count: -(-count // 2048),
        "older": lambda count: -(-count // 16384),
        "acked": lambda count: -(-(count - 2048) // 2048),
    },
    "one-read-or-two": {
        "": lambda count, size: 1,
        "within": lambda count, size: 0,
    },
    "before-the-commit": {
        "": lambda first, more: first,
        "committed": lambda first, more: first + more,
        "beside": lambda first, more: first + more,
    },
    "lazy-and-transient": {
        "": lambda solid, brief: solid,
        "default-again": lambda solid, brief: solid + brief,
    },
    "one-ack-for-many": {"": lambda count: count, "transient": lambda count: 0},
}
"""What the rule that decides a case makes of the numbers drawn; the engine is asked whether it is so."""


def test_the_rules_of_all_numbers_are_told() -> None:
    assert {slug: {"", *catalog.exercise(slug).cases} for slug in NUMBERS} == {
        slug: set(cases) for slug, cases in DECIDED.items()
    }


@pytest.mark.parametrize("slug", NUMBERS)
def test_twelve_seeds_have_numbers_that_different_rules_decide(slug: str) -> None:
    """The rule of a file's own case would give another number in each other case."""
    drawn = {seed: catalog.variant(slug, seed) for seed in SEEDS}
    assert len({each.rules for each in drawn.values()}) >= FEWEST_RULES
    rounds = len(DECIDED[slug])
    assert {each.case for each in drawn.values()} == set(DECIDED[slug])
    for seed in range(1, 2 * rounds + 1):
        each = drawn[seed]
        numbers = numbers_of(each.variants, seed)
        right = solution_of(each)
        assert right == DECIDED[slug][each.case](**numbers), (each.case, numbers)
        if each.case:
            assert each.rules != catalog.exercise(slug).rules
            assert right != DECIDED[slug][""](**numbers), (each.case, numbers)
            assert broken_claims(each) == [], each.case


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
