"""Measures: a number (or a text) read from the last moment of a run, or from all of them. Nothing is ever executed.

A measure is a path, a whole number, or `{"most": path}`, `{"least": path}`, `{"sum": [...]}`, `{"minus": [a, b]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from engine.backing_queue.message_places import PLACES
from engine.reading.message_places import letters_of, place_of, ready_of, shown_queue, unacked_of
from engine.values.errors import ValueRefused
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


DEPTH: Final = 4
State = Mapping[str, Any]


class MeasureForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A measure that combines others, or that needs the whole run.

    Args:
        most, least: the extreme of a number over all moments.
        minus: the first measure minus all others.
    """

    most: Path | None = None
    least: Path | None = None
    sum: Annotated[list[Measure], msgspec.Meta(min_length=1, max_length=10)] | None = None
    minus: Annotated[list[Measure], msgspec.Meta(min_length=1, max_length=10)] | None = None

    def __post_init__(self) -> None:
        """Refuse a measure that is not exactly one of the forms, or is nested too deeply."""
        if sum(each is not None for each in (self.most, self.least, self.sum, self.minus)) != 1:
            raise ValueRefused("one_of_several", names="most, least, sum, minus")
        if _depth(self) > DEPTH:
            raise ValueRefused("measures_too_deep", most=DEPTH)


Measure = int | Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | MeasureForm


def _depth(measure: Measure) -> int:
    parts = measure.sum or measure.minus or [] if isinstance(measure, MeasureForm) else []
    return 1 + max(map(_depth, parts), default=0)


class MeasureGauge:
    """A measure that is watched during a run."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        parts = measure.sum or measure.minus or [] if isinstance(measure, MeasureForm) else []
        self._parts = [MeasureGauge(part) for part in parts]
        self._extreme: Any = None
        self.needs_every_moment: bool = self._extreme_path() is not None or any(
            part.needs_every_moment for part in self._parts
        )

    def observe(self, state: State) -> None:
        """Observe a moment; needed if `needs_every_moment`."""
        for part in self._parts:
            part.observe(state)
        path = self._extreme_path()
        if path is None:
            return
        found = value_at(state, path)
        if isinstance(found, int | float):
            choose = max if isinstance(self._measure, MeasureForm) and self._measure.most is not None else min
            self._extreme = found if self._extreme is None else choose(found, self._extreme)

    def _extreme_path(self) -> Path | None:
        return (self._measure.most or self._measure.least) if isinstance(self._measure, MeasureForm) else None

    def value(self, state: State) -> Any:
        """Return the value, with `state` as the last moment."""
        measure = self._measure
        if isinstance(measure, int):
            return measure
        if isinstance(measure, str):
            return value_at(state, measure)
        if self._extreme_path() is not None:
            return self._extreme
        values = [part.value(state) or 0 for part in self._parts]
        return sum(values) if measure.sum is not None else values[0] - sum(values[1:])
