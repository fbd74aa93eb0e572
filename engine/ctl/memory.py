"""The parts of a node's memory in the release's names and order: what the model counts, and the rest of an idle node.

What the model calls the base is one figure. A broker's report divides it: code, atoms, tables of its own. It is divided
here as on an idle node of the release, and a connection as one was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from engine.broker.control.report import LiveValues
from engine.ctl.listings import NOTHING_MORE, connections
from engine.ctl.releases.facts import ReleaseFacts
from engine.ctl.request import Request
from engine.ctl.usage import NODE_NAME

State = Mapping[str, Any]
UNITS: Final = {
    "bytes": 1,
    "kb": 1_000,
    "mb": 1_000_000,
    "mib": 1 << 20,
    "gb": 1_000_000_000,
    "gib": 1 << 30,
    "tb": 1_000_000_000_000,
    "tib": 1 << 40,
}
COUNTED: Final = {
    "queue_procs": ("entry_bytes", "journal_bytes"),
    "binary": ("body_bytes", "cached_body_bytes"),
    "msg_index": ("store_bytes",),
    "reserved_unallocated": ("beyond_live_bytes",),
}
"""What the model counts by itself. Beyond what lives, it has one figure: a broker's allocators had none unused."""
BEYOND: Final = ("allocated_unused", "reserved_unallocated")
"""Parts that the model has only where the strategy counts them."""
UNKNOWN: Final = f"Waterline: not known here with this calculation strategy: {', '.join(BEYOND)}\n"


def strategy_of(state: State) -> str:
    """Return how the node calculates its memory."""
    return str(state["node"]["settings"].get("vm_memory_calculation_strategy", "erlang"))


def memory_parts(facts: ReleaseFacts, state: State) -> dict[str, int]:
    """Return the bytes of each part in the release's order; together they are what the node counts."""
    memory = state["node"]["memory"]
    parts = dict.fromkeys(facts.idle, 0)
    for name, counted in COUNTED.items():
        parts[name] += sum(max(0, memory.get(each, 0)) for each in counted)
    idle, base = sum(facts.idle.values()), memory.get("base_bytes", 0)
    divided = {name: base * size // idle for name, size in facts.idle.items()}
    divided["other_system"] += base - sum(divided.values())
    rest, count = memory.get("connection_bytes", 0), len(connections(facts, state, NOTHING_MORE))
    for name, size in facts.connection.items():
        of_all = min(rest, count * size)
        divided[name] = divided.get(name, 0) + of_all
        rest -= of_all
    divided["binary"] += rest
    for name, size in divided.items():
        parts[name] += size
    if strategy_of(state) == "erlang" and not parts["reserved_unallocated"]:
        return {name: size for name, size in parts.items() if name not in BEYOND}
    return parts


def largest_first(facts: ReleaseFacts, state: State) -> list[tuple[str, int, float]]:
    """Return name, bytes and per cent of the node's memory of each part."""
    total = max(1, state["node"]["memory"]["process_memory"])
    parts = sorted(memory_parts(facts, state).items(), key=lambda part: -part[1])
    return [(name, size, round(100 * size / total, 2)) for name, size in parts]


def totals(state: State) -> dict[str, int]:
    """Return what lives in the VM, and what the node's strategy counts."""
    counted = state["node"]["memory"]["process_memory"]
    beyond = state["node"]["memory"].get("beyond_live_bytes", 0)
    return {"erlang": counted - beyond, strategy_of(state): counted}


def memory_terms(facts: ReleaseFacts, state: State) -> str:
    """Return what `rabbit_vm:memory()` gives, but for totals that the model has not."""
    given = totals(state)
    parts = ",\n ".join(f"{{{name},{size}}}" for name, size in memory_parts(facts, state).items())
    total = ",".join(f"{{{name},{size}}}" for name, size in given.items())
    unknown = [each for each in ("rss", "allocated") if each not in given]
    return (
        f"[{parts},\n {{strategy,{strategy_of(state)}}},\n {{total,[{total}]}}]\n"
        f"Waterline: not known here: {', '.join(unknown)}"
    )


def memory_breakdown(request: Request, state: State, _: int, __: LiveValues) -> str:
    """Return the parts of the memory, the largest first.

    Raises CtlRefused for a unit that does not exist.
    """
    amount = amounts(request)
    parts = largest_first(request.facts, state)
    if request.formatter == "json":
        found = {name: {"bytes": size, "percentage": share} for name, size, share in parts}
        return f"{msgspec.json.encode(found).decode()}\n"
    heading = "" if request.quiet else f"Reporting memory breakdown on node {NODE_NAME}...\n"
    lines = "".join(f"{name}: {amount(size)} ({share}%)\n" for name, size, share in parts)
    return f"{heading}{lines}{'' if any(name in BEYOND for name, _, _ in parts) else UNKNOWN}\n"


def amounts(request: Request) -> Callable[[float], str]:
    """Return what writes bytes in the unit that was asked for.

    Raises CtlRefused for a unit that does not exist.
    """
    unit = request.options.get("unit", "gb")
    known = request.facts.units
    if unit.lower() not in (*known.split(", "), "kb"):  # which no refusal names
        raise request.invalid(f"\"unit '{unit}' is not supported. Please use one of: {known}\"")
    divisor = UNITS[unit.lower()]
    return lambda value: f"{int(value) if divisor == 1 else round(value / divisor, 4)} {unit}"
