"""Where the messages of a snapshot are: sub-queues, pending maps, and the Greek letters (Q3).

static/js/model/messages.js does the same; tests/property/test_reading_twin.py compares both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.backing_queue.message_places import place_named, places_of, ready, unacked
from engine.fold import own_part
from engine.values.extents import IN_RAM, INDEXED

Queue = Mapping[str, Any]
"""One queue of a snapshot."""

LETTERS: Final = ("alpha", "beta", "gamma", "delta")
USUAL_QUEUE: Final = "orders"
ONE_BY_ONE: Final = 64
"""Up to so many messages have their place reported one by one."""


def letter_of(place: str, flags: int) -> str:
    """Return the Greek letter of a message (Q3): where its body and its index entry are.

    A small message keeps its body in RAM wherever its entry is, so it is an alpha wherever it lies.

    Args:
        place: a sub-queue, a pending map, or one whose messages are only counted.
        flags: of its extent.
    """
    about = place_named(place)
    if about.counted:
        return "delta"
    if about.content == "ram" or flags & IN_RAM:
        return "alpha"
    return "gamma" if flags & INDEXED else "beta"


def count_of(queue: Queue, place: str) -> int:
    """Return how many messages a place holds."""
    if place_named(place).counted:
        return int(queue["counted"][place][1]) if place in queue["counted"] else 0
    return sum(row[1] for row in queue["lanes"].get(place, ()))


def declared(state: Mapping[str, Any]) -> dict[str, Queue]:
    """Return the queues that clients can name: without those that a queue consists of, and without mirrors."""
    hidden = ("part_of", "mirror_of")
    return {
        name: queue for name, queue in state["queues"].items() if not any(each in queue for each in hidden)
    }


def with_places(state: Mapping[str, Any]) -> dict[str, Queue]:
    """Return the queues whose messages lie in them: a queue that consists of others only adds those up."""
    return {name: queue for name, queue in state["queues"].items() if places_of(queue)}


def parts_of(state: Mapping[str, Any], name: str) -> dict[str, Queue]:
    """Return the queues that a queue consists of, the highest priority first; itself where it is one."""
    found = {part: queue for part, queue in state["queues"].items() if queue.get("part_of") == name}
    ordered = sorted(found.items(), key=lambda each: -int(each[1]["priority"]))
    return dict(ordered) or {name: state["queues"][name]}


def ready_of(queue: Queue) -> int:
    """Return how many messages wait for a consumer, in the sub-queues and where they are only counted."""
    if not places_of(queue):
        return int(queue["counters"]["len"])
    return sum(count_of(queue, place) for place in ready(places_of(queue)))


def unacked_of(queue: Queue) -> int:
    """Return how many messages consumers hold."""
    if not places_of(queue):
        return int(queue["counters"]["unacked"])
    return sum(count_of(queue, place) for place in unacked(places_of(queue)))


def letters_of(queue: Queue) -> dict[str, int]:
    """Return how many of the waiting messages there are of each Greek letter (Q3)."""
    found = dict.fromkeys(LETTERS, 0)
    for place in ready(places_of(queue)):
        if place_named(place).counted:
            found["delta"] += count_of(queue, place)
        for row in queue["lanes"].get(place, ()):
            found[letter_of(place, row[4])] += row[1]
    return found


def held_messages(state: Mapping[str, Any]) -> int:
    """Return how many messages a state holds: in all queues, in pending maps, and in publishers that are blocked."""
    held = sum((actor or {}).get("waiting") or 0 for actor in state["node"]["actors"].values())
    return held + sum(ready_of(queue) + unacked_of(queue) for queue in declared(state).values())


def _usual_name(state: Mapping[str, Any]) -> str | None:
    """Return the queue that is meant where none is named: `orders`, else the first."""
    return USUAL_QUEUE if USUAL_QUEUE in state["queues"] else next(iter(state["queues"]), None)


def shown_queue(state: Mapping[str, Any]) -> Queue | None:
    """Return the queue that is meant where none is named."""
    name = _usual_name(state)
    return None if name is None else state["queues"][name]


def shown_name(state: Mapping[str, Any]) -> str | None:
    """Return the name of the queue that a page shows until its reader chooses: of several parts, the first.

    static/js/model/shown.js does the same.
    """
    name = _usual_name(state)
    return None if name is None else next(iter(parts_of(state, name)))


def drawn_queue(state: Mapping[str, Any]) -> Queue | None:
    """Return the queue that a picture shows: of one that consists of others, that with the most messages."""
    name = _usual_name(state)
    if name is None:
        return None
    return max(parts_of(state, name).values(), key=lambda part: ready_of(part) + unacked_of(part))


def place_of(queue: Queue, seq_id: int) -> str | None:
    """Return where a message is: a sub-queue, `unacked` or `gone`; None when it was never there."""
    for place, rows in queue["lanes"].items():
        if any(row[0] <= seq_id < row[0] + row[1] for row in rows):
            return "unacked" if place_named(place).unacked else place
    for place in queue["counted"]:
        if any(first <= seq_id < end for first, end in in_counted(queue, place)):
            return str(place)
    return "gone" if 0 <= seq_id < (queue["counters"].get("next_seq_id") or 0) else None


def placements(queue: Queue) -> dict[str, str]:
    """Return where each message is, by its seq_id as a text; nothing when there are too many to list one by one."""
    count = queue["counters"].get("next_seq_id") or 0
    if count > ONE_BY_ONE:
        return {}
    return {str(seq_id): place_of(queue, seq_id) or "gone" for seq_id in range(count)}


def in_counted(queue: Queue, place: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of seq_ids that are in a place that is only counted, each as its first and one past its last.

    RAM has only where such a place begins and ends, and how many messages it has (Q4). Where they are fewer than the
    stretch is long, those that the queue's own part still has are its messages. They may lie in a sub-queue as well
    while they are read: look there first.
    """
    first, _count, _transient, end = queue["counted"][place]
    if first is None or end is None:
        return
    for start, stop in own_part(queue).live(queue["own"]):
        low, high = max(start, first), min(stop, end)
        if low < high:
            yield low, high
