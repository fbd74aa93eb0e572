"""What a step of the tour says is so: its own commands are played, and its claim holds where its text stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from engine.replay import on_ledger
from tests.helpers.twin import Twin

CLEAR: Final = {
    "v1": {"eight": 8, "thirty": 30, "five of them": 5, "forty": 40},
    "v2": {"eight": 8, "forty": 40},
}
"""Numbers that a step's text says of what its commands publish."""
STEP_US: Final = 20_000_000
State = dict[str, Any]
Claim = Callable[[State, list[Any]], bool]


def lane(state: State, name: str) -> int:
    """Return how many messages a lane of the queue has."""
    queue = state["queues"]["orders"]
    if name in queue["counted"]:
        return int(queue["counted"][name][1])
    return sum(int(row[1]) for row in queue["lanes"][name])


def stored(state: State) -> int:
    return sum(int(file[4]) for store in state["stores"].values() for file in store["files"])


def counter(state: State, name: str) -> int:
    return int(state["queues"]["orders"]["counters"][name])


def seen(rows: list[Any], *kinds: str) -> bool:
    """Return whether rows of all these kinds came since the step began."""
    return set(kinds) <= {type(row).__name__ for row in rows}


def windows(rows: list[Any]) -> list[int]:
    """Return L of each load."""
    return [row.why["window"] for row in rows if type(row).__name__ == "TailLoaded"]


CLAIMS: Final[dict[str, dict[str, Claim]]] = {
    "v1": {
        "alpha": lambda state, _rows: lane(state, "q4") == 8 and stored(state) == 0,
        "paging": lambda _state, rows: seen(rows, "AlphasPushed", "TargetChanged"),
        "delta": lambda state, rows: (
            seen(rows, "BetasPushed") and lane(state, "delta") > 0 and lane(state, "q3") > 0
        ),
        "files": lambda state, _rows: stored(state) > 0,
        "read": lambda _state, rows: seen(rows, "DeltaRead", "Fetched"),
        "plug": lambda _state, rows: seen(rows, "QueueStopped", "QueueStarted"),
    },
    "v2": {
        "head": lambda state, _rows: (
            (lane(state, "head"), lane(state, "tail"), counter(state, "window")) == (1, 7, 1)
            and stored(state) > 0
        ),
        "tail": lambda state, _rows: lane(state, "tail") > 40 and counter(state, "ram_msg_count") == 1,
        "files": lambda state, _rows: stored(state) > 0,
        "read": lambda _state, rows: seen(rows, "Fetched") and set(windows(rows)) == {1},
        "window": lambda state, rows: 1 < counter(state, "window") <= 8 and max(windows(rows), default=1) > 1,
        "plug": lambda state, rows: (
            seen(rows, "QueueStopped", "QueueStarted")
            and lane(state, "head") == 1
            and lane(state, "tail") > 8
        ),
    },
}
"""What the steps of each version say, beyond what every page has."""
PROFILES: Final = {
    "classroom": "v1",
    "3.8.9-classroom": "v1",
    "4.0.5-classroom": "v2",
    "4.3.6-classroom": "v2",
}


@pytest.fixture(scope="module", params=["v1", "v2"])
def generation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def steps(twin: Twin, generation: str) -> list[dict[str, Any]]:
    asked = "m.TOUR.map((s) => ({ id: s.id, text: s.text(false), commands: s.commands ?? [] }))"
    return list(twin.evaluate(asked, f"generations/{generation}/model/tour.js"))


def test_each_step_of_the_tour_holds_of_the_run_that_its_commands_make(
    steps: list[dict[str, Any]], generation: str
) -> None:
    for profile in (name for name, its in PROFILES.items() if its == generation):
        assert play(steps, CLAIMS[generation], profile) == set(CLAIMS[generation]), profile


def play(steps: list[dict[str, Any]], claims: dict[str, Claim], profile: str) -> set[str]:
    """Play the steps' commands one after another; return the steps whose claims came true, each in its turn."""
    node = on_ledger({"version": 1, "profile": profile, "until_us": 600_000_000, "commands": []})
    at_us, held = 1_000_000, set[str]()
    node.advance(at_us)
    for step in steps:
        began = node.log.number
        claim = claims.get(step["id"])
        if claim and step["commands"] and at_us > 1_000_000:
            assert not claim(node.snapshot(), []), f"{step['id']}: it was so before"
        for command in step["commands"]:
            node.submit(command)
        assert claim or not step["commands"], f"{step['id']}: nothing is claimed of it"
        end_us = at_us + STEP_US
        while claim and at_us < end_us:
            at_us += 100_000
            node.advance(at_us)
            news = node.log.since(began)
            assert news is not None
            if claim(node.snapshot(), list(news.rows)):
                held.add(step["id"])
                break
        assert claim is None or step["id"] in held, f"{profile}: {step['text']}"
    return held


def test_the_numbers_of_a_step_are_those_that_its_commands_publish(
    steps: list[dict[str, Any]], generation: str
) -> None:
    found = 0
    for step in steps:
        bursts = [each for each in step["commands"] if each["do"] == "publish"]
        counts = {
            sum(each["count"] for each in bursts),
            *(each["count"] for each in bursts if each["persistent"]),
        }
        for words, value in CLEAR[generation].items():
            if bursts and re.search(rf"\b{words}\b", step["text"].lower()):
                found += 1
                assert value in counts, (step["id"], words)
    assert found == len(CLEAR[generation])


def test_a_first_step_waits_for_what_the_engine_reports(twin: Twin, generation: str) -> None:
    """Each ticks itself off by a kind of transition that there is, or by a state; and its button is on the page."""
    known = set(twin.evaluate("Object.keys(m.KINDS)", "model/catalogue/kinds.js"))
    asked = "m.FIRST_STEPS.map((s) => ({ id: s.id, done: s.done ?? [], met: Boolean(s.met) }))"
    for step in twin.evaluate(asked, f"generations/{generation}/model/tour.js"):
        assert step["done"] or step["met"], step["id"]
        assert set(step["done"]) <= known, step["id"]
