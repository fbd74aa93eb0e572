"""Subjects and ready scenarios that have the words of a search for rules."""

from __future__ import annotations

from typing import Final, NamedTuple

from playground import verdicts
from playground.library import ready_scenarios
from playground.storybook import cards
from playground.storybook.cards import SUBJECTS, ScenarioCard
from playground.storybook.story import in_language
from playground.texts.word_search import plain, ranked
from playground.verdicts import ArticleVerdict, operators
from playground.verdicts.operators import OperatorAnswer

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
        operators.answered(query),
        [(slug, str(SUBJECTS[subjects[slug].number])) for slug in found[:MOST]],
        cards.found(every, query)[:MOST],
    )


def _searched(each: ArticleVerdict) -> tuple[str, str]:
    return plain(str(SUBJECTS[each.number])), plain(f"{in_language(each.claim)} {in_language(each.finding)}")
