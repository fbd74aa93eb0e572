"""Which borders the programs crossed, counted in programs: a comparison that reaches nothing proves nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

Step = dict[str, Any]


def _length(shown: Any) -> int:
    """Return the length of a list that may be shortened."""
    return int(shown["n"]) if isinstance(shown, dict) else len(shown)


def _stores(after: Step) -> list[Step]:
    return [after[name] for name in ("store_persistent", "store_transient") if after.get(name)]


BORDERS_V1: dict[str, Callable[[Step], bool]] = {
    "delta_not_empty": lambda step: step["after"]["delta"][1] > 0,
    "q2_not_empty": lambda step: step["after"]["q2"] > 0,
    "lazy": lambda step: step["after"]["mode"] == "lazy" and step["after"]["len"] > 0,
    "pending_on_disk": lambda step: step["after"]["pending"][1] > 0,
    "several_segments": lambda step: _length(step["after"]["qi"]["files"]) > 1,
    "several_store_files": lambda step: any(_length(store["files"]) > 1 for store in _stores(step["after"])),
    "out_of_store_credit": lambda step: bool(step.get("drain", {}).get("blocked")),
    "paging_in_several_rounds": lambda step: step.get("drain", {}).get("resumes", 0) > 1,
    "file_without_a_row": lambda step: any(
        store["disk"] != "same" and _length(store["disk"]) > _length(store["files"])
        for store in _stores(step["after"])
    ),
    "clean_restart": lambda step: step["op"] == "restart" and step["after"]["len"] > 0,
    "crash": lambda step: step["op"] == "crash_restart" and step["after"]["len"] > 0,
    "torn_flush": lambda step: step["op"] == "crash_restart" and bool(step.get("torn")),
}


BORDERS_V2: dict[str, Callable[[Step], bool]] = {
    "tail_not_empty": lambda step: step["after"]["tail"][1] > 0,
    "unacked_on_disk": lambda step: step["after"]["pending"][1] > 0,
    "several_segments": lambda step: _length(step["after"]["qi"]["files"]) > 1,
    "several_store_files": lambda step: any(_length(store["files"]) > 1 for store in _stores(step["after"])),
    "out_of_store_credit": lambda step: bool(step.get("drain", {}).get("blocked")),
    "timer_of_collection_fired": lambda step: step["op"] == "gc_tick" and bool(step["result"]["fired"]),
    "clean_restart": lambda step: step["op"] == "restart" and step["after"]["len"] > 0,
    "terms_lost": lambda step: step["op"] == "restart" and step["result"]["terms"] == "non_clean_shutdown",
    "crash": lambda step: step["op"] == "crash_restart" and step["after"]["len"] > 0,
    "torn_sync": lambda step: step["op"] == "crash_restart" and bool(step.get("torn")),
}


def _file_sizes(step: Step, store: str) -> dict[int, int]:
    """Return the size of each store file, where all are shown."""
    files = (step["after"].get(store) or {}).get("files", [])
    return {} if isinstance(files, dict) else {number: size for number, size, _ in files}


def _combined(steps: list[Step]) -> bool:
    """Return whether a neighbour of a file that went away changed its size without becoming current."""
    for store in ("store_persistent", "store_transient"):
        for one, other in itertools.pairwise(steps):
            before, after = _file_sizes(one, store), _file_sizes(other, store)
            current = one["after"].get(store, {}).get("current")
            changed = [n for n in before.keys() & after.keys() if n != current and before[n] != after[n]]
            if changed and before.keys() - after.keys():
                return True
    return False


def _compacted(steps: list[Step]) -> bool:
    """Return whether a file became shorter and stayed."""
    for store in ("store_persistent", "store_transient"):
        for one, other in itertools.pairwise(steps):
            before, after = _file_sizes(one, store), _file_sizes(other, store)
            if other["op"] == "gc_tick" and any(0 < after.get(n, 0) < size for n, size in before.items()):
                return True
    return False


def reached(steps: list[Step]) -> set[str]:
    """Return the names of the borders that a trace crossed."""
    shown = [step for step in steps if "after" in step]
    v2 = bool(shown) and "lanes" in shown[0]["after"]
    borders = BORDERS_V2 if v2 else BORDERS_V1
    found = {name for name, crosses in borders.items() if any(crosses(step) for step in shown)}
    if v2:
        return found | ({"compacted_store_file"} if _compacted(shown) else set())
    return found | ({"combined_store_files"} if _combined(shown) else set())
