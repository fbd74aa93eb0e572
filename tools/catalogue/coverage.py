"""The page that shows which run shows what the articles say, and what somebody judged of it by reading."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Final, Literal

import msgspec
from django.utils.translation import override

from engine.reading.conditions import Condition, ConditionReference, names_of
from playground import verdicts
from playground.storybook import ready_scenarios
from playground.storybook.entry import LibraryEntry
from playground.storybook.story import in_language
from playground.verdicts import FOLDER, NEAR_US, ArticleMechanism, SeenMoment


class CheckedArticle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the five articles: its letter, its name, and what it says, item by item from number 1 on."""

    letter: str
    name: str
    items: list[str]

    def numbered(self) -> dict[str, str]:
        return {f"{self.letter}{number}": text for number, text in enumerate(self.items, 1)}


Found = Literal["shown", "condition", "not shown", "told"]


class CoverageJudgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Items of the articles that somebody judged as a reader of the page alone. `date`: the day. `items`: what the
    page did for each item, and what it does since: shown; a condition that holds, of which the page says nothing;
    not shown; told, since no run can show it.
    """

    date: str
    seed: int
    items: dict[str, tuple[Found, Found]]


@cache
def judgements() -> list[CoverageJudgement]:
    """Return what was judged, the oldest first."""
    return msgspec.json.decode((FOLDER / "judged.json").read_bytes(), type=list[CoverageJudgement])


@cache
def articles() -> list[CheckedArticle]:
    return msgspec.json.decode((FOLDER / "items.json").read_bytes(), type=list[CheckedArticle])


COVERAGE_HEAD: Final = """# Coverage of the articles

This project began with five articles on RabbitMQ's storage. They were taken apart into {items} items; below, each of
them belongs to a row that says it, right or wrong, in the words of a mechanism. Beside the row stand moments of ready
scenarios that show what RabbitMQ does of it, and what must hold there: the tests play each run and hold the engine
to it. The page of the subject (Subjects in the product) has the same rows with links that open the run at the moment.
Where RabbitMQ and an article differ, the row has a mark and the subject's verdict says more. What no run can show
(history, advice, a client's code) is counted as told. Mirrored queues, which one article recommends
against the loss of messages, are in section 29.

Written by `python -m tools.catalogue` from mechanisms.json and items.json in playground/verdicts: change those, not
this file. A row speaks of a queue in its default mode, unless it names another.

{counts}

{named} rows that articles name, and {unnamed} that they do not.
"""

JUDGED: Final = """## Judged by reading

Somebody opened each item's moments and read what the page says within 100 ms of them, as a learner who has nothing but
the page: *shown* (a note says it of what happens there), *condition* (it holds, but no note says so), *not shown*, or
*told* (no run can show it). What was not shown was then mended; *now* is the same reading after it.
`python -m tools.catalogue --draw SEED` draws from those never judged, and prints what there is to read. No learner
took part.
"""
NOTES: Final = """## Eight notes that were false

An audit found them false; a test holds each note to claims of its moment since. This is what they say now.

| run | at | the note |
|---|---|---|"""
WERE_FALSE: Final = (
    ("confirm-timeline", 14_600_000),
    ("blocked-or-blocking", 7_000_000),
    ("garbage-collection", 2_900_000),
    ("two-kinds-of-messages", 1_900_000),
    ("where-is-my-memory", 4_900_000),
    ("watermark-advice", 2_900_000),
    ("rdq-pin", 3_000_000),
    ("operators-drill", 10_000_000),
)


def said_near(entry: LibraryEntry, at_us: int) -> list[str]:
    """Return what a run's story says within a tenth of a second of a moment: notes, the answer, the verdict."""
    story = entry.story
    said = [(each.at_us, each.text) for each in story.annotations]
    if story.prediction and story.prediction.because:
        said.append((story.prediction.at_us, story.prediction.because))
    if story.verdict:
        said.append((story.verdict.evidence_at_us, story.verdict.text))
    return [in_language(text) for us, text in said if us is not None and abs(us - at_us) <= NEAR_US]


def coverage_page() -> str:
    entries = {each.slug: each for each in ready_scenarios.entries()}
    known = verdicts.mechanisms()
    rowed = {item for each in known for item in each.items}
    told = {item for each in known for item in each.told}
    counts = ["| article | items | shown by a run | told, not shown |", "|---|---|---|---|"]
    for article in articles():
        numbers = [sum(item in some for item in article.numbered()) for some in (rowed - told, told)]
        counts.append(
            f"| {article.letter}: {article.name} | {len(article.items)} | {numbers[0]} | {numbers[1]} |"
        )
    named = sum(bool(each.items) for each in known)
    items = sum(len(each.items) for each in articles())
    table = "\n".join(counts)
    parts = [COVERAGE_HEAD.format(items=items, counts=table, named=named, unnamed=len(known) - named)]
    with override("en"):
        for number, subject in verdicts.verdicts().items():
            claim = in_language(subject.claim)
            parts += [
                f"## {number}. {subject.title}\n",
                f"The articles say: {claim} For RabbitMQ 3.10.8 this is: **{subject.verdict}**.\n",
                "| mechanism, as the articles describe it | in 3.10 | items | seen in |\n|---|---|---|---|",
                *(_row(each, entries) for each in known if each.subject == number),
                "",
            ]
        parts.append(JUDGED)
        parts += [_judged(each, known, entries) for each in judgements()]
        parts.append(NOTES)
        for slug, at_us in WERE_FALSE:
            said = " ".join(said_near(entries[slug], at_us))
            parts.append(f"| {slug} | {at_us / 1_000_000:g} s | {said} |")
    parts += ["", "## The items, article by article\n"]
    by_item = {item: each for each in known for item in each.items}
    for article in articles():
        parts += [
            f"### {article.letter}: {article.name}\n",
            "| item | what it says | subject: row |\n|---|---|---|",
        ]
        for item, text in article.numbered().items():
            row = by_item[item]
            parts.append(f"| {item} | {text} | {row.subject}: {in_language(row.claim, 'en')} |")
        parts.append("")
    return "\n".join(parts)


def _judged(
    judgement: CoverageJudgement, known: list[ArticleMechanism], entries: dict[str, LibraryEntry]
) -> str:
    """Return the table of one judgement: each item, its moments, what was found and what is so now."""
    texts = {item: text for article in articles() for item, text in article.numbered().items()}
    found, now = (
        ", ".join(f"{count} {word}" for word, count in Counter(column).most_common())
        for column in zip(*judgement.items.values(), strict=True)
    )
    lines = [
        f"### {judgement.date}: {len(judgement.items)} items, seed {judgement.seed}\n",
        f"Found: {found}. Now: {now}.\n",
        "| item | what it says | moments | found | now |",
        "|---|---|---|---|---|",
    ]
    for item, words in judgement.items.items():
        row = next(each for each in known if item in each.items)
        moments = ", ".join(f"{seen.scenario} {_at_us(seen, entries) / 1_000_000:g} s" for seen in row.seen)
        lines.append(f"| {item} | {texts[item]} | {moments} | {words[0]} | {words[1]} |")
    return "\n".join(lines) + "\n"


def _row(each: ArticleMechanism, entries: dict[str, LibraryEntry]) -> str:
    seen = "; ".join(_moment(moment, entries) for moment in each.seen)
    items = ", ".join(f"{item} (told)" if item in each.told else item for item in each.items)
    return f"| {in_language(each.claim, 'en')} | {each.verdict} | {items or '-'} | {seen} |"


def _moment(seen: SeenMoment, entries: dict[str, LibraryEntry]) -> str:
    at_us = _at_us(seen, entries)
    link = f"[{seen.scenario}](../playground/scenarios/{seen.scenario}.json)"
    return f"{link} at {at_us / 1_000_000:g} s: `{in_words(seen.claim)}`"


def _at_us(seen: SeenMoment, entries: dict[str, LibraryEntry]) -> int:
    return int(entries[seen.scenario].run["until_us"] if seen.at_us is None else seen.at_us)


def in_words(condition: Condition) -> str:
    """Return a claim as one short line."""
    if condition.all is not None:
        return ", ".join(map(in_words, condition.all))
    path = ".".join(names_of(condition.path or ""))
    if condition.value is None:
        return f"no {path}"
    value = condition.value
    wanted = ".".join(names_of(value.path)) if isinstance(value, ConditionReference) else f"{value}".lower()
    return f"{path} {condition.op.replace('==', '=')} {wanted}"
