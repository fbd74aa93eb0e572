"""The ready scenarios: each is played to its end, and the engine is held to what it claims."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playground import verdicts
from playground.storybook import ready_scenarios
from playground.storybook.entry import read
from playground.storybook.rehearsal import rehearse
from playground.storybook.story import KEYS
from tests.web.test_translations import MAINLAND, SIMPLIFIED, TRADITIONAL

FILES = ready_scenarios.files()
SUBJECTS = set(range(1, 31))
QUESTIONS = set(range(1, 13))


def texts(value: Any, place: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Find all texts that come in several languages."""
    if isinstance(value, dict):
        if "en" in value:
            yield place, value
        for name, part in value.items():
            yield from texts(part, f"{place}.{name}")
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from texts(part, f"{place}[{at}]")


def test_there_are_enough_and_they_cover_everything() -> None:
    entries = ready_scenarios.entries()
    assert len(entries) >= 30
    assert {number for each in entries for number in each.story.subjects} == SUBJECTS
    assert {number for each in entries for number in each.story.questions} == QUESTIONS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_reaches_its_digest_and_its_claims_hold(path: Path) -> None:
    entry = ready_scenarios.load(path)
    result = rehearse(entry, more=verdicts.claims_of(entry.slug))
    assert result.broken == [], "the later ones are of playground/verdicts/mechanisms.json"
    assert result.refused == []
    assert result.digest == entry.run["digest"], "the engine changed? then: make digests"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_complete_and_canonical(path: Path) -> None:
    text = path.read_text("utf-8")
    assert read(text).encode() == text, "make digests writes the canonical form"
    story = ready_scenarios.load(path).story
    assert story.title
    assert story.question
    assert story.watch_for
    assert story.annotations
    assert story.claims
    assert [each.at_us for each in story.annotations] == sorted(each.at_us or 0 for each in story.annotations)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_speaks_three_languages(path: Path) -> None:
    for place, words in texts(json.loads(path.read_bytes())):
        assert set(words) == set(KEYS.values()), place
        assert not TRADITIONAL.intersection(words["zh_Hans"]), place
        assert not SIMPLIFIED.intersection(words["zh_Hant"]), place
        assert [word for word in MAINLAND.split() if word in words["zh_Hant"]] == [], place
        assert not any("`" in text for text in words.values()), f"{place}: pages show it as it is"


def test_a_claim_that_is_wrong_would_be_found() -> None:
    entry = json.loads(ready_scenarios.FOLDER.joinpath("first-burst.json").read_bytes())
    entry["claims"][0]["test"]["value"] += 1
    assert rehearse(read(entry)).broken
