"""The places of a queue's messages: each backing queue registers its places, and other code iterates over
them.

The page's module of places is generated from these tables by `python -m tools.catalogue`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal

import msgspec

Where = Literal["ram", "disk", "mixed"]


class MessagePlace(msgspec.Struct, frozen=True):
    """One place of a queue.

    Args:
        name: as transitions name it in `source` and `to`.
        content: where the message bodies are: in RAM, on disk, or both.
        unacked: whether its messages were delivered and wait for their acknowledgement.
        counted: whether RAM only counts its messages instead of keeping an entry for each.
        limits: what the queue limits in RAM here, beginning at the tail: contents (by target_ram_count), index entries,
            or nothing.
        letter: the Greek letter of most messages there; empty for unacknowledged ones.
        lazy: whether a lazy queue uses it.
    """

    name: str
    content: Where
    unacked: bool = False
    counted: bool = False
    limits: Literal["contents", "entries", ""] = ""
    letter: Literal["alpha", "beta", "gamma", "delta", ""] = ""
    lazy: bool = True


VARIABLE_QUEUE: Final = "variable_queue"
"""The backing queue of a classic queue of version 1; the default."""

PRIORITY_QUEUE: Final = "priority_queue"
"""The backing queue of a queue with x-max-priority; its parts hold the messages."""

CLASSIC_V2: Final = "classic_v2"
"""The backing queue of a classic queue of version 2."""

VARIABLE_QUEUE_V2: Final = "variable_queue_v2"
"""The backing queue of a classic queue of 3.10 whose files are of version 2: it has the places of version 1 (W18)."""

PLACES: Final[dict[str, tuple[MessagePlace, ...]]] = {}
"""The places of each backing queue, from the tail to the head; then those of unacknowledged messages."""


def register(backing_queue: str, places: tuple[MessagePlace, ...]) -> tuple[MessagePlace, ...]:
    """Add the places of a backing queue, and return them; `engine.generations` has all of them."""
    PLACES[backing_queue] = places
    return places


def part_name(queue: str, number: int) -> str:
    """Return the name of a part of a queue; no declared queue can have this name."""
    return f"{queue}:{number}"


def places_of(queue: Mapping[str, Any]) -> tuple[MessagePlace, ...]:
    return PLACES[queue.get("backing_queue", VARIABLE_QUEUE)]


@cache
def place_named(name: str) -> MessagePlace:
    """Return a place by name; a name means the same in every backing queue."""
    return next(place for places in PLACES.values() for place in places if place.name == name)


@cache
def is_counted(name: str | None) -> bool:
    """Return whether RAM has only a count of the messages of a place; False for outside the queue."""
    return name is not None and place_named(name).counted


@cache
def is_lane(name: str | None) -> bool:
    """Return whether a place lists messages that can be delivered; False for outside the queue."""
    return name is not None and not (place_named(name).counted or place_named(name).unacked)


def listed(places: tuple[MessagePlace, ...]) -> tuple[str, ...]:
    return tuple(place.name for place in places if not place.counted)


def counted(places: tuple[MessagePlace, ...]) -> tuple[str, ...]:
    return tuple(place.name for place in places if place.counted)


def ready(places: tuple[MessagePlace, ...]) -> tuple[str, ...]:
    """Return the names of the places whose messages can be delivered, from the tail to the head."""
    return tuple(place.name for place in places if not place.unacked)


def unacked(places: tuple[MessagePlace, ...]) -> tuple[str, ...]:
    """Return the names of the places whose messages wait for an acknowledgement."""
    return tuple(place.name for place in places if place.unacked)
