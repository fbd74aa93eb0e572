"""The places of a snapshot's messages: sub-queues, pending maps, and the Greek letters (Q3).
static/js/model/messages.js is its twin; tests/property/test_reading_twin.py compares both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.backing_queue.message_places import place_named, places_of, ready, unacked
from engine.transitions import own_part
from engine.values.extents import IN_RAM, INDEXED
from engine.values.labels import FIRST_HOST, bare, host_of

Queue = Mapping[str, Any]
"""One queue of a snapshot."""

LETTERS: Final = ("alpha", "beta", "gamma", "delta")
COUNTED_LETTER: Final = LETTERS[-1]
"""Of messages that are only counted where they are (Q3)."""
USUAL_QUEUE: Final = "orders"
ONE_BY_ONE: Final = 64
"""Most messages whose places are reported one by one."""


def letter_of(place: str, flags: int) -> str:
    """Return the Greek letter of a message (Q3), which says where its body and its index entry are. A small
    message always keeps its body in RAM, so it is an alpha in every place. `place`: a sub-queue, a pending
    map, or a place whose messages are only counted.
    """
    about = place_named(place)
    if about.counted:
        return COUNTED_LETTER
    if about.content == "ram" or flags & IN_RAM:
        return "alpha"
    return "gamma" if flags & INDEXED else "beta"


def count_of(queue: Queue, place: str) -> int:
    if place_named(place).counted:
        return int(queue["counted"][place][1]) if place in queue["counted"] else 0
    return sum(row[1] for row in queue["lanes"].get(place, ()))


def declared(state: Mapping[str, Any]) -> dict[str, Queue]:
    """Return the queues that clients can name: without parts of queues and without mirrors."""
    hidden = ("part_of", "mirror_of")
    return {
        name: queue for name, queue in state["queues"].items() if not any(each in queue for each in hidden)
    }


def with_places(state: Mapping[str, Any]) -> dict[str, Queue]:
    """Return the queues that hold messages themselves; a queue with parts only adds them up."""
    return {name: queue for name, queue in state["queues"].items() if places_of(queue)}


def parts_of(state: Mapping[str, Any], name: str) -> dict[str, Queue]:
    """Return the parts of a queue, highest priority first, or the queue itself if it has none."""
    found = {part: queue for part, queue in state["queues"].items() if queue.get("part_of") == name}
    ordered = sorted(found.items(), key=lambda each: -int(each[1]["priority"]))
    return dict(ordered) or {name: state["queues"][name]}


def ready_of(queue: Queue) -> int:
    """Return how many messages wait for a consumer, including messages that are only counted."""
    if not places_of(queue):
        return int(queue["counters"]["len"])
    return sum(count_of(queue, place) for place in ready(places_of(queue)))


def unacked_of(queue: Queue) -> int:
    if not places_of(queue):
        return int(queue["counters"]["unacked"])
    return sum(count_of(queue, place) for place in unacked(places_of(queue)))


def letters_of(queue: Queue) -> dict[str, int]:
    """Return the number of waiting messages for each Greek letter (Q3)."""
    found = dict.fromkeys(LETTERS, 0)
    for place in ready(places_of(queue)):
        if place_named(place).counted:
            found[COUNTED_LETTER] += count_of(queue, place)
        for row in queue["lanes"].get(place, ()):
            found[letter_of(place, row[4])] += row[1]
    return found


def held_messages(state: Mapping[str, Any]) -> int:
    """Return how many messages a state holds: in all queues, in pending maps, and in blocked publishers."""
    held = sum((actor or {}).get("waiting") or 0 for actor in state["node"]["actors"].values())
    return held + sum(ready_of(queue) + unacked_of(queue) for queue in declared(state).values())


def _usual_name(state: Mapping[str, Any]) -> str | None:
    """Return the queue that is meant if none is named: `orders`, else the first."""
    return USUAL_QUEUE if USUAL_QUEUE in state["queues"] else next(iter(state["queues"]), None)


def shown_queue(state: Mapping[str, Any]) -> Queue | None:
    name = _usual_name(state)
    return None if name is None else state["queues"][name]


def shown_name(state: Mapping[str, Any]) -> str | None:
    """Return the name of the queue that a page shows first; of several parts, the first.
    static/js/model/shown.js is its twin.
    """
    name = _usual_name(state)
    return None if name is None else next(iter(parts_of(state, name)))


def drawn_queue(state: Mapping[str, Any]) -> Queue | None:
    """Return the queue that a picture shows; of a queue with parts, the part with the most messages."""
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
    """Return the place of each message, by its seq_id as a text; nothing if there are too many to list."""
    count = queue["counters"].get("next_seq_id") or 0
    if count > ONE_BY_ONE:
        return {}
    return {str(seq_id): place_of(queue, seq_id) or "gone" for seq_id in range(count)}


def in_counted(queue: Queue, place: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of seq_ids in a place that is only counted, each as first and one past the last. RAM
    knows only the bounds of such a place and its number of messages (Q4). If there are fewer messages than
    seq_ids, the messages are those that the queue's own part still has. While they are read they may also be
    in a sub-queue, so look there first.
    """
    first, _count, _transient, end = queue["counted"][place]
    if first is None or end is None:
        return
    for start, stop in own_part(queue).live(queue["own"]):
        low, high = max(start, first), min(stop, end)
        if low < high:
            yield low, high


State = Mapping[str, Any]
TABLES: Final = ("actors", "exchanges", "policies")
ENDS: Final = ("exchange", "queue")
NAMED: Final = ("queue", "exchange", "part_of", "mirror_of")
"""Fields of a queue or an actor that are names in its virtual host."""


def vhosts_of(state: State) -> list[str]:
    """Return the names of the virtual hosts, the oldest first."""
    return list(state["node"].get("vhosts", (FIRST_HOST,)))


def state_of(state: State, vhost: str) -> State:
    """Return the part of a snapshot in one virtual host; empty if there is no such host."""
    if vhost == FIRST_HOST and "vhosts" not in state["node"]:
        return state
    node = {**state["node"], "vhost": vhost}
    for table in TABLES:
        if table in node:
            node[table] = _in(node[table], vhost)
    node["processes"] = {
        f"{kind}:{bare(name)}": each
        for id_, each in node["processes"].items()
        for kind, _, name in (id_.partition(":"),)
        if kind == "monitor" or host_of(name) == vhost
    }
    if vhost != FIRST_HOST:
        node["clock"] = {}  # of the first host's queue called orders
    if "bindings" in node:
        node["bindings"] = [
            {**each, **{end: bare(each[end]) for end in ENDS}}
            for each in node["bindings"]
            if host_of(each["queue"]) == vhost
        ]
    return {
        **state,
        "queues": _in(state["queues"], vhost),
        "stores": _in(state["stores"], vhost),
        "node": node,
    }


def host_shown(state: State) -> str:
    return str(state["node"].get("vhost", FIRST_HOST))


def _in(table: Mapping[str, Any], vhost: str) -> dict[str, Any]:
    return {bare(name): _bared(value) for name, value in table.items() if host_of(name) == vhost}


def _bared(value: Any) -> Any:
    """Return the shown fields of a thing, with names as they are in its virtual host."""
    if not isinstance(value, Mapping):
        return value
    named = {key: bare(value[key]) for key in NAMED if isinstance(value.get(key), str)}
    return {**value, **named} if named else value
