"""What a step of the tour says is so: its own commands are played, and its claim holds where its text stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import pytest

from engine.replay import on_ledger
from tests.helpers.twin import Twin

CLEAR: Final = {"eight": 8, "thirty": 30, "five of them": 5, "forty": 40}
"""Numbers that a step's text says of what its commands publish."""
STEP_US: Final = 20_000_000


def lane(state: dict[str, Any], name: str) -> int:
    """Return how many messages a lane of the queue has."""
    queue = state["queues"]["orders"]
    if name in queue["counted"]:
        return int(queue["counted"][name][1])
    return sum(int(row[1]) for row in queue["lanes"][name])


def stored(state: dict[str, Any]) -> int:
    return sum(int(file[4]) for store in state["stores"].values() for file in store["files"])


CLAIMS: Final[dict[str, Callable[[dict[str, Any], Counter[str]], bool]]] = {
    "alpha": lambda state, _seen: lane(state, "q4") == 8 and stored(state) == 0,
    "paging": lambda _state, seen: seen["AlphasPushed"] > 0 and seen["TargetChanged"] > 0,
    "delta": lambda state, seen: (
        seen["BetasPushed"] > 0 and lane(state, "delta") > 0 and lane(state, "q3") > 0
    ),
    "files": lambda state, _seen: stored(state) > 0,
    "read": lambda _state, seen: seen["DeltaRead"] > 0 and seen["Fetched"] > 0,
    "plug": lambda _state, seen: seen["QueueStopped"] > 0 and seen["QueueStarted"] > 0,
}
"""What version 1's steps say, beyond what every page has."""


@pytest.fixture(scope="module")
def steps(twin: Twin) -> list[dict[str, Any]]:
    asked = "m.TOUR.map((s) => ({ id: s.id, text: s.text(false), commands: s.commands ?? [] }))"
    return list(twin.evaluate(asked, "generations/v1/model/tour.js"))


def test_each_step_of_the_tour_holds_of_the_run_that_its_commands_make(steps: list[dict[str, Any]]) -> None:
    node = on_ledger({"version": 1, "profile": "classroom", "until_us": 600_000_000, "commands": []})
    at_us, held = 1_000_000, set[str]()
    node.advance(at_us)
    for step in steps:
        began = node.log.number
        claim = CLAIMS.get(step["id"])
        if claim and step["commands"] and at_us > 1_000_000:
            assert not claim(node.snapshot(), Counter()), f"{step['id']}: it was so before"
        for command in step["commands"]:
            node.submit(command)
        assert claim or not step["commands"], f"{step['id']}: nothing is claimed of it"
        end_us = at_us + STEP_US
        while claim and at_us < end_us:
            at_us += 100_000
            node.advance(at_us)
            news = node.log.since(began)
            assert news is not None
            if claim(node.snapshot(), Counter(type(row).__name__ for row in news.rows)):
                held.add(step["id"])
                break
        assert claim is None or step["id"] in held, step["text"]
    assert held == set(CLAIMS)


def test_the_numbers_of_a_step_are_those_that_its_commands_publish(steps: list[dict[str, Any]]) -> None:
    found = 0
    for step in steps:
        bursts = [each for each in step["commands"] if each["do"] == "publish"]
        counts = {
            sum(each["count"] for each in bursts),
            *(each["count"] for each in bursts if each["persistent"]),
        }
        for words, value in CLEAR.items():
            if bursts and re.search(rf"\b{words}\b", step["text"].lower()):
                found += 1
                assert value in counts, (step["id"], words)
    assert found == len(CLEAR)


@pytest.mark.parametrize("generation", ["v1", "v2"])
def test_a_first_step_waits_for_what_the_engine_reports(twin: Twin, generation: str) -> None:
    """Each ticks itself off by a kind of transition that there is, or by a state; and its button is on the page."""
    known = set(twin.evaluate("Object.keys(m.KINDS)", "model/catalogue/kinds.js"))
    asked = "m.FIRST_STEPS.map((s) => ({ id: s.id, done: s.done ?? [], met: Boolean(s.met) }))"
    for step in twin.evaluate(asked, f"generations/{generation}/model/tour.js"):
        assert step["done"] or step["met"], step["id"]
        assert set(step["done"]) <= known, step["id"]
