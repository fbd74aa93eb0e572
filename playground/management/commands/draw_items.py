"""manage.py draw_items: draw items of the articles that nobody has judged, and print what there is to read of each."""

from __future__ import annotations

from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from playground import verdicts
from playground.catalogue import said_near
from playground.storybook import ready_scenarios
from playground.storybook.story import in_language


class Command(BaseCommand):
    """For whoever judges, as a reader of the page alone, whether the page shows an item."""

    help = "Draw items of the articles that nobody has judged yet, and print what the page says at their moments."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--seed", type=int, required=True, help="of the draw; a kept one draws the same items again"
        )
        parser.add_argument("--count", type=int, default=80, help="so many items (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        entries = {each.slug: each for each in ready_scenarios.entries()}
        for item in drawn(options["seed"], options["count"]):
            row = next(each for each in verdicts.mechanisms() if item in each.items)
            self.stdout.write(f"{item}: {in_language(row.claim)} ({row.verdict})")
            for seen in row.seen:
                entry = entries[seen.scenario]
                at_us = entry.run["until_us"] if seen.at_us is None else seen.at_us
                self.stdout.write(f"  {seen.scenario} at {at_us / 1_000_000:g} s")
                self.stdout.writelines(f"    {text}" for text in said_near(entry, at_us))


def drawn(seed: int, count: int) -> list[str]:
    """Return items that no judgement has but that of the same seed, and later ones."""
    every = [item for article in verdicts.articles() for item in article.numbered()]
    earlier = set[str]()
    for each in verdicts.judgements():
        if each.seed == seed:
            break
        earlier |= set(each.items)
    left = [item for item in every if item not in earlier]
    return sorted(Random(seed).sample(left, min(count, len(left))), key=every.index)
