"""Tags of messages in a priority queue: the broker's pair of priority and seq_id as one number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from engine.backing_queue.arrivals import TakenMessages
from engine.values.extents import Extent
from engine.values.ranges import Range

SEQ_ID_BITS: Final = 44
"""Below the priority, so that a tag of the highest priority, 255, is still exact in a browser's numbers."""


def base_of(priority: int) -> int:
    """Return the tag of the first seq_id of a priority."""
    return priority << SEQ_ID_BITS


def tagged(extent: Extent, priority: int) -> Extent:
    """Return an extent under its tags."""
    return replace(extent, start=extent.start + base_of(priority))


def taken(messages: Iterable[TakenMessages], priority: int) -> list[TakenMessages]:
    """Return messages that were taken, under their tags."""
    return [replace(each, extent=tagged(each.extent, priority)) for each in messages]


def by_priority(tags: Iterable[Range]) -> dict[int, list[Range]]:
    """Return the seq_ids that tags stand for, by priority, each in the order of the tags."""
    found: dict[int, list[Range]] = {}
    for each in tags:
        priority = each.start >> SEQ_ID_BITS
        found.setdefault(priority, []).append(Range(each.start - base_of(priority), each.count))
    return found


def in_turn(tags: Sequence[Range]) -> list[tuple[int, list[Range]]]:
    """Return the seq_ids that tags stand for, in their order: stretches of one priority each."""
    found: list[tuple[int, list[Range]]] = []
    for each in tags:
        priority = each.start >> SEQ_ID_BITS
        if not found or found[-1][0] != priority:
            found.append((priority, []))
        found[-1][1].append(Range(each.start - base_of(priority), each.count))
    return found
