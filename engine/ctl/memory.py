"""The parts of a node's memory, by the broker's names and in its order: what the model counts, and an idle node's rest.

What the model calls the base is one figure. A broker's report divides it: code, atoms, tables of its own. It is divided
here as it was on an idle 3.10.8 node (`node_base` of docs/calibration.json), and a connection as one was measured
(`connection_base` and `channel_base`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.ctl.listings import NOTHING_MORE, connections
from engine.ctl.request import Request
from engine.ctl.usage import NODE_NAME

State = Mapping[str, Any]
UNITS: Final = {"bytes": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000}
NAMED_UNITS: Final = "bytes, mb, gb"
"""Those that a refusal names; kilobytes are taken, too."""
IDLE: Final = {
    "quorum_queue_dlx_procs": 2_768,
    "stream_queue_procs": 2_768,
    "stream_queue_replica_reader_procs": 2_768,
    "plugins": 14_232,
    "other_proc": 13_861_736,
    "metrics": 550_072,
    "mnesia": 90_400,
    "quorum_ets": 24_472,
    "other_ets": 2_681_976,
    "binary": 92_104,
    "msg_index": 29_808,
    "code": 31_353_566,
    "atom": 1_335_609,
    "other_system": 12_895_153,
}
"""Bytes of an idle node; what is left of the base after it is divided so is `other_system`."""
CONNECTION: Final = {
    "connection_readers": 3_904,
    "connection_writers": 2_768,
    "connection_channels": 4_040,
    "connection_other": 16_928,
    "metrics": 1_936,
    "mnesia": 680,
    "other_ets": 1_113,
    "other_system": 2_936,
}
"""Bytes of a connection with one channel; what connections have beyond it are buffers, which the VM calls binaries."""
COUNTED: Final = {
    "queue_procs": ("entry_bytes", "journal_bytes"),
    "binary": ("body_bytes", "cached_body_bytes"),
    "msg_index": ("store_bytes",),
    "reserved_unallocated": ("beyond_live_bytes",),
}
"""What the model counts by itself. Beyond what lives, it has one figure: a broker's allocators had none unused."""
ORDER: Final = (
    "connection_readers connection_writers connection_channels connection_other queue_procs queue_slave_procs "
    "quorum_queue_procs quorum_queue_dlx_procs stream_queue_procs stream_queue_replica_reader_procs "
    "stream_queue_coordinator_procs plugins other_proc metrics mgmt_db mnesia quorum_ets other_ets binary msg_index "
    "code atom other_system allocated_unused reserved_unallocated"
).split()
BEYOND: Final = ("allocated_unused", "reserved_unallocated")
"""Parts that the model has only where the strategy counts them."""
UNKNOWN: Final = f"Waterline: not known here with this calculation strategy: {', '.join(BEYOND)}\n"


def strategy_of(state: State) -> str:
    """Return how the node calculates its memory."""
    return str(state["node"]["settings"].get("vm_memory_calculation_strategy", "erlang"))


def memory_parts(state: State) -> dict[str, int]:
    """Return the bytes of each part in the broker's order; together they are what the node counts."""
    memory = state["node"]["memory"]
    parts = dict.fromkeys(ORDER, 0)
    for name, counted in COUNTED.items():
        parts[name] += sum(max(0, memory.get(each, 0)) for each in counted)
    idle, base = sum(IDLE.values()), memory.get("base_bytes", 0)
    divided = {name: base * size // idle for name, size in IDLE.items()}
    divided["other_system"] += base - sum(divided.values())
    rest, count = memory.get("connection_bytes", 0), len(connections(state, NOTHING_MORE))
    for name, size in CONNECTION.items():
        of_all = min(rest, count * size)
        divided[name] = divided.get(name, 0) + of_all
        rest -= of_all
    divided["binary"] += rest
    for name, size in divided.items():
        parts[name] += size
    if strategy_of(state) == "erlang" and not parts["reserved_unallocated"]:
        return {name: size for name, size in parts.items() if name not in BEYOND}
    return parts


def largest_first(state: State) -> list[tuple[str, int, float]]:
    """Return name, bytes and per cent of the node's memory of each part."""
    total = max(1, state["node"]["memory"]["process_memory"])
    parts = sorted(memory_parts(state).items(), key=lambda part: -part[1])
    return [(name, size, round(100 * size / total, 2)) for name, size in parts]


def totals(state: State) -> dict[str, int]:
    """Return what lives in the VM, and what the node's strategy counts."""
    counted = state["node"]["memory"]["process_memory"]
    beyond = state["node"]["memory"].get("beyond_live_bytes", 0)
    return {"erlang": counted - beyond, strategy_of(state): counted}


def memory_terms(state: State) -> str:
    """Return what `rabbit_vm:memory()` gives, but for totals that the model has not."""
    given = totals(state)
    parts = ",\n ".join(f"{{{name},{size}}}" for name, size in memory_parts(state).items())
    total = ",".join(f"{{{name},{size}}}" for name, size in given.items())
    unknown = [each for each in ("rss", "allocated") if each not in given]
    return (
        f"[{parts},\n {{strategy,{strategy_of(state)}}},\n {{total,[{total}]}}]\n"
        f"Waterline: not known here: {', '.join(unknown)}"
    )


def memory_breakdown(request: Request, state: State) -> tuple[str, str]:
    """Return the heading and the parts of the memory, the largest first.

    Raises CtlRefused for a unit that does not exist.
    """
    amount = amounts(request)
    parts = largest_first(state)
    if request.formatter == "json":
        found = {name: {"bytes": size, "percentage": share} for name, size, share in parts}
        return "", msgspec.json.encode(found).decode()
    lines = [f"{name}: {amount(size)} ({share}%)\n" for name, size, share in parts]
    remark = "" if "reserved_unallocated" in memory_parts(state) else UNKNOWN
    return f"Reporting memory breakdown on node {NODE_NAME}...", "".join(lines) + remark


def amounts(request: Request) -> Callable[[float], str]:
    """Return what writes bytes in the unit that was asked for.

    Raises CtlRefused for a unit that does not exist.
    """
    unit = request.options.get("unit", "gb")
    if unit.lower() not in UNITS:
        raise request.invalid(f"\"unit '{unit}' is not supported. Please use one of: {NAMED_UNITS}\"")

    def amount(value: float) -> str:
        size = value / UNITS[unit.lower()]
        return f"{int(size) if unit.lower() == 'bytes' else round(size, 4)} {unit}"

    return amount
