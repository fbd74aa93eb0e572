"""A claim that every run keeps is worth nothing: one that a wrong name is absent, for example."""

from __future__ import annotations

import re
from typing import Final

from engine.reading.conditions import Condition, needs_every_moment
from playground import verdicts
from playground.storybook import ready_scenarios
from playground.storybook.rehearsal import rehearse
from playground.storybook.story import StoryClaim

ENTRIES: Final = {each.slug: each for each in ready_scenarios.entries()}
OTHERS: Final = (
    *("first-burst", "garbage-collection", "restart-matrix", "one-body-three-queues", "paging-spike"),
    *("mirrors-late", "exclusive-queue", "one-in-ram-after-a-start", "lazy-consumed", "disk-alarm"),
    *("real-delta", "memory-alarm", "confirm-timeline"),
)
"""Runs that have little in common: one and several queues and nodes, alarms, stops, versions 1 and 2."""
PARTS: Final = 6
"""A run is looked at so many times, evenly, the last time at its end."""
NUMBER: Final = re.compile(r"^claims\[(\d+)\]")
Claims = dict[tuple[str, str], Condition]
"""Conditions by the scenario that they stand beside, and by their own words."""


def always_true(tests: Claims, slug: str, parts: int = PARTS) -> Claims:
    """Return the conditions that hold at each moment of a ready scenario."""
    entry = ENTRIES[slug]
    moments = [None, *(entry.run["until_us"] * part // parts for part in range(parts))]
    more = [StoryClaim(at_us=at_us, test=test) for at_us in moments for test in tests.values()]
    known = len(entry.story.claims)
    numbers = [int(found[1]) for each in rehearse(entry, more=more).broken if (found := NUMBER.match(each))]
    broken = {(number - known) % len(tests) for number in numbers if number >= known}
    return {name: test for at, (name, test) in enumerate(tests.items()) if at not in broken}


def true_of_every_run(tests: Claims) -> set[tuple[str, str]]:
    """Return which conditions hold at each moment of the other runs and of their own."""
    for slug in OTHERS:
        tests = always_true(tests, slug)
    return {name for name, test in tests.items() if always_true({name: test}, name[0], 40)}


def test_no_claim_is_kept_by_every_run() -> None:
    tests = {
        str(claim.test): ((slug, f"@{claim.at_us}: {claim.test}"), claim.test)
        for slug, entry in ENTRIES.items()
        for claim in [*entry.story.claims, *verdicts.claims_of(slug)]
        if not needs_every_moment(claim.test)
    }
    assert len(tests) >= 800
    assert true_of_every_run(dict(tests.values())) == set()


def test_such_a_claim_would_be_found() -> None:
    nothing = ("read-while-combining", "no such setting")
    assert true_of_every_run({nothing: Condition(path="node.settings.no_such")}) == {nothing}
