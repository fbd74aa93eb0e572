"""A sentence of a reading is held like code: it cites rules, and its claims hold in the run, whatever the numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest

from playground.exercises import catalog, task
from playground.exercises.task import UnitReading
from playground.templatetags.waterline import address
from tests.web.test_translations import MAINLAND, SIMPLIFIED, TRADITIONAL

READINGS = list(task.readings().values())


def name(each: UnitReading) -> str:
    return each.slug


def corners(reading: UnitReading) -> Iterator[dict[str, int]]:
    """Yield the usual numbers, and those at both ends."""
    yield {}
    yield {name: each.first for name, each in reading.numbers.items()}
    yield {name: each.choices[-1] for name, each in reading.numbers.items()}


def holds(reading: UnitReading, numbers: dict[str, int]) -> dict[str, bool]:
    played = task.run(reading.slug, tuple(sorted(numbers.items())))
    return msgspec.json.decode(played, type=task.ReadingRun).holds


def test_every_exercise_has_one_page_before_it() -> None:
    before = [slug for each in READINGS for slug in each.exercises]
    assert sorted(before) == sorted(catalog.exercises()), "each exercise has exactly one"
    assert all(len(each.exercises) <= 2 for each in READINGS)
    assert task.before("no-such") is None


@pytest.mark.parametrize("reading", READINGS, ids=name)
def test_sentences_hold_in_the_run_with_whatever_numbers(reading: UnitReading) -> None:
    for numbers in corners(reading):
        found = holds(reading, numbers)
        assert [sentence for sentence, right in found.items() if not right] == [], numbers


@pytest.mark.parametrize("reading", READINGS, ids=name)
def test_a_false_sentence_would_be_refuted(reading: UnitReading, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims about a run must not hold in an empty one: a claim that always holds is worth nothing."""
    empty = msgspec.structs.replace(reading, scenario={**reading.scenario, "commands": [], "until_us": 1_000})
    monkeypatch.setattr(task, "reading", lambda slug, numbers: empty)
    refuted = holds(reading, {})
    claimed = [each.id for each in reading.sentences if each.claims]
    assert len(claimed) >= 2 or len(reading.sentences) == 2
    assert not all(refuted[each] for each in claimed)


@pytest.mark.parametrize("reading", READINGS, ids=name)
def test_every_sentence_cites_rules_that_there_are(reading: UnitReading) -> None:
    for sentence in reading.sentences:
        assert sentence.rules
        assert [rule for rule in sentence.rules if address(rule) is None] == []


@pytest.mark.parametrize("reading", READINGS, ids=name)
def test_each_language_says_the_same_things(reading: UnitReading) -> None:
    ids = [each.id for each in reading.sentences]
    for texts in (reading.en, reading.zh_hans, reading.zh_hant):
        assert list(texts.sentences) == ids
        assert set(texts.numbers) == set(reading.numbers)
        assert set(texts.carries) == set(task.SYSTEMS)
        assert len(texts.terms) == len(reading.en.terms)
        for one, other in zip(texts.sentences.values(), reading.en.sentences.values(), strict=True):
            assert sorted(re.findall(r"\d+", one)) == sorted(re.findall(r"\d+", other))
    assert not TRADITIONAL.intersection(str(reading.zh_hans))
    assert not SIMPLIFIED.intersection(str(reading.zh_hant))
    assert [word for word in MAINLAND.split() if word in str(reading.zh_hant)] == []


def test_numbers_are_bounded() -> None:
    slug = READINGS[0].slug
    number = next(iter(READINGS[0].numbers))
    for wrong in ({number: 10**6}, {number: -1}, {"no-such": 1}):
        with pytest.raises(task.BadNumber):
            task.reading(slug, wrong)
    with pytest.raises(task.NoReading):
        task.reading("no-such", {})
