"""The facts of a moment: few, stable names for what exercises ask about, read from a node's snapshot."""

from __future__ import annotations

from collections import Counter
from typing import Any

LANES = ("q1", "q2", "q3", "q4")
PENDING = ("ram_pending", "disk_pending", "index_pending")
SHOWN_ONE_BY_ONE = 64
"""Up to so many messages have their place told one by one."""
IN_RAM, INDEXED, PERSISTENT = 2, 8, 1

Facts = dict[str, Any]


def facts_of(state: dict[str, Any], now_us: int, seen: Counter[str], moved: Counter[str]) -> Facts:
    """Return the facts of a snapshot.

    Args:
        state: what `Node.snapshot` returns.
        now_us: virtual microseconds.
        seen: how many transitions of each kind there were.
        moved: how many messages each kind moved.
    """
    queues = {name: _queue_facts(queue) for name, queue in state["queues"].items()}
    node = state["node"]
    return {
        "now_ms": now_us // 1000,
        "queue": queues.get("orders") or next(iter(queues.values()), {}),
        "queues": queues,
        "stores": {name: _store_facts(store) for name, store in state["stores"].items()},
        "memory": {
            "used": node["memory"].get("process_memory", 0),
            "limit": node["memory"].get("limit", 0),
            "paging_at": node["memory"].get("paging_at", 0),
        },
        "alarm": bool(node["alarms"].get("memory")),
        "disk_bytes": node["disk"].get("used_bytes", 0),
        "actors": node["actors"],
        **_sums(node["actors"]),
        "seen": seen,
        "moved": moved,
    }


def _queue_facts(queue: dict[str, Any]) -> Facts:
    lanes, delta, counters = queue["lanes"], queue["delta"], queue["counters"]
    lengths = {lane: sum(row[1] for row in lanes.get(lane, ())) for lane in LANES}
    in_delta = delta[1] if delta else 0
    unacked = sum(row[1] for place in PENDING for row in lanes.get(place, ()))
    states = _states(lanes)
    index = queue["index"]
    return {
        **lengths,
        "delta": in_delta,
        "ready": sum(lengths.values()) + in_delta,
        "unacked": unacked,
        **states,
        "ram": counters.get("ram_msg_count", 0),
        "target": counters.get("target_ram_count"),
        "mode": queue["mode"],
        "durable": queue["durable"],
        "next": counters.get("next_seq_id", 0),
        "persistent": counters.get("persistent_count", 0),
        "reads": counters.get("disk_read_count", 0),
        "writes": counters.get("disk_write_count", 0),
        "segments": len(index["segments"]),
        "journal_bytes": (index["journal_bytes"] or 0) + index["buffered_bytes"],
        "place": _places(lanes, delta, counters.get("next_seq_id", 0)),
    }


def _states(lanes: dict[str, Any]) -> dict[str, int]:
    """Count alphas, betas and gammas (Q3)."""
    counts = {"alpha": 0, "beta": 0, "gamma": 0}
    for lane in LANES:
        for row in lanes.get(lane, ()):
            flags = row[4]
            if lane in {"q1", "q4"} or flags & IN_RAM:
                counts["alpha"] += row[1]
            else:
                counts["gamma" if flags & INDEXED else "beta"] += row[1]
    return counts


def _places(lanes: dict[str, Any], delta: list[int] | None, next_seq: int) -> dict[str, str]:
    """Return where each message is, by its number; nothing when there are too many."""
    if next_seq > SHOWN_ONE_BY_ONE:
        return {}
    places = dict.fromkeys(map(str, range(next_seq)), "gone")
    if delta and delta[1]:
        for seq in range(delta[0], delta[3]):
            places[str(seq)] = "delta"
    for lane, rows in lanes.items():
        for row in rows:
            for seq in range(row[0], row[0] + row[1]):
                places[str(seq)] = "unacked" if lane in PENDING else lane
    return places


def _store_facts(store: dict[str, Any]) -> Facts:
    files = store["files"]
    return {
        "files": len(files),
        "bytes": sum(row[4] for row in files),
        "valid": sum(row[2] for row in files),
        "garbage": sum(row[1] - row[2] for row in files),
    }


def _sums(actors: dict[str, Any]) -> dict[str, int]:
    names = ("published", "confirmed", "unconfirmed", "waiting", "delivered", "redelivered", "acked")
    present = [actor for actor in actors.values() if actor]
    sums = {name: sum(actor.get(name) or 0 for actor in present) for name in names}
    return {**sums, "blocked": sum(actor.get("state") == "blocked" for actor in present)}
