"""What has the words of a search for rules: subjects, ready scenarios, and questions that operators ask in public."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Final, NamedTuple

import msgspec

from playground import verdicts
from playground.library import ready_scenarios
from playground.storybook import cards
from playground.storybook.cards import SUBJECTS, ScenarioCard
from playground.storybook.story import Texts, in_language
from playground.texts.word_search import plain, ranked
from playground.verdicts import ArticleVerdict

MOST_ANSWERS: Final = 2


class OperatorAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question as operators ask it, and its answer.

    Args:
        words: that people type for it, in any language, and in logs.
        subject: slug of the subject about it; empty where there is none.
        inspect: whether Inspect answers it of somebody's own files or figures.
        commands: of the console that show it in a session, and on a node.
    """

    slug: str
    asked: Texts
    words: str
    answer: Texts
    rules: list[Annotated[str, msgspec.Meta(pattern=verdicts.SPAN)]]
    subject: str
    scenarios: list[str]
    inspect: bool
    commands: list[str]

    @property
    def question(self) -> str:
        return in_language(self.asked)

    @property
    def text(self) -> str:
        return in_language(self.answer)

    @property
    def subject_title(self) -> str:
        found = verdicts.by_slug(self.subject)
        return str(SUBJECTS[found.number]) if found else ""

    @property
    def shown(self) -> list[tuple[str, str]]:
        found = map(ready_scenarios.entry, self.scenarios)
        return [(each.slug, each.title) for each in found if each]


@cache
def answers() -> list[OperatorAnswer]:
    return msgspec.json.decode((verdicts.FOLDER / "operators.json").read_bytes(), type=list[OperatorAnswer])


def answered(query: str) -> list[OperatorAnswer]:
    """Return the answers to what somebody typed, the best first."""
    texts = {at: (plain(each.question), plain(each.words)) for at, each in enumerate(answers())}
    return [answers()[at] for at in ranked(query, texts).keys[:MOST_ANSWERS]]


MOST: Final = 5
"""Of each: who wants more asks their own page."""


class RelatedPages(NamedTuple):
    """What a search found besides rules, the best first."""

    answers: list[OperatorAnswer]
    """To questions that operators ask."""
    subjects: list[tuple[str, str]]
    """Slug and title of each."""
    scenarios: list[ScenarioCard]


def related(query: str) -> RelatedPages:
    """Return the subjects and scenarios that have a query's words, in the reader's language."""
    subjects = {each.slug: each for each in verdicts.verdicts().values()}
    found = ranked(query, {slug: _searched(each) for slug, each in subjects.items()}).keys
    every = [cards.card(entry, "") for entry in ready_scenarios.entries()]
    return RelatedPages(
        answered(query),
        [(slug, str(SUBJECTS[subjects[slug].number])) for slug in found[:MOST]],
        cards.found(every, query)[:MOST],
    )


def _searched(each: ArticleVerdict) -> tuple[str, str]:
    return plain(str(SUBJECTS[each.number])), plain(f"{in_language(each.claim)} {in_language(each.finding)}")
