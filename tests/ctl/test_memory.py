"""The parts of a node's memory: the broker's names, what was measured, and nothing that the model has not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.broker.memory.calibration import CONNECTION_BASE
from engine.ctl.console import ask
from engine.ctl.memory import CONNECTION, IDLE, ORDER, memory_parts
from tests.ctl.played import made_state, recorded

MEASURED = json.loads((Path(__file__).parents[2] / "docs" / "calibration.json").read_text())["ram"]


def test_the_base_is_divided_as_an_idle_node_was_measured():
    parts = MEASURED["node_base"]["parts"]
    beyond = {"allocated_unused", "reserved_unallocated"}
    assert {name: size for name, size in parts.items() if size and name not in beyond} == IDLE
    assert set(parts) == set(ORDER)


def test_a_connection_is_divided_as_one_was_measured():
    connection, channel = (MEASURED[name]["parts"] for name in ("connection_base", "channel_base"))
    both = {name: connection.get(name, 0) + channel.get(name, 0) for name in connection | channel}
    assert {name: round(size) for name, size in both.items()} == CONNECTION
    assert sum(CONNECTION.values()) * 1000 == CONNECTION_BASE


@pytest.mark.parametrize("strategy", ["erlang", "rss", "allocated"])
def test_the_parts_are_all_that_the_node_counts(strategy):
    state = made_state()
    state["node"]["settings"]["vm_memory_calculation_strategy"] = strategy
    assert sum(memory_parts(state).values()) == state["node"]["memory"]["process_memory"]


def test_the_parts_have_the_order_of_the_broker_s_own_list():
    text = next(each["text"] for each in recorded() if each["line"].endswith("'rabbit_vm:memory().'"))
    listed = [line.strip(" [{").partition(",")[0] for line in text.splitlines()]
    assert listed[: len(ORDER)] == ORDER


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


def test_the_term_has_the_broker_s_shape_and_names_what_is_missing():
    text, remark = ask("rabbitmqctl eval 'rabbit_vm:memory().'", made_state(), 0).text.strip().rsplit("\n", 1)
    theirs = next(each["text"] for each in recorded() if each["line"].endswith("'rabbit_vm:memory().'"))
    numbers = re.compile(r"(?<=,)\d+")
    allocated = re.compile(r",\{allocated,\d+\}")
    assert numbers.sub("0", text) == numbers.sub("0", allocated.sub("", theirs)).strip()
    assert remark == "Waterline: not known here: allocated"
