"""What a note of a ready scenario says is held to its run: claims at its moment, and every number that it names.

A number is held if a claim has it, up to the note's moment; if the run was given it (commands, settings, its profile);
if it is the time from a command to another or to a moment of a claim; or if a rule that the note cites says it. That
the claims themselves hold, tests/web/test_library.py shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

import msgspec
import pytest

from engine.amqp.errors import CODES
from engine.reading.conditions import Condition, comparisons, holds, names_of, needs_whole_run
from engine.releases import REFERENCE
from playground import rules, verdicts
from playground.storybook import ready_scenarios
from playground.storybook.entry import LibraryEntry
from playground.storybook.rehearsal import StoryRehearsal, shown_release
from playground.storybook.story import in_language
from playground.templatetags.waterline import CITED
from playground.views.library import evidences
from tests.helpers.todays_entry import todays_entry

ENTRIES: Final = ready_scenarios.entries()
NAMES: Final = re.compile(
    r"\b[qcnp][0-9]\b|[0-9]+\.[a-z]{2,3}\b|\b[34]\.[0-9]+(\.[0-9]+)*\b(?! ?(s|MB|kB|GB|KiB|MiB|秒|毫秒)\b)"
    r"|kill -9|0xFF|MD5"
)
"""Digits that are parts of names: lanes, clients, files, releases."""
NUMBER: Final = re.compile(
    r"(?P<digits>[0-9]{1,3}(?:[, \u00a0][0-9]{3})+|[0-9]+(?:\.[0-9]+)?)[ \u00a0]?"
    r"(?P<unit>KiB|MiB|GiB|kB|MB|GB|ms|%|s\b|seconds?\b|毫秒|秒)?"
)
WORD: Final = re.compile(
    r"(?P<word>[a-z]+(?:-[a-z]+)?)(?: (?P<times>thousand|hundred))?(?: (?P<unit>seconds?|minutes?|megabytes)\b)?"
)
UNITS: Final[dict[str, tuple[float, ...]]] = {
    "kB": (1e3,),
    "MB": (1e6,),
    "GB": (1e9,),
    "megabytes": (1e6,),
    "%": (0.01,),
    "KiB": (2**10,),
    "MiB": (2**20,),
    "GiB": (2**30,),
    **dict.fromkeys(("s", "second", "seconds", "秒"), (1e6, 1e3)),
    **dict.fromkeys(("ms", "毫秒"), (1e3,)),
    **dict.fromkeys(("minute", "minutes"), (6e7, 6e4)),
}
"""What a number of a unit is in the run's own units: bytes, shares, microseconds or milliseconds."""
TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
TEENS: Final = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
WORDS: Final = {
    **{word: at for at, word in enumerate("three four five six seven eight nine".split(), 3)},
    **{word: at for at, word in enumerate(TEENS, 10)},
    **{word: 10 * at for at, word in enumerate(TENS, 2)},
}
SMALL: Final = 2
"""Numbers up to this one are words of the language: one, two, both, none."""


class NoteNumber(msgspec.Struct, frozen=True):
    """A number that a text names, and what its unit is in the run's own units."""

    shown: str
    value: float
    scales: tuple[float, ...] = ()

    def is_one_of(self, held: Iterable[float]) -> bool:
        """Return whether one of the values is exactly this number."""
        wanted = {self.value, *(round(self.value * scale, 6) for scale in self.scales)}
        return any(round(value, 6) in wanted for value in held)

    def is_rounded(self, held: Iterable[float]) -> bool:
        """Return whether one of the values is this number, as far as its digits go."""
        half = 0.5 * 10 ** -len(self.shown.partition(".")[2])
        return any(abs(value / scale - self.value) <= half for value in held for scale in self.scales)


def numbers_of(text: str) -> Iterator[NoteNumber]:
    """Yield the numbers that a text names, in digits or in English words."""
    plain = NAMES.sub(" ", CITED.sub(" ", text))
    for found in NUMBER.finditer(plain):
        shown = re.sub(r"[, \u00a0]", "", found["digits"])
        yield NoteNumber(shown, float(shown), UNITS.get(found["unit"] or "", ()))
    for found in WORD.finditer(plain.lower()):
        tens, _, rest = found["word"].partition("-")
        if found["word"] in WORDS or (tens in TENS and rest in WORDS):
            value = sum(WORDS[each] for each in (tens, rest) if each)
            scale = {"thousand": 1000, "hundred": 100}.get(found["times"] or "", 1)
            yield NoteNumber(found["word"], float(value * scale), UNITS.get(found["unit"] or "", ()))


def leaves(value: Any) -> Iterator[float]:
    """Yield every number of a plain value, those in its texts included."""
    if isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(each) for each in re.findall(r"[0-9]+(?:\.[0-9]+)?", value))


class HeldNumbers:
    """The numbers of a ready scenario that its notes may name."""

    def __init__(self, entry: LibraryEntry) -> None:
        self.entry = entry
        self.start = StoryRehearsal(entry.run).go(0)
        until_us = entry.run["until_us"]
        every = [*entry.story.claims, *verdicts.claims_of(entry.slug)]
        self.claims = [(until_us if each.at_us is None else each.at_us, each.test) for each in every]
        settings = self.start["node"]["settings"]
        self.ram_bytes = settings["ram_bytes"]
        begun = [0, *(each["at_us"] for each in entry.run["commands"])]
        moments = [*begun, *(at_us for at_us, _test in self.claims)]
        self.given = [
            *leaves(entry.written),
            *leaves(msgspec.to_builtins(entry.story.workload)),
            *leaves(settings),
            *(float(later - earlier) for later in moments for earlier in begun),
            *(float(code) for code, _closes in CODES.values()),
        ]

    def at(self, at_us: int) -> list[Condition]:
        """Return what is claimed of one moment."""
        return [test for moment_us, test in self.claims if moment_us == at_us]

    def missing(self, text: str, at_us: int) -> list[str]:
        """Return the numbers of a note that nothing holds."""
        claimed: list[float] = []
        for moment_us, test in self.claims:
            if moment_us > at_us:
                continue
            for each in comparisons(test):
                claimed += leaves([each.value, names_of(each.path or "")])
        shares = [value / self.ram_bytes for value in claimed]
        cited = [value for rule in CITED.findall(text) for value in leaves(_rule(rule))]
        return [
            number.shown
            for number in numbers_of(text)
            if number.value > SMALL
            and not number.is_one_of([*claimed, *self.given, *cited])
            and not number.is_rounded([*claimed, *shares])
        ]


def _rule(cited: str) -> str:
    found = rules.find(cited)
    return found.text.replace("`", "") if found else ""


@cache
def held(slug: str) -> HeldNumbers:
    """Return the numbers of one ready scenario."""
    return HeldNumbers(next(each for each in ENTRIES if each.slug == slug))


@pytest.mark.parametrize("slug", [each.slug for each in ENTRIES])
def test_each_note_has_claims_of_its_moment_that_an_empty_run_refutes(slug: str) -> None:
    known = held(slug)
    story = known.entry.story
    moments = {each.at_us or 0: "note" for each in story.annotations}
    if story.verdict:
        moments[story.verdict.evidence_at_us] = "verdict"
    if story.prediction:
        moments[story.prediction.at_us] = "prediction"
    for at_us, what in moments.items():
        tests = known.at(at_us)
        assert tests, f"{what} at {at_us}: nothing is claimed of this moment"
        kept = [
            test
            for test in tests
            if not needs_whole_run(test)
            and holds(test, known.start)
            and holds(test, held("first-burst").start)
        ]
        assert len(kept) < len(tests), f"{what} at {at_us}: all that is claimed is so at the start of any run"


@pytest.mark.parametrize("slug", [each.slug for each in ENTRIES])
def test_each_number_of_a_note_is_held(slug: str) -> None:
    known = held(slug)
    for language in ("en", "zh-hans", "zh-hant"):
        for note in known.entry.story.annotations:
            text = in_language(note.text, language)
            assert known.missing(text, note.at_us or 0) == [], f"{note.at_us}: {text}"


def test_a_wrong_number_would_be_found() -> None:
    known = held("garbage-collection")
    assert known.missing("37 files were combined", 2_900_000) == ["37"]
    assert known.missing("thirty-seven files were combined", 2_900_000) == ["thirty-seven"]
    assert held("watermark-advice").missing("385 MiB of 512 MiB", 2_900_000) == ["385"]
    assert held("watermark-advice").missing("364 MiB of 512 MiB", 2_900_000) == []


VERDICTS: Final = {
    **{(each.slug, "3.8"): each.in_3_8.run for each in verdicts.verdicts().values()},
    **{
        (verdicts.verdicts()[number].slug, "4.3"): each.run
        for number, each in verdicts.todays_verdicts().items()
    },
}


@pytest.mark.parametrize(("slug", "series"), VERDICTS)
def test_the_moment_that_shows_a_verdict_has_claims_that_an_empty_run_refutes(slug: str, series: str) -> None:
    run = VERDICTS[slug, series]
    entry = (verdicts.articles_entry if series == "3.8" else todays_entry)(run)
    until_us = entry.run["until_us"]
    tests = [each.test for each in entry.story.claims if run.at_us in {each.at_us, each.at_us or until_us}]
    start = StoryRehearsal(entry.run).go(0)
    assert tests, "nothing is claimed of this moment"
    assert not all(not needs_whole_run(test) and holds(test, start) for test in tests)


@pytest.mark.parametrize("number", verdicts.verdicts())
def test_the_run_of_3_10_is_of_that_release_and_judges_as_the_subject_does(number: int) -> None:
    run = evidences()[number]
    entry = next(each for each in ENTRIES if each.slug == run.scenario)
    verdict = entry.story.verdict
    assert shown_release(entry.run).series == REFERENCE.series
    assert verdict is not None
    assert (verdict.verdict == "true") == (verdicts.verdicts()[number].verdict == "true")
