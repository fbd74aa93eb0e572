"""What a figure plays: what leads to a moment folds, on the page, to the engine's own state of that moment."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.broker.commands.scenario import parse
from engine.replay import on_ledger
from engine.values.errors import RunTooLong
from playground import verdicts
from playground.hosting.real_engine import door
from playground.storybook import cards, ready_scenarios
from tests.helpers.twin import Twin

EVERY = 6
"""Every sixth figure is tried: they are of all releases, and of runs with several nodes and queues."""
MOST_BYTES = 100_000
"""A figure that comes into view is there soon."""


def moments() -> list[tuple[str, int]]:
    """Return the run and the moment of each figure that stands beside a claim."""
    entries = {entry.slug: entry for entry in ready_scenarios.entries()}
    found = {
        (seen.scenario, entries[seen.scenario].run["until_us"] if seen.at_us is None else seen.at_us)
        for row in verdicts.mechanisms()
        for seen in row.seen[:1]
    }
    return sorted(found)


def test_the_lead_to_a_moment_folds_to_its_state(twin: Twin) -> None:
    runs = []
    for slug, at_us in moments()[::EVERY]:
        run: dict[str, Any] = next(each for each in ready_scenarios.entries() if each.slug == slug).run
        led = cards.lead_to(door(), run, at_us)
        messages = json.loads(led)
        node: Any = on_ledger(run)
        begun = node.log.number
        node.advance(at_us)
        assert len(led) <= MOST_BYTES, slug
        count = len(messages[1]["rows"])
        if count < min(cards.THUMBNAIL_ROWS, node.log.number - begun):
            times = node.log.since(begun).at_us
            event = times.count(times[messages[1]["first"] - begun - 1])  # it would make the lead too long
            assert event + count > cards.MOST_ROWS, slug
        assert messages[1]["first"] == messages[0]["next"], slug
        if not node.snapshot()["node"].get("vhosts"):  # the page shows one of them
            runs.append(
                {"messages": messages, "next": node.log.number, "digest": "", "state": node.snapshot()}
            )
    assert len(runs) > 20
    twin.agrees("frames-twin.mjs", runs)


def test_an_event_that_is_too_large_is_over_when_the_lead_begins() -> None:
    commands = [{"at_us": 10, "do": "publish", "count": 9000, "size_bytes": 10, "confirm": False}]
    scenario = {"version": 1, "profile": "4.3.6-classroom", "commands": commands, "until_us": 900_000}
    scenario = door().check({**scenario, "title": "", "seed": 1, "settings": {"max_messages": 20_000}})
    assert parse(scenario).until_us == 900_000
    start, frame = json.loads(cards.lead_to(door(), scenario, 900_000))
    assert len(frame["rows"]) <= cards.MOST_ROWS
    assert frame["first"] == start["next"]


def test_a_run_that_takes_too_long_is_given_up() -> None:
    run = next(each for each in ready_scenarios.entries() if each.slug == "first-burst").run
    with pytest.raises(RunTooLong):
        cards.lead_to(door(), run, run["until_us"], lambda: True)
