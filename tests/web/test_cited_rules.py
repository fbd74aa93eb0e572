"""A rule that a reading or an exercise cites shares a term with the sentence that it stands beside.

Whoever looks a rule up finds what the sentence speaks of. Few sentences say what a rule says in other words: those are
listed by hand, each with the words in which its rule says it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import msgspec

from playground import rules
from playground.exercises import catalog, task
from tests.helpers.terms import terms_of

OFTEN: Final = 0.2
"""A word that so large a share of the rules has says nothing of one of them."""
IN_OTHER_WORDS: Final = {
    ("absolute-and-relative.gone", "P9"): "expiry",
    ("garbage.left", "S148"): "valid_total_size == 0",
    ("holding-back.where", "D12"): "held in the channel",
    ("little.store", "Q12"): "STORE if est >= T else INDEX",
    ("maps.all", "Q46"): "target ≥ ram_msg_count",
    ("own.mine", "Q20"): "q4.push_tail(m)",
    ("own.theirs", "Q31"): "Then remove",
    ("routing.lost", "K10"): "Unroutable",
    ("routing.table", "K10"): "every queue it was routed to",
    ("sizes.next", "Q31"): "take; if EMPTY stop",
    ("stores-of-a-host.hosts", "S3"): "per vhost",
    ("stores-of-a-host.row", "S130"): "ref_count, file, offset, total_size",
    ("what-a-read-brings.look", "Q44"): "every 1001st reduces",
    ("when-space-comes-back.shared", "W138"): "ref −1",
}
"""What the rule calls what the sentence says."""


@cache
def of_rule(cited: str) -> frozenset[str]:
    """Return the key words of a rule: those of its heading and its text that few rules have."""
    found = rules.find(cited)
    assert found is not None, cited
    return frozenset(terms_of(f"{found.title} {found.section} {found.text}") - often())


@cache
def often() -> frozenset[str]:
    """Return the words that too many rules have."""
    every = rules.by_id().values()
    counts = Counter(word for each in every for word in terms_of(each.text))
    return frozenset(word for word, count in counts.items() if count > OFTEN * len(every))


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_of(part)


def cited() -> Iterator[tuple[str, str, str]]:
    """Yield each place, its text in English, and a rule that is cited there."""
    for slug, reading in task.readings().items():
        for sentence in reading.sentences:
            for rule in sentence.rules:
                yield f"{slug}.{sentence.id}", f"{reading.en.title} {reading.en.sentences[sentence.id]}", rule
    for slug, usual in catalog.exercises().items():
        for seed in range(len(usual.cases) + 1):
            each = catalog.variant(slug, seed)
            for rule in each.rules:
                yield f"{slug} {each.case}".strip(), " ".join(texts_of(msgspec.to_builtins(each.en))), rule


def test_a_cited_rule_shares_a_term_with_its_sentence() -> None:
    places = list(cited())
    assert len(places) >= 350
    alone = {(place, rule): text for place, text, rule in places if not terms_of(text) & of_rule(rule)}
    assert {key: text for key, text in alone.items() if key not in IN_OTHER_WORDS} == {}
    assert set(IN_OTHER_WORDS) - set(alone) == set(), "these share a term now"


def test_what_is_listed_by_hand_is_said_by_its_rule() -> None:
    for (_place, rule), said in IN_OTHER_WORDS.items():
        found = rules.find(rule)
        assert found is not None
        assert said in " ".join(f"{found.title} {found.text}".split()), (rule, said)


def test_a_rule_of_something_else_would_be_found() -> None:
    """As the third audit found them: a sentence on a read of segments cited the rule on taking a message."""
    assert not terms_of("A memory alarm blocks publishers") & of_rule("S130")
    assert not terms_of("What the file limit does to a roll-over") & of_rule("D6")
