"""Values at paths of a state: `queues.orders.lanes.q3.messages`. Nothing is ever executed.

A path follows the names and numbers of a snapshot. Besides these it may have:

- `queue`: the queue called orders, else the first one;
- of a queue: `ready` and `unacked`; `alpha`, `beta` and `gamma`, the waiting messages of that letter (Q3);
  `place.7`: where message 7 is (`q1`, `q2`, `delta`, `q3`, `q4`, `unacked`, `gone`);
- of a queue, too: what its kind shows of itself besides its lanes (`index`, `reduced`), and the record of a lane that
  is only counted, by the lane's name (`delta`): `start`, `count`, `transient` and `end` (Q4);
- of a lane: `messages`, how many its extents have together; `messages_in_ram`, those whose body RAM holds;
  `messages_indexed`, those that have an index record;
- of a store: `file_bytes`, `valid_bytes` and `garbage_bytes`, over all its files;
- of an index: `journal_and_buffer_bytes`;
- `length` of any list, object or text;
- `happened.Kind`, how many transitions of a kind there were; `moved.Kind`, how many messages they moved;
  `became.gamma`, how many messages came to a sub-queue as that letter; `stopped.kill`, how many queues ended in that
  way; `figures.name`, a metric of the run. All five need the whole run, not only a state of it.

static/js/model/paths.js does the same; tests/web/condition_cases.json compares both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from engine.backing_queue.message_places import PLACES
from engine.reading.message_places import letters_of, place_of, ready_of, shown_queue, unacked_of
from engine.values.extents import IN_RAM, INDEXED, DeltaExtent

Path = (
    Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    | Annotated[list[str | int], msgspec.Meta(min_length=1, max_length=12)]
)
"""A text with dots, or a list of names if a name contains dots."""

COUNTED: Final = ("happened", "moved", "became", "stopped")
"""First names of counts; a missing count means 0."""
WHOLE_RUN: Final = (*COUNTED, "figures")
"""First names of paths that need the whole run, not only a state of it."""
RECORD_FIELDS: Final = DeltaExtent.__struct_fields__
FLAG_COUNTS: Final = {"messages_in_ram": IN_RAM, "messages_indexed": INDEXED}
MISSING: Final = object()


def _is_counted_lane(name: Any) -> bool:
    return any(place.counted and place.name == name for places in PLACES.values() for place in places)


class _Places:
    """The place of each message of a queue, looked up one by one."""

    def __init__(self, queue: Mapping[str, Any]) -> None:
        self.queue = queue


Derived = Mapping[str, Callable[[Mapping[str, Any]], Any]]
OF_QUEUE: Final[Derived] = {
    "ready": ready_of,
    "unacked": unacked_of,
    "alpha": lambda queue: letters_of(queue)["alpha"],
    "beta": lambda queue: letters_of(queue)["beta"],
    "gamma": lambda queue: letters_of(queue)["gamma"],
    "place": _Places,
}
OF_STORE: Final[Derived] = {
    "file_bytes": lambda store: sum(file[4] for file in store["files"]),
    "valid_bytes": lambda store: sum(file[2] for file in store["files"]),
    "garbage_bytes": lambda store: sum(file[1] - file[2] for file in store["files"]),
}
OF_INDEX: Final[Derived] = {
    "journal_and_buffer_bytes": lambda index: (index["journal_bytes"] or 0) + index["buffered_bytes"],
}


def names_of(path: Path) -> list[str]:
    """Return the steps of a path as texts."""
    return path.split(".") if isinstance(path, str) else [str(step) for step in path]


def value_at(state: Mapping[str, Any], path: Path) -> Any:
    """Return the value at a path of a snapshot, or None if there is none."""
    names = names_of(path)
    value: Any = state
    parent = ""
    for name in names:
        value = _step(value, name, parent)
        if value is MISSING:
            return 0 if parent in COUNTED and len(names) == 2 else None
        parent = name
    return None if isinstance(value, _Places) else value


def _step(value: Any, name: str, parent: str) -> Any:
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        return len(value) if name == "length" and parent not in COUNTED else _derived(value, name, parent)
    if isinstance(value, str):
        return len(value) if name == "length" else MISSING
    if isinstance(value, _Places):
        found = place_of(value.queue, int(name)) if is_number(name) else None
        return MISSING if found is None else found
    return _of_list(value, name, parent) if isinstance(value, list | tuple) else MISSING


def _derived(value: Mapping[str, Any], name: str, parent: str) -> Any:
    """Return a value derived from a queue, a store, an index or the whole state."""
    if name == "queue" and not parent and "queues" in value:
        queue = shown_queue(value)
        return MISSING if queue is None else queue
    if "lanes" in value:  # of a queue
        for part in (value["counted"], value["own"]):
            if name in part:
                return part[name]
    for names, mark in ((OF_QUEUE, "lanes"), (OF_STORE, "files"), (OF_INDEX, "journal_bytes")):
        if name in names and mark in value:
            return names[name](value)
    return MISSING


def _of_list(value: Sequence[Any], name: str, parent: str) -> Any:
    if name == "length":
        return len(value)
    at = RECORD_FIELDS.index(name) if _is_counted_lane(parent) and name in RECORD_FIELDS else None
    if at is None and is_number(name):
        at = int(name)
    if at is not None:
        return value[at] if at < len(value) else MISSING
    flag = FLAG_COUNTS.get(name)
    if name == "messages" or flag:
        return sum(extent[1] for extent in value if flag is None or extent[4] & flag)
    return MISSING


def is_number(name: str) -> bool:
    """Return whether a step is a number in digits, short enough for a list index and exact in JavaScript."""
    return name.isascii() and name.isdecimal() and len(name) <= 15
