"""Statements about a run's state that a file can carry: a path, a comparison, a value. Nothing is ever executed.

`{"path": "queues.orders.delta.count", "op": ">", "value": 0}`. Paths follow the state of a snapshot. Besides the names
and numbers found there a path may say:

- `delta.start`, `.count`, `.transient`, `.end`: the fields of the delta record;
- `messages` of a lane: how many messages its extents have together; `messages_in_ram`: those whose body RAM holds;
  `messages_indexed`: those that have an index record;
- `length` of any list, object or text;
- `happened.Kind`: how many transitions of a kind there were (only where the whole run is known);
- `figures.name`: a figure of the run, such as `peak_ram_bytes` (likewise).

static/js/model/predicate.js does the same; tests/web/predicate_cases.json holds both to it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from engine.extents import IN_RAM, INDEXED

Path = (
    Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    | Annotated[list[str | int], msgspec.Meta(min_length=1, max_length=12)]
)
Op = Literal["==", "!=", ">", ">=", "<", "<="]
Plain = bool | int | float | Annotated[str, msgspec.Meta(max_length=200)] | None

OPS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
DELTA_FIELDS: Final = ("start", "count", "transient", "end")
FLAG_COUNTS: Final = {"messages_in_ram": IN_RAM, "messages_indexed": INDEXED}
WHOLE_RUN: Final = ("happened", "figures")
"""First names of paths that need the whole run, not only a state of it."""
DEPTH: Final = 4


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another value to compare with: of the same moment, or of an earlier one."""

    path: Path
    at_us: Annotated[int, msgspec.Meta(ge=0)] | None = None


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A comparison, or several of which all or any must hold.

    Args:
        path: where the value is; a text with points, or a list of names where a name has points itself.
        op: how it is compared. Ordering needs two numbers, or it does not hold.
        value: with what, a plain value or a reference.
        all, any: other tests, in the place of a comparison.
    """

    __test__ = False

    path: Path | None = None
    op: Op = "=="
    value: Plain | Reference = None
    all: Annotated[list[Test], msgspec.Meta(min_length=1, max_length=10)] | None = None
    any: Annotated[list[Test], msgspec.Meta(min_length=1, max_length=10)] | None = None

    def __post_init__(self) -> None:
        """Refuse what is neither a comparison nor one combination."""
        if sum(each is not None for each in (self.path, self.all, self.any)) != 1:
            raise ValueError("exactly one of path, all and any is needed")


MISSING: Final = object()


def names_of(path: Path) -> list[str]:
    """Return the steps of a path as texts."""
    return path.split(".") if isinstance(path, str) else [str(step) for step in path]


def look(state: dict[str, Any], path: Path) -> Any:
    """Return the value at a path, or None where there is none."""
    value: Any = state
    parent = ""
    for name in names_of(path):
        value = _step(value, name, parent)
        if value is MISSING:
            return None
        parent = name
    return value


def _step(value: Any, name: str, parent: str) -> Any:
    if isinstance(value, dict) and name in value:
        return value[name]
    if name == "length" and isinstance(value, dict | list | tuple | str):
        return len(value)
    return _of_list(value, name, parent) if isinstance(value, list | tuple) else MISSING


def _of_list(value: Sequence[Any], name: str, parent: str) -> Any:
    at = DELTA_FIELDS.index(name) if parent == "delta" and name in DELTA_FIELDS else None
    if at is None and name.isdecimal():
        at = int(name)
    if at is not None:
        return value[at] if at < len(value) else MISSING
    flag = FLAG_COUNTS.get(name)
    if name == "messages" or flag:
        return sum(extent[1] for extent in value if flag is None or extent[4] & flag)
    return MISSING


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def compare(found: Any, op: Op, wanted: Any) -> bool:
    """Tell whether two values stand in a relation."""
    if op in OPS:
        return _is_number(found) and _is_number(wanted) and OPS[op](found, wanted)
    same = found == wanted and (_is_number(found) == _is_number(wanted))
    return same if op == "==" else not same


def holds(test: Test, state: dict[str, Any], earlier: Callable[[Reference], Any] | None = None) -> bool:
    """Tell whether a test holds in a state.

    Args:
        test: what is said.
        state: a snapshot, with `happened` and `figures` where the whole run is known.
        earlier: looks up a reference to an earlier moment.
    """
    if test.all is not None:
        return all(holds(each, state, earlier) for each in test.all)
    if test.any is not None:
        return any(holds(each, state, earlier) for each in test.any)
    assert test.path is not None  # noqa: S101 - __post_init__ saw to it
    wanted: Any = test.value
    if isinstance(wanted, Reference):
        now = wanted.at_us is None
        wanted = look(state, wanted.path) if now else earlier(wanted) if earlier else None
    return compare(look(state, test.path), test.op, wanted)


def comparisons(test: Test) -> list[Test]:
    """Return the comparisons of which a test is made."""
    parts = test.all or test.any
    return [test] if parts is None else [each for part in parts for each in comparisons(part)]


def references(test: Test) -> list[Reference]:
    """Return the earlier moments that a test looks at."""
    found = [each.value for each in comparisons(test)]
    return [each for each in found if isinstance(each, Reference) and each.at_us is not None]


def needs_whole_run(test: Test) -> bool:
    """Tell whether a test needs more than the state of one moment."""
    paths = [each.path for each in comparisons(test) if each.path is not None]
    paths += [each.value.path for each in comparisons(test) if isinstance(each.value, Reference)]
    return bool(references(test)) or any(names_of(path)[0] in WHOLE_RUN for path in paths)


def depth_of(test: Test) -> int:
    """Return how deeply tests are nested in each other."""
    return 1 + max((depth_of(part) for part in test.all or test.any or []), default=0)
