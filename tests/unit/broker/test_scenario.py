"""Scenarios and commands: what is accepted, and how a refusal names the place."""

from __future__ import annotations

from typing import Any

import pytest

from engine.broker.commands import commands, scenario
from engine.values.errors import CommandError, ScenarioError


def _with(**properties: object) -> dict[str, object]:
    return {"do": "publish", "count": 1, "size_bytes": 1, "properties": properties}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (3, 'a command is an object such as {"do": "purge"}'),
        ({"do": "fly"}, "do must be one of publish, set_publisher"),
        ({"do": ["publish"]}, "do must be one of"),
        ({"do": "publish", "size_bytes": 1}, "publish: count is missing"),
        ({"do": "publish", "count": 0, "size_bytes": 1}, "publish: count must be at least 1"),
        ({"do": "publish", "count": 10**30, "size_bytes": 1}, "publish: count must be at most 10000000"),
        ({"do": "publish", "count": 1, "size_bytes": 2**28}, "publish: size_bytes must be at most 134217728"),
        ({"do": "publish", "count": "1", "size_bytes": 1}, "publish: count must be a whole number, not text"),
        ({"do": "publish", "count": True, "size_bytes": 1}, "publish: count must be a whole number"),
        ({"do": "publish", "count": 1, "size_bytes": 1, "x": 1}, "publish: x is not known here"),
        ({"do": "set", "name": "speed", "value": 1}, "'speed' is none of the possible values"),
        ({"do": "set", "name": "queue_mode", "value": "fast"}, "'fast' is none of the possible values"),
        (
            {"do": "set", "name": "vm_memory_high_watermark", "value": 3},
            "set vm_memory_high_watermark: value must be at most 1",
        ),
        ({"do": "set", "name": "target_ram_count", "value": 0.5}, "value must be a whole number"),
        ({"do": "set_consumer", "name": "hand"}, "the name hand is taken"),
        (
            {"do": "set_publisher", "name": "P 1", "rate_per_s": 1, "size_bytes": 1},
            "name must begin with a letter",
        ),
        ({"do": "set_consumer", "name": "c1\n"}, "name has a line break"),
        ({"do": "restart", "kind": "slow"}, "'slow' is none of the possible values"),
        (_with(priority=256), "publish: properties.priority must be a whole number from 0 to 255"),
        (_with(priority="high"), "publish: properties.priority must be a whole number from 0 to 255"),
        (_with(content_type=5), "publish: properties.content_type must be text, not int"),
        (_with(user_id="é" * 128), "publish: properties.user_id must have at most 255 bytes of UTF-8"),
        (_with(colour=1), "publish: properties has no colour; there are app_id, cluster_id"),
        (
            {"do": "publish", "count": 1, "size_bytes": 1, "expiration": "é" * 128},
            "publish: expiration must have at most 255 bytes of UTF-8",
        ),
    ],
)
def test_refused_commands_say_why(command: object, message: str) -> None:
    with pytest.raises(CommandError) as refused:
        commands.parse(command)
    assert message in str(refused.value)


def test_commands_come_back_canonical() -> None:
    parsed = commands.parse({"size_bytes": 10, "do": "publish", "count": 2})
    assert commands.to_json(parsed) == {
        "do": "publish",
        "count": 2,
        "size_bytes": 10,
        "persistent": False,
        "confirm": False,
    }
    assert commands.parse(commands.to_json(parsed)) == parsed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version must be 1"),
        ({"profile": "huge"}, "profile: 'huge' is none of the possible values"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"until_us": 10**12}, "until_us must be at most"),
        ({"colour": 1}, "colour is not known here"),
        ({"title": "x" * 201}, "title must have at most 200 characters"),
        ({"settings": {"speed": 1}}, "settings: speed is no setting; there are base_memory_bytes"),
        ({"settings": {"ram_bytes": 5}}, "settings.ram_bytes must be at least 65536"),
        (
            {"settings": {"segment_entry_count": 0}},
            "settings.segment_entry_count must be a whole number from 1",
        ),
        ({"settings": {"msg_store_credit_disc_bound": [1, 2]}}, "1 <= more <= initial"),
        ({"commands": [{"do": "purge"}]}, "commands[0].at_us must be a whole number"),
        ({"commands": [{"at_us": 1, "do": "publish"}]}, "commands[0]: publish: count is missing"),
        (
            {"commands": [{"at_us": 2, "do": "purge"}, {"at_us": 1, "do": "purge"}]},
            "commands[1].at_us is before",
        ),
        (
            {"commands": [{"at_us": 9, "do": "purge"}], "until_us": 8},
            "commands[0].at_us must be at most until_us",
        ),
        ({"digest": "abc"}, "digest"),
    ],
)
def test_refused_scenarios_name_the_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        scenario.parse({"version": 1, "profile": "classroom", **change})
    assert message in str(refused.value)


@pytest.mark.parametrize("text", [b"{", b"[]", b"null", b"\xff", b" " * 3_000_000])
def test_what_is_no_scenario_is_refused(text: bytes) -> None:
    with pytest.raises(ScenarioError):
        scenario.parse(text)


def test_scenario_text_is_canonical() -> None:
    first = scenario.parse(
        {
            "version": 1,
            "profile": "real",
            "settings": {"ram_bytes": 2**30, "max_messages": 5},
            "commands": [{"at_us": 5, "do": "get", "count": 1}],
        }
    )
    assert scenario.parse(first.encode()) == first
    assert first.encode() == scenario.parse(first.encode()).encode()
    queue, node = first.resolved()
    assert (queue.segment_entry_count, node.ram_bytes, node.max_messages) == (2048, 2**30, 5)
