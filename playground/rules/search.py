"""Finding rules by their words, their ids, or a span of ids such as S60-S66."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from playground import rules
from playground.rules.render import plain
from playground.rules.specification import RuleText
from playground.texts.word_search import first_form, ranked
from playground.texts.word_search import plain as plain_words

SPAN = re.compile(r"([A-Za-z])(\d{1,3})\s*[-–]\s*[A-Za-z]?(\d{1,3})")
LONGEST_QUERY = 100
AROUND = 70


class SearchHit(msgspec.Struct, frozen=True):
    """A rule that was found, with the words around the first match: before it, the match, after it."""

    rule: RuleText
    before: str = ""
    match: str = ""
    after: str = ""


@cache
def _shown() -> dict[str, str]:
    """Return the plain text of each rule with its id and title."""
    return {
        rule.id: " ".join(filter(None, (rule.id, plain(rule.title or ""), plain(rule.text))))
        for rule in rules.by_id().values()
    }


@cache
def _texts() -> dict[str, tuple[str, str]]:
    """Return heading and text of each rule, as words are compared."""
    return {
        rule.id: (plain_words(f"{rule.id} {rule.heading}"), plain_words(_shown()[rule.id]))
        for rule in rules.by_id().values()
    }


def search(query: str) -> list[SearchHit]:
    """Return the rules that a query means, the best first.

    Args:
        query: an id, a span of ids, or words; what is longer than LONGEST_QUERY is cut.
    """
    query = query.strip()[:LONGEST_QUERY]
    span = SPAN.fullmatch(query)
    if span:
        family, first, last = span[1].upper(), int(span[2]), int(span[3])
        return [
            SearchHit(rule)
            for rule in rules.by_id().values()
            if rule.id[0] == family and first <= int(rule.id[1:]) <= last
        ]
    exact = rules.find(query) if query else None
    best = ranked(query, _texts())
    found = [_hit(rules.by_id()[rule_id], best.words) for rule_id in best.keys]
    return [SearchHit(exact), *(hit for hit in found if hit.rule is not exact)] if exact else found


def _hit(rule: RuleText, words: list[str]) -> SearchHit:
    """Return a rule with the words around the rarest of the query's words that it has."""
    text, (_heading, plain_text) = _shown()[rule.id], _texts()[rule.id]
    form = next(filter(None, (first_form(word, plain_text) for word in words)), "")
    found = re.search(re.escape(form), text, re.IGNORECASE) if form else None
    if found is None:  # casefold has more pairs of letters than a regular expression does
        return SearchHit(rule)
    first, last = max(0, found.start() - AROUND), found.end() + AROUND
    before, after = text[first : found.start()], text[found.end() : last]
    return SearchHit(
        rule, ("…" if first else "") + before, found[0], after + ("…" if last < len(text) else "")
    )
