"""Items of the articles that nobody has judged, drawn, and what there is to read of each.

For whoever judges, as a reader of the page alone, whether the page shows an item.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from playground import verdicts
from playground.storybook import ready_scenarios
from playground.storybook.story import in_language
from tools.catalogue.coverage import articles, judgements, said_near


def lines(seed: int, count: int) -> Iterator[str]:
    """Yield each drawn item with its row, and what the page says at its moments."""
    entries = {each.slug: each for each in ready_scenarios.entries()}
    for item in drawn(seed, count):
        row = next(each for each in verdicts.mechanisms() if item in each.items)
        yield f"{item}: {in_language(row.claim)} ({row.verdict})"
        for seen in row.seen:
            entry = entries[seen.scenario]
            at_us = entry.run["until_us"] if seen.at_us is None else seen.at_us
            yield f"  {seen.scenario} at {at_us / 1_000_000:g} s"
            yield from (f"    {text}" for text in said_near(entry, at_us))


def drawn(seed: int, count: int) -> list[str]:
    """Return items that no judgement has but that of the same seed, and later ones."""
    every = [item for article in articles() for item in article.numbered()]
    earlier = set[str]()
    for each in judgements():
        if each.seed == seed:
            break
        earlier |= set(each.items)
    left = [item for item in every if item not in earlier]
    return sorted(Random(seed).sample(left, min(count, len(left))), key=every.index)
