"""Where the messages of a queue of version 2 can lie, and its `backing_queue_status`, with questions (W10, W74)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine.backing_queue.message_places import CLASSIC_V2, MessagePlace, places_of, register
from engine.backing_queue.status import (
    PrintedStatus,
    Question,
    Queue,
    QueueRates,
    StatusReader,
    lane_count,
    rates_printed,
    record_printed,
)

PLACES: Final = register(
    CLASSIC_V2,
    (
        MessagePlace("tail", "disk", counted=True, letter="delta"),
        MessagePlace("head", "mixed", limits="contents", letter="alpha"),
        MessagePlace("ram_pending", "ram", unacked=True),
        MessagePlace("disk_pending", "disk", unacked=True),
    ),
)


MOST_LOADED: Final = 2048
"""Messages that one load brings at most (W32)."""


def printed_4_0(queue: Queue, rates: QueueRates) -> dict[str, Any]:
    """Return what 4.0 prints of a queue of a snapshot: the names of version 1, of whose lanes two are in use (W74)."""
    return {
        "mode": queue["mode"],
        "version": 2,
        "q1": 0,
        "q2": 0,
        "delta": record_printed("delta", *queue["counted"]["tail"]),
        "q3": lane_count(queue, "head"),
        "q4": 0,
        "len": queue["counters"]["len"],
        "target_ram_count": "infinity",
        "next_seq_id": queue["counters"]["next_seq_id"],
        "next_deliver_seq_id": queue["counters"]["next_deliver_seq_id"],
        **_rest(queue, rates),
    }


def printed_4_3(queue: Queue, rates: QueueRates) -> dict[str, Any]:
    """Return what 4.3 prints of a queue of a snapshot, but for `delivery_count`, which no snapshot has (W74)."""
    start, count, _transient, end = queue["counted"]["tail"]
    return {
        "version": 2,
        "q_head": lane_count(queue, "head"),
        "q_tail": record_printed("q_tail", start, count, end),
        "len": queue["counters"]["len"],
        "next_seq_id": queue["counters"]["next_seq_id"],
        "redeliver_seq_id": queue["counters"]["next_deliver_seq_id"],
        **_rest(queue, rates),
    }


def _rest(queue: Queue, rates: QueueRates) -> dict[str, Any]:
    files = queue.get("own", {}).get("files", {})
    entries, acks = (sum(row[1] for row in files.get(name, ())) for name in ("buffered", "acks"))
    return {
        "num_pending_acks": sum(lane_count(queue, each.name) for each in places_of(queue) if each.unacked),
        "num_unconfirmed": queue["counters"]["unconfirmed_count"],
        **rates_printed(rates),
        "qi_buffer_size": entries + acks,
        "qi_buffer_num_up": acks,
        "qs_buffer_size": files.get("waiting_bytes", 0),
    }


def _questions(printed: PrintedStatus) -> Iterator[Question]:
    """Yield what somebody should ask: such a queue grows on disk, not in memory (W32, W70)."""
    growth, egress = printed.growth(), printed.number("avg_egress_rate")
    if growth is not None:
        yield ("grows_in_tail" if printed.counted else "grows"), growth
    if printed.counted and egress is not None:
        yield "tail", {"count": printed.counted, "window": min(1 + int(2 * egress), MOST_LOADED)}
    if printed.redelivered:
        yield "counted_deliveries", {"count": printed.redelivered}
    yield from printed.many_pending("num_pending_acks")


STATUS: Final = StatusReader(
    version="2",
    lanes={"q_tail": "disk", "q_head": "ram"},  # as 4.3 prints them
    counted=frozenset({"q_tail"}),
    items=(4, 5),  # {q_tail,Start,Count,End} in 4.3
    keys=frozenset({"q_head", "q_tail", "redeliver_seq_id", "delivery_count", "qs_buffer_size"}),
    named="version_2_named",
    numbered="version_2",
    questions=_questions,
)
