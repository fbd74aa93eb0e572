"""What a page shows of a scenario without playing it."""

from __future__ import annotations

import unicodedata
from typing import Any

import msgspec

from playground.storybook import other_release, thumbnails
from playground.storybook.entry import LibraryEntry
from playground.storybook.subject_names import QUESTIONS, SUBJECTS
from playground.storybook.texts import in_language


class ScenarioCard(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the library, in the reader's language.

    Args:
        slug, short_id: its name and its address.
        picture: a drawing of its run.
        profile: a release at a scale, on which it is opened.
        release: the series of that release where it is not the one that the scenario is written for.
        gone: what of the scenario does not exist there.
        evidence_us: the moment that shows the verdict, None without one.
    """

    slug: str
    short_id: str
    title: str
    question: str
    watch_for: str
    profile: str
    release: str = ""
    gone: list[str] = []
    seconds: int
    subjects: list[tuple[int, str]]
    questions: list[tuple[int, str]]
    predicts: bool
    verdict: str = ""
    claim: str = ""
    finding: str = ""
    rules: list[str] = []
    evidence_us: int | None = None
    picture: thumbnails.RunThumbnail | None = None


def card(entry: LibraryEntry, short_id: str, release: str = "") -> ScenarioCard:
    """Return the card of an entry.

    Args:
        release: the series of the release on which it is opened; anything else for the one it is written for.
    """
    taken = other_release.asked_for(release, entry.run)
    story = entry.story
    verdict = story.verdict
    shown: dict[str, Any] = {}
    if verdict:
        shown = {
            "verdict": verdict.verdict,
            "claim": in_language(verdict.claim),
            "finding": in_language(verdict.text),
            "rules": verdict.rules,
            "evidence_us": verdict.evidence_at_us,
        }
    return ScenarioCard(
        slug=entry.slug,
        short_id=short_id,
        title=entry.title,
        question=in_language(story.question),
        watch_for=in_language(story.watch_for),
        profile=(taken.scenario if taken else entry.run)["profile"],
        release=release if taken else "",
        gone=[str(each) for each in taken.said] if taken else [],
        seconds=round(entry.run["until_us"] / 1_000_000),
        subjects=[(number, str(SUBJECTS[number])) for number in story.subjects],
        questions=[(number, str(QUESTIONS[number])) for number in story.questions],
        predicts=story.prediction is not None,
        picture=thumbnails.kept().get(entry.slug),
        **shown,
    )


def matches(
    each: ScenarioCard, words: str = "", subject: int | None = None, question: int | None = None
) -> bool:
    """Return whether a card has every word and the chosen subject and question."""
    if subject and subject not in dict(each.subjects):
        return False
    if question and question not in dict(each.questions):
        return False
    parts = [each.title, each.question, each.watch_for, each.claim, each.slug, *dict(each.subjects).values()]
    text = _plain(" ".join([*parts, *dict(each.questions).values()]))
    return all(word in text for word in _plain(words).split())


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
