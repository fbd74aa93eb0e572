"""Where a prediction puts messages: the lanes that an option's condition speaks of, to be drawn beside the run."""

from __future__ import annotations

import re
from typing import Any

from engine.reading.conditions import Condition

LANE = re.compile(r"queue\.lanes\.(\w+)\.messages\Z")
COUNTED = re.compile(r"queue\.(\w+)\.count\Z")
PLACE = re.compile(r"queue\.place\.(\d+)\Z")


def lanes_of(condition: Condition) -> dict[str, int]:
    """Return how many messages each lane would have if a condition held; only what it states outright."""
    found: dict[str, int] = {}
    for each in condition.all or [condition]:
        if not isinstance(each.path, str):
            continue
        lane, counted, place = (pattern.match(each.path) for pattern in (LANE, COUNTED, PLACE))
        if lane and each.op == "==" and _is_count(each.value):
            found[lane[1]] = each.value  # type: ignore[assignment]  # _is_count
        elif counted and each.op in {"==", ">="} and _is_count(each.value):
            found[counted[1]] = each.value  # type: ignore[assignment]  # _is_count
        elif place and each.op == "==" and isinstance(each.value, str):
            found[each.value] = found.get(each.value, 0) + 1
    return found


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
