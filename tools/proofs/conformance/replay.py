"""Compare a whole trace, step by step, field by field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from engine.releases import V3_10_8
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.errors import ProcessCrash
from tools.proofs.conformance.door import BackingQueueDoor, settings_of
from tools.proofs.conformance.door_both import BothDoor
from tools.proofs.conformance.door_v2 import V2Door, release_of
from tools.proofs.conformance.vector import shortened


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
    if isinstance(expected, dict) != isinstance(
        actual, dict
    ):  # a long list, of which one side has only the ends
        expected, actual = (
            shortened(each) if isinstance(each, list) else each for each in (expected, actual)
        )
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys()):
            yield from differing(expected.get(key), actual.get(key), f"{path}.{key}" if path else key)
    elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
        yield path, expected, actual


def replay(
    trace: dict[str, Any], storage: Storage, emit: Callable[[Transition], None] = lambda t: None
) -> Outcome:
    """Play a trace on fresh storage and compare result, drain and after of each step."""
    door = BackingQueueDoor(trace["config"], storage, emit, settings_of(trace["source"]))

    def play(step: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        if "reason" in step:
            return {"crashes": True}, {"crashes": _crashes(door, step)}
        return expected_of(step), door.step(step)

    steps = trace["steps"]
    if "crashes_at" in trace:
        steps = [*steps, {**trace["crashes_at"], "reason": trace["reason"]}]
    return compared(trace["name"], steps, play)


def _crashes(door: BackingQueueDoor, step: dict[str, Any]) -> bool | str:
    """Play the step in which the recorded process crashed; return True if this one does so for the same reason.

    The recorded reason is Erlang's list of calls, with the arguments of the innermost one; before it what they did not
    take, unless these arguments are it.
    """
    recorded = "".join(step["reason"].split()).lstrip(",")
    try:
        door.step(step)
    except ProcessCrash as crash:
        found = crash.reason.removeprefix("function_clause,")
        pattern = re.escape(found).replace(re.escape("{_,_,_}"), r"\{.*?\}")
        return re.match(pattern, recorded) is not None or f"{found} instead of {recorded[:80]}"
    return "does not crash"


def replay_v2(trace: dict[str, Any], storage: Storage) -> Outcome:
    """Play a trace of a queue of version 2, as `replay` does for version 1; every byte of its files is compared."""
    door = _door_v2(trace, storage)
    return compared(trace["name"], trace["steps"], lambda step: (expected_of(step), door.step(step)))


def _door_v2(trace: dict[str, Any], storage: Storage) -> V2Door:
    """Return the door for the release that made a recording: in 3.10 the lanes are those of version 1 (W18)."""
    if trace["source"].startswith(f"RabbitMQ {V3_10_8.name} "):
        return BothDoor(trace["config"], storage)
    return V2Door(trace["config"], release_of(trace), storage)


def expected_of(step: dict[str, Any]) -> dict[str, Any]:
    """Return what a recorded step says of its outcome; that a stop crashed may stand beside the step's result."""
    found: dict[str, Any] = {key: step[key] for key in ("result", "drain", "after") if key in step}
    if "terminate_crashed" in step:
        found["result"] = {**found.get("result", {}), "terminate_crashed": step["terminate_crashed"]}
    return found


def compared(
    name: str,
    steps: Sequence[dict[str, Any]],
    play: Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]],
) -> Outcome:
    """Play the steps of a recording one after the other and compare each.

    An engine error ends it; the step where it happened and all later ones count as different.

    Args:
        name: of the recording.
        steps: as they were recorded.
        play: does one, and returns what is expected of it and what came of it.
    """
    differences: list[Difference] = []
    equal = 0
    for number, step in enumerate(steps):
        try:
            expected, outcome = play(step)
        except Exception as error:  # noqa: BLE001 - any failure is a difference to report, with its place
            differences.append(
                Difference(number, step["op"], "error", None, f"{type(error).__name__}: {error}")
            )
            break
        found = list(differing(expected, outcome))
        if found:
            differences.append(Difference(number, step["op"], *found[0]))
        else:
            equal += 1
    return Outcome(name, len(steps), equal, tuple(differences))
