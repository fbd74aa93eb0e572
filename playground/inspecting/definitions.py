"""definitions.json, as a broker exports it: its queues, exchanges, bindings and policies as a scenario to play with."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.broker.commands.scenario import parse
from engine.broker.commands.topology import MAX_QUEUES
from engine.values.errors import EngineError
from playground.inspecting.unreadable import Unreadable, Why, why

MOST_BYTES: Final = 1024 * 1024
MOST_EACH: Final = 64
UNTIL_US: Final = 1_000_000


class Taken(msgspec.Struct, frozen=True):
    """What of the definitions the engine can play.

    Args:
        scenario: with their topology.
        left_out: names of what it cannot, each with the reason.
    """

    scenario: dict[str, Any]
    left_out: list[tuple[str, Why]]


def read(data: bytes) -> Taken:
    """Return a scenario of definitions; raise Unreadable where they are none."""
    if len(data) > MOST_BYTES:
        raise Unreadable("definitions_bytes", most=MOST_BYTES)
    try:
        found = msgspec.json.decode(data, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise Unreadable("definitions") from None
    if not isinstance(found.get("queues"), list):
        raise Unreadable("definitions")
    topology: dict[str, list[dict[str, Any]]] = {}
    left_out: list[tuple[str, Why]] = []
    for table, shape in (
        ("queues", _queue),
        ("exchanges", _exchange),
        ("bindings", _binding),
        ("policies", _policy),
    ):
        topology[table] = []
        for each in _objects(found.get(table)):
            wanted = shape(each)
            if wanted is None:
                continue
            tried = {**topology, table: [*topology[table], wanted]}
            try:
                parse(_scenario(tried))
            except EngineError as error:
                left_out.append((str(each.get("name") or each.get("source") or table)[:80], why(error)))
            else:
                topology = tried
    if not topology["queues"]:
        raise Unreadable("definitions_queues", most=MAX_QUEUES)
    return Taken(parse(_scenario(topology)).to_json(), left_out[:MOST_EACH])


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)][:MOST_EACH] if isinstance(value, list) else []


def _scenario(topology: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "version": 1,
        "title": "definitions.json",
        "profile": "real",
        "seed": 1,
        "topology": topology,
        "commands": [],
        "until_us": UNTIL_US,
    }


def _queue(each: dict[str, Any]) -> dict[str, Any]:
    arguments = each.get("arguments") or {}
    return {
        "name": each.get("name"),
        "durable": each.get("durable", True),
        "auto_delete": each.get("auto_delete", False),
        "arguments": {name: value for name, value in arguments.items() if name != "x-queue-type"},
    }


def _exchange(each: dict[str, Any]) -> dict[str, Any] | None:
    name = str(each.get("name", ""))
    if name == "" or name.startswith("amq."):
        return None
    return {
        name: each[name]
        for name in ("name", "type", "durable", "auto_delete", "internal", "arguments")
        if name in each
    }


def _binding(each: dict[str, Any]) -> dict[str, Any] | None:
    if each.get("destination_type", "queue") != "queue" or each.get("source") == "":
        return None
    found = {
        "exchange": each.get("source"),
        "queue": each.get("destination"),
        "routing_key": each.get("routing_key", ""),
    }
    return {**found, "arguments": each["arguments"]} if each.get("arguments") else found


def _policy(each: dict[str, Any]) -> dict[str, Any]:
    found = {
        "name": each.get("name"),
        "pattern": each.get("pattern"),
        "definition": each.get("definition") or {},
    }
    return {**found, "priority": each.get("priority", 0), "apply_to": each.get("apply-to", "queues")}
