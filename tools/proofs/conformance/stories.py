"""Compare a whole mirror story, step by step; what its README leaves open is left open here too."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from tools.proofs.conformance.cluster import ClusterDoor, named
from tools.proofs.conformance.replay import Outcome, compared

WITH_TIMERS: Final = ("unconfirmed", "awaiting_confirm")
"""What differs while something is frozen, because disks sync on their own."""


def replay_story(
    story: dict[str, Any], storage: Storage, emit: Callable[[Transition], None] = lambda t: None
) -> Outcome:
    """Play a story on fresh storage and compare result, clients, wire and after of each step."""
    door = ClusterDoor(storage, emit)
    varying = story["config"].get("varying", ())
    automatic = any(step.get("definition", {}).get("ha-sync-mode") == "automatic" for step in story["steps"])
    frozen: set[str] = set()

    def play(step: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        outcome = door.step(step)
        if step["op"] == "freeze":
            frozen.add(step["on"])
        expected: dict[str, Any] = {
            key: step[key] for key in ("result", "clients", "wire", "after") if key in step
        }
        wanted, got = (_comparable(each, varying, automatic, bool(frozen)) for each in (expected, outcome))
        if step["op"] in ("thaw", "kill"):
            frozen.difference_update(named(step))
        return wanted, got

    return compared(story["name"], story["steps"], play)


def _comparable(step: dict[str, Any], varying: Any, automatic: bool, frozen: bool) -> dict[str, Any]:
    """Return what of a step is compared."""
    found = copy.deepcopy(step)
    # Before the queue is there it is open which node its first mirror will be on: m1 to m3 instead of n1 to n3.
    found["after"]["up"] = [name.replace("m", "n") for name in found["after"]["up"]]
    for path in varying:
        _remove(found, path.split("."))
    for node, wire in list(found.get("wire", {}).items()):
        _without_timers(wire, automatic)
        if not wire:
            del found["wire"][node]
    if not found.get("wire"):
        found.pop("wire", None)
    if frozen:
        (found["after"]["queue"] or {}).pop("gms", None)
        for member in found["after"].get("members", {}).values():
            for name in WITH_TIMERS:
                member.pop(name, None)
    return found


def _without_timers(wire: dict[str, Any], automatic: bool) -> None:
    """Leave out how often `depth` is repeated, and what automatic synchronisation sends when it likes."""
    rows = wire.pop("gm", [])
    if automatic:
        wire.pop("sync_asked", None)
        rows = [row for row in rows if row[0] not in ("depth", "sync_start")]
    rows = [row[:2] if row[0] == "depth" else row for row in rows]
    if rows:
        wire["gm"] = rows


def _remove(found: dict[str, Any], path: list[str]) -> None:
    *way, last = path
    place: Any = found
    for name in way:
        place = place.get(name) if isinstance(place, dict) else None
    if isinstance(place, dict):
        place.pop(last, None)
