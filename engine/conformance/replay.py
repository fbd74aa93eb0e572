"""Compare a whole trace, step by step, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from engine.conformance.door import Door
from engine.storage.port import Storage
from engine.transitions import Transition


class Difference(msgspec.Struct, frozen=True):
    """The first field of a step that is not as the broker showed it."""

    step: int
    op: str
    path: str
    expected: Any
    actual: Any


class Outcome(msgspec.Struct, frozen=True):
    """How a trace went: steps in all, steps equal, and the first difference of each step that differs."""

    name: str
    steps: int
    equal: int
    differences: tuple[Difference, ...]

    @property
    def whole(self) -> bool:
        """Whether every step is equal."""
        return self.steps == self.equal


def differing(expected: Any, actual: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield (path, expected, actual) for every leaf that differs."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            yield from differing(expected.get(key), actual.get(key), f"{path}.{key}" if path else key)
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield path, expected, actual


def replay(
    trace: dict[str, Any], storage: Storage, emit: Callable[[Transition], None] = lambda t: None
) -> Outcome:
    """Play a trace on fresh storage and compare result, drain and after of each step.

    An engine error ends the trace; the step where it happened and all later ones count as different.
    """
    differences: list[Difference] = []
    equal = 0
    door = Door(trace["config"], storage, emit)
    for number, step in enumerate(trace["steps"]):
        try:
            outcome = door.step(step)
        except Exception as error:  # noqa: BLE001 - any failure is a difference to report, with its place in the trace
            differences.append(
                Difference(number, step["op"], "error", None, f"{type(error).__name__}: {error}")
            )
            break
        expected = {key: step[key] for key in ("result", "drain", "after") if key in step}
        found = list(differing(expected, outcome))
        if found:
            differences.append(Difference(number, step["op"], *found[0]))
        else:
            equal += 1
    return Outcome(trace["name"], len(trace["steps"]), equal, tuple(differences))
