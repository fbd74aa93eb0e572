"""The parts of a node's memory: the release's names, what was measured, and nothing that the model has not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.broker.memory.model import CONNECTION_BASE
from engine.ctl.console import ask
from engine.ctl.releases import CONNECTION, FACTS
from engine.ctl.reports import BEYOND, UNITS, memory_parts
from tests.ctl.played import made_state, profile_of, recorded
from tests.ctl.record import IDLE

MEASURED = json.loads((Path(__file__).parents[2] / "docs" / "calibration.json").read_text())["ram"]
TERM = re.compile(r"\{(\w+),(\d+)\}")


def measured(release: str) -> dict[str, int]:
    """Return the parts of an idle node's memory as it printed them."""
    text = recorded(release, IDLE)[0]["text"].partition("{strategy,")[0]
    return {name: int(size) for name, size in TERM.findall(text)}


@pytest.mark.parametrize("release", FACTS)
def test_the_base_is_divided_as_an_idle_node_was_measured(release):
    """3.10.8's figures are those of the calibration, of a node that had run for longer; all have its order."""
    theirs, facts = measured(release), FACTS[release]
    assert list(facts.idle) == list(theirs)
    if release == "3.10.8":
        theirs = {name: MEASURED["node_base"]["parts"][name] for name in theirs}
    lived = {name: size for name, size in theirs.items() if name not in BEYOND}
    assert {name: facts.idle[name] for name in lived} == pytest.approx(lived, rel=0.15, abs=100_000)


def test_a_connection_is_divided_as_one_was_measured():
    connection, channel = (MEASURED[name]["parts"] for name in ("connection_base", "channel_base"))
    both = {name: connection.get(name, 0) + channel.get(name, 0) for name in connection | channel}
    assert {name: round(size) for name, size in both.items()} == CONNECTION
    assert sum(CONNECTION.values()) * 1000 == CONNECTION_BASE


@pytest.mark.parametrize("strategy", ["erlang", "rss", "allocated"])
@pytest.mark.parametrize("release", FACTS)
def test_the_parts_are_all_that_the_node_counts(release, strategy):
    state = made_state(profile_of(release))
    state["node"]["settings"]["vm_memory_calculation_strategy"] = strategy
    assert sum(memory_parts(FACTS[release], state).values()) == state["node"]["memory"]["process_memory"]


@pytest.mark.parametrize("release", FACTS)
def test_every_unit_of_the_release_is_known(release):
    state = made_state(profile_of(release))
    for unit in FACTS[release].units.split(", "):
        assert unit in UNITS
        assert f" {unit} (" in ask(f"rabbitmq-diagnostics memory_breakdown --unit {unit}", state, 0).text


def test_what_a_strategy_does_not_count_is_not_given_as_nothing():
    state = made_state()
    state["node"]["settings"]["vm_memory_calculation_strategy"] = "erlang"
    state["node"]["memory"]["beyond_live_bytes"] = 0
    text = ask("rabbitmq-diagnostics memory_breakdown", state, 0).text
    assert "\nallocated_unused" not in text
    assert (
        "\nWaterline: not known here with this calculation strategy: allocated_unused, reserved_unal" in text
    )
    found = json.loads(ask("rabbitmq-diagnostics memory_breakdown --formatter json", state, 0).text)
    assert "reserved_unallocated" not in found
    assert all(set(each) == {"bytes", "percentage"} for each in found.values())


@pytest.mark.parametrize("release", FACTS)
def test_the_term_has_the_broker_s_shape_and_names_what_is_missing(release):
    answer = ask("rabbitmqctl eval 'rabbit_vm:memory().'", made_state(profile_of(release)), 0).text
    text, remark = answer.strip().rsplit("\n", 1)
    lines = [
        each["text"] for each in recorded(release, "first") if each["line"].endswith("'rabbit_vm:memory().'")
    ]
    numbers = re.compile(r"(?<=,)\d+")
    allocated = re.compile(r",\{allocated,\d+\}")
    assert numbers.sub("0", text) == numbers.sub("0", allocated.sub("", lines[0])).strip()
    assert remark == "Waterline: not known here: allocated"
