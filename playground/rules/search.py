"""Finding rules by their words, their ids, or a span of ids such as S60-S66."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from playground import rules
from playground.rules.render import plain
from playground.rules.specification import RuleText

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
def _texts() -> dict[str, str]:
    return {
        rule.id: f"{rule.id} {plain(rule.title)} {plain(rule.text)}"
        if rule.title
        else f"{rule.id} {plain(rule.text)}"
        for rule in rules.by_id().values()
    }


def search(query: str) -> list[SearchHit]:
    """Return the rules that a query means, in the order of the specification.

    Args:
        query: a span of ids, or words that a rule has all; what is longer than LONGEST_QUERY is cut.
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
    words = query.casefold().split()
    found = [_hit(rule, words[0]) for rule in rules.by_id().values() if words and _has_all(rule, words)]
    return [SearchHit(exact), *(hit for hit in found if hit.rule is not exact)] if exact else found


def _has_all(rule: RuleText, words: list[str]) -> bool:
    text = _texts()[rule.id].casefold()
    return all(word in text for word in words)


def _hit(rule: RuleText, word: str) -> SearchHit:
    text = _texts()[rule.id]
    found = re.search(re.escape(word), text, re.IGNORECASE)
    if found is None:  # casefold has more pairs of letters than a regular expression does
        return SearchHit(rule)
    first, last = max(0, found.start() - AROUND), found.end() + AROUND
    before, after = text[first : found.start()], text[found.end() : last]
    return SearchHit(
        rule, ("…" if first else "") + before, found[0], after + ("…" if last < len(text) else "")
    )
