"""Conditions and measures, the one language in which values of a state are read and compared. Nothing is ever executed.

A measure is a path, a whole number, or `{"most": path}`, `{"least": path}`, `{"sum": [...]}`, `{"minus": [a, b]}`: a
number (or a text) read from the last moment of a run, or from all of them. `{"path": "queue.delta.count", "op": ">",
"value": 0}` compares; `all`, `any` and `not` combine; `ever` and `always` look at every moment of a run. Exercises,
stories, claims and "run until" use it. static/js/model/conditions.js is its twin; tests/web/condition_cases.json
compares both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

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
    "journal_and_buffer_bytes": lambda index: (index["journal_bytes"] or 0) + index["buffered_bytes"]
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


MEASURE_DEPTH: Final = 4
State = Mapping[str, Any]


class MeasureForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A measure that combines others, or that needs the whole run. `most`, `least`: the extreme of a number
    over all moments. `minus`: the first measure minus all others.
    """

    most: Path | None = None
    least: Path | None = None
    sum: Annotated[list[Measure], msgspec.Meta(min_length=1, max_length=10)] | None = None
    minus: Annotated[list[Measure], msgspec.Meta(min_length=1, max_length=10)] | None = None

    def __post_init__(self) -> None:
        """Refuse a measure that is not exactly one of the forms, or is nested too deeply."""
        if sum(each is not None for each in (self.most, self.least, self.sum, self.minus)) != 1:
            raise ValueRefused("one_of_several", names="most, least, sum, minus")
        if _depth(self) > MEASURE_DEPTH:
            raise ValueRefused("measures_too_deep", most=MEASURE_DEPTH)


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


Op = Literal["==", "!=", ">", ">=", "<", "<="]
Plain = bool | int | float | Annotated[str, msgspec.Meta(max_length=200)] | None

OPS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
DEPTH: Final = 5
"""Most levels of nested conditions."""


class ConditionReference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another value to compare with, from the same moment or an earlier one."""

    path: Path
    at_us: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Condition(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"not_": "not"}
):
    """A comparison, or a combination of conditions.

    Args:
        path: where the value is: a text with dots, or a list of names if a name contains dots.
        op: the comparison. An ordering of anything but two numbers is false.
        value: a plain value or a reference. Lists and objects equal nothing.
        all, any: conditions of which all or any must hold, instead of a comparison.
        not_: a condition that must not hold.
        ever, always: a condition that must hold at some moment of the run, or at each.
    """

    path: Path | None = None
    op: Op = "=="
    value: Plain | ConditionReference = None
    all: Annotated[list[Condition], msgspec.Meta(min_length=1, max_length=10)] | None = None
    any: Annotated[list[Condition], msgspec.Meta(min_length=1, max_length=10)] | None = None
    not_: Condition | None = None
    ever: Condition | None = None
    always: Condition | None = None

    def __post_init__(self) -> None:
        """Refuse a condition that is not exactly one comparison or combination, or is nested too deeply."""
        forms = (self.path, self.all, self.any, self.not_, self.ever, self.always)
        if sum(each is not None for each in forms) != 1:
            raise ValueRefused("one_of_several", names="path, all, any, not, ever, always")
        if depth_of(self) > DEPTH:
            raise ValueRefused("conditions_too_deep", most=DEPTH)


def parts_of(condition: Condition) -> list[Condition]:
    one = condition.not_ or condition.ever or condition.always
    return [one] if one is not None else condition.all or condition.any or []


def depth_of(condition: Condition) -> int:
    return 1 + max(map(depth_of, parts_of(condition)), default=0)


def comparisons(condition: Condition) -> list[Condition]:
    if condition.path is not None:
        return [condition]
    return [each for part in parts_of(condition) for each in comparisons(part)]


def references(condition: Condition) -> list[ConditionReference]:
    found = [each.value for each in comparisons(condition)]
    return [each for each in found if isinstance(each, ConditionReference) and each.at_us is not None]


def needs_every_moment(condition: Condition) -> bool:
    """Return whether every moment of the run matters, not only the last one."""
    own = condition.ever is not None or condition.always is not None
    return own or any(map(needs_every_moment, parts_of(condition)))


def paths_of(condition: Condition) -> list[Path]:
    found = [each.path for each in comparisons(condition) if each.path is not None]
    return found + [
        each.value.path for each in comparisons(condition) if isinstance(each.value, ConditionReference)
    ]


def needs_whole_run(condition: Condition) -> bool:
    """Return whether a condition needs more than the state of one moment."""
    counts = any(names_of(path)[0] in WHOLE_RUN for path in paths_of(condition))
    return counts or bool(references(condition)) or needs_every_moment(condition)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def compare(found: Any, op: Op, wanted: Any) -> bool:
    if op in OPS:
        return _is_number(found) and _is_number(wanted) and OPS[op](found, wanted)
    plain = not isinstance(found, Mapping | list | tuple)
    same = plain and found == wanted and (_is_number(found) == _is_number(wanted))
    return same if op == "==" else not same


class ConditionWatch:
    """A condition that is watched during a run. `earlier`: looks up a reference to an earlier moment."""

    def __init__(
        self, condition: Condition, earlier: Callable[[ConditionReference], Any] | None = None
    ) -> None:
        self.condition = condition
        self.needs_every_moment = needs_every_moment(condition)
        self._earlier = earlier
        self._parts = [ConditionWatch(part, earlier) for part in parts_of(condition)]
        self._held = condition.always is not None

    def observe(self, state: State) -> None:
        """Observe a moment; needed if `needs_every_moment`."""
        for part in self._parts:
            part.observe(state)
        if self.condition.ever is not None:
            self._held = self._held or self._parts[0].holds(state)
        elif self.condition.always is not None:
            self._held = self._held and self._parts[0].holds(state)

    def holds(self, state: State) -> bool:
        """Return whether the condition holds, with `state` as the last moment. `state`: a snapshot, with
        `happened`, `moved`, `became`, `stopped` and `figures` if the whole run is known.
        """
        condition = self.condition
        if condition.path is not None:
            return compare(value_at(state, condition.path), condition.op, self._wanted(state))
        if condition.ever is not None or condition.always is not None:
            return self._held
        found = (part.holds(state) for part in self._parts)
        if condition.not_ is not None:
            return not next(found)
        return all(found) if condition.all is not None else any(found)

    def _wanted(self, state: State) -> Any:
        wanted = self.condition.value
        if not isinstance(wanted, ConditionReference):
            return wanted
        if wanted.at_us is None:
            return value_at(state, wanted.path)
        return self._earlier(wanted) if self._earlier else None

    def found(self, state: State) -> Any:
        """Return the value that the first comparison reads, to show it beside the expected one."""
        first = comparisons(self.condition)[0]
        return None if first.path is None else value_at(state, first.path)


def holds(
    condition: Condition, state: State, earlier: Callable[[ConditionReference], Any] | None = None
) -> bool:
    """Return whether a condition holds in a state, without knowledge of other moments."""
    return ConditionWatch(condition, earlier).holds(state)
