"""Conditions: the one language in which a path of a state is compared with a value. Nothing is ever executed.

`{"path": "queue.delta.count", "op": ">", "value": 0}` compares; `all`, `any` and `not` combine; `ever` and
`always` look at every moment of a run. Exercises, stories, claims and "run until" use it.
static/js/model/conditions.js is its twin; tests/web/condition_cases.json compares both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.reading.measures import WHOLE_RUN, Path, names_of, value_at
from engine.values.errors import ValueRefused

Op = Literal["==", "!=", ">", ">=", "<", "<="]
Plain = bool | int | float | Annotated[str, msgspec.Meta(max_length=200)] | None
State = Mapping[str, Any]

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
    """Return the conditions that a combination contains; none for a comparison."""
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
    """Return every path that a condition reads."""
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
    """Return whether two values are in a relation."""
    if op in OPS:
        return _is_number(found) and _is_number(wanted) and OPS[op](found, wanted)
    plain = not isinstance(found, Mapping | list | tuple)
    same = plain and found == wanted and (_is_number(found) == _is_number(wanted))
    return same if op == "==" else not same


class ConditionWatch:
    """A condition that is watched during a run.

    Args:
        condition: the condition.
        earlier: looks up a reference to an earlier moment.
    """

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
        """Return whether the condition holds, with `state` as the last moment.

        Args:
            state: a snapshot, with `happened`, `moved`, `became`, `stopped` and `figures` if the whole run is
                known.
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
