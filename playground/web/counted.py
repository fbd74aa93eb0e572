"""By which memory strategy the RAM of a run is counted: every page that shows RAM states it (M9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.broker.commands.settings import NodeSettings

NAME = "vm_memory_calculation_strategy"


def counted_as(scenarios: Iterable[Mapping[str, Any]]) -> str:
    """Return the strategies that runs begin with or are given on the way, each once, for a sentence.

    Args:
        scenarios: as JSON.
    """
    found: dict[str, None] = {}
    for scenario in scenarios:
        found[scenario.get("settings", {}).get(NAME, NodeSettings().vm_memory_calculation_strategy)] = None
        for command in scenario.get("commands", ()):
            if command["do"] == "set" and command["name"] == NAME:
                found[command["value"]] = None
    return ", ".join(found)
