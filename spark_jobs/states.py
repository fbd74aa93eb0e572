"""How many messages are in which state, read from a snapshot: alpha, beta, gamma, delta, and unacknowledged (Q3)."""

from __future__ import annotations

from typing import Any

from engine.extents import IN_RAM, INDEXED

STATES = ("alpha", "beta", "gamma", "delta", "unacked")
PENDING = frozenset({"ram_pending", "disk_pending", "index_pending"})


def messages_by_state(snapshot: dict[str, Any]) -> dict[str, int]:
    """Return the number of messages in each of STATES, over all queues of a node's snapshot."""
    found = dict.fromkeys(STATES, 0)
    for queue in snapshot["queues"].values():
        found["delta"] += queue["delta"][1]
        for place, extents in queue["lanes"].items():
            for _start, count, _msg_no, _size, flags, *_rest in extents:
                found["unacked" if place in PENDING else _state(flags)] += count
    return found


def _state(flags: int) -> str:
    if flags & IN_RAM:
        return "alpha"
    return "gamma" if flags & INDEXED else "beta"
