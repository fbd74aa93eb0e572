"""Where the messages of a queue with the lanes of version 1 can lie (Q1-Q4), and its `backing_queue_status`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from engine.backing_queue.message_places import (
    VARIABLE_QUEUE,
    VARIABLE_QUEUE_V2,
    MessagePlace,
    counted,
    ready,
    register,
)
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
    VARIABLE_QUEUE,
    (
        MessagePlace("q1", "ram", limits="contents", letter="alpha", lazy=False),
        MessagePlace("q2", "mixed", limits="entries", letter="beta", lazy=False),
        MessagePlace("delta", "disk", counted=True, letter="delta"),
        MessagePlace("q3", "mixed", limits="entries", letter="gamma"),
        MessagePlace("q4", "ram", limits="contents", letter="alpha", lazy=False),
        MessagePlace("ram_pending", "ram", unacked=True),
        MessagePlace("disk_pending", "disk", unacked=True),
        MessagePlace("index_pending", "ram", unacked=True),
    ),
)


LANES: Final = {
    place.name: "line" if place.content == "mixed" else place.content for place in PLACES if not place.unacked
}
COUNTED: Final = frozenset(counted(PLACES))
IN_RAM: Final = tuple(lane for lane, where in LANES.items() if where == "ram")


def printed(queue: Queue, rates: QueueRates) -> dict[str, Any]:
    """Return what 3.10 prints of a queue of a snapshot, of either version of files (Q10)."""
    counters = queue["counters"]
    target = counters["target_ram_count"]
    lanes = {
        lane: record_printed(lane, *queue["counted"][lane]) if lane in COUNTED else lane_count(queue, lane)
        for lane in ready(PLACES)
    }
    return {
        "mode": queue["mode"],
        "version": 2 if queue.get("backing_queue") == VARIABLE_QUEUE_V2 else 1,
        **lanes,
        "len": counters["len"],
        "target_ram_count": "infinity" if target is None else target,
        "next_seq_id": counters["next_seq_id"],
        "next_deliver_seq_id": counters["next_deliver_seq_id"],
        **rates_printed(rates),
    }


def printed_3_8(queue: Queue, rates: QueueRates) -> dict[str, Any]:
    """Return what 3.8 prints of a queue of a snapshot: no version, and nothing of what was delivered."""
    found = printed(queue, rates)
    return {name: value for name, value in found.items() if name not in ("version", "next_deliver_seq_id")}


def _questions(printed: PrintedStatus) -> Iterator[Question]:
    growth = printed.growth()
    if growth is not None:
        yield ("grows_in_delta" if printed.counted else "grows"), growth
    if printed.counted:
        yield "delta", {"count": printed.counted}
    target = printed.values.get("target_ram_count")
    if target is not None and "infinity" not in target:
        yield "target", {"target": target}
    lazy = printed.values.get("mode") == "lazy"
    if lazy and any(printed.counts[lane] for lane in IN_RAM):
        yield "lazy", {}
    length = printed.whole("len")
    if length and printed.whole("ram_msg_count") == 0 and not lazy:
        yield "no_ram", {"length": length}
    yield from printed.many_pending("num_pending_acks", "pending_acks")


STATUS: Final = StatusReader(
    version="1",
    lanes={lane: LANES[lane] for lane in ready(PLACES)},
    counted=COUNTED,
    items=(4, 5),  # {delta,Start,Count,End} up to 3.6.6; {delta,Start,Count,Transient,End} since
    keys=frozenset(
        {"target_ram_count", "ram_msg_count", "ram_ack_count", "qi_buffer_size", "qi_buffer_num_up", *LANES}
    ),
    questions=_questions,
)
