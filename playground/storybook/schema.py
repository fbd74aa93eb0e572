"""The published JSON Schema of the scenario file, made from the types with which files are read."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from engine.broker.commands import base, commands
from engine.broker.commands import scenario as scenarios
from engine.broker.commands.settings import RULES, NodeSettings
from engine.releases import PROFILES, RELEASES
from playground.storybook.entry import PRESENT
from playground.storybook.story import Microseconds, ScenarioStory

ADDRESS: Final = "/schema/scenario-v1.json"
STORAGE: Final[dict[str, Any]] = {
    each.storage.settings.__name__: each.storage.settings for each in RELEASES.values()
}
"""The settings of each generation of storage, by their name in the schema."""
CHOSEN: Final = frozenset().union(*(each.storage.chosen for each in RELEASES.values()))
"""Those of them that a scenario may choose."""


@cache
def schema() -> dict[str, Any]:
    """Return the schema as an object."""
    run_type = scenarios._Raw  # noqa: SLF001
    types = (ScenarioStory, run_type, commands.AnyCommand, Microseconds, NodeSettings, *STORAGE.values())
    _parts, definitions = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    definitions = {name: _portable(value) for name, value in definitions.items()}
    story, run = definitions.pop("ScenarioStory"), definitions.pop("_Raw")
    timed = _timed(definitions)
    run["properties"]["profile"] = {"enum": sorted(PROFILES)}
    run["properties"]["version"] = {"const": PRESENT}
    run["properties"]["commands"]["items"] = {"$ref": "#/$defs/TimedCommand"}
    run["properties"]["settings"] = _settings(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ADDRESS,
        "title": "Waterline scenario, version 1",
        "description": "A run of a RabbitMQ classic queue, and the story around it. Times are virtual microseconds.",
        "type": "object",
        "properties": {**run["properties"], **story["properties"]},
        "required": run["required"],
        "additionalProperties": False,
        "$defs": {**definitions, "TimedCommand": timed},
    }


def _timed(definitions: dict[str, Any]) -> dict[str, Any]:
    """Give every command its time, and the virtual host that it may name."""
    hosts = {kind.__name__ for kind in commands.KINDS.values() if base.in_a_host(kind)}
    verbs = [name for name, value in definitions.items() if "do" in value.get("properties", {})]
    for name in verbs:
        properties = definitions[name]["properties"]
        definitions[name]["properties"] = {
            "at_us": _portable({"type": "integer", "minimum": 0}),
            **properties,
            **({base.FIELD: _portable({"type": "string", "minLength": 1})} if name in hosts else {}),
        }
        definitions[name]["required"] = ["at_us", *definitions[name]["required"]]
    return {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in sorted(verbs)]}


def _settings(definitions: dict[str, Any]) -> dict[str, Any]:
    """Every setting of the queue and the node, none of them required."""
    properties: dict[str, Any] = {RULES: {"enum": sorted(RELEASES)}}
    for name in STORAGE:
        chosen = definitions.pop(name)["properties"].items()
        properties |= {setting: value for setting, value in chosen if setting in CHOSEN}
    properties |= definitions.pop("NodeSettings")["properties"]
    for each in properties.values():
        each.pop("default", None)
    return {"type": "object", "properties": dict(sorted(properties.items())), "additionalProperties": False}


def _portable(value: Any) -> Any:
    r"""Write patterns as ECMAScript has them: `$` for Python's `\Z`."""
    if isinstance(value, dict):
        return {
            name: each.replace("\\Z", "$") if name == "pattern" and isinstance(each, str) else _portable(each)
            for name, each in value.items()
        }
    return [_portable(each) for each in value] if isinstance(value, list) else value
