"""Pending acknowledgements: ack, requeue, reading them again (W50, W51, W55)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.classic_v2.queue.state import PENDING, DeliveryCounts, V2QueueState, by_place
from engine.classic_v2.queue.taking import read_bodies, remove_each, remove_shared
from engine.report.transitions.queue import Acked, PendingPurged, Requeued
from engine.values.extents import WANTS_CONFIRM, Extent, as_ranges, together
from engine.values.stretches import Range


def ack(q: V2QueueState, tags: Sequence[Range], multiple: bool) -> list[Extent]:
    """Remove messages that consumers acknowledged: one call with all tags, or one for each (W50, W51)."""
    found: list[Extent] = []
    single = not multiple or sum(tag.count for tag in tags) == 1
    for tag in tags:
        ended = q.take_pending(tag)
        for some in together(ended):
            for place, there in by_place(some).items():
                q.emit(Acked("W50" if single else "W51", q.name, place, None, tuple(there)))
            for extent in some:
                _account_acked(q, extent)
                q.deliveries.remove(extent.start, extent.count)
            if single:
                remove_each(q, some)
                q.settle()
        found.extend(ended)
    if not single:
        remove_together(q, found)
    total = sum(extent.count for extent in found) if single else sum(tag.count for tag in tags)
    q.rates.count(ack_out=total)
    q.settle()
    return found


def _account_acked(q: V2QueueState, extent: Extent) -> None:
    size = extent.total_bytes
    q.unacked_bytes -= size
    if extent.in_ram:
        q.ram_bytes -= size
    if extent.persistent:
        q.persistent_count -= extent.count
        q.persistent_bytes -= size


def remove_together(q: V2QueueState, extents: Sequence[Extent], acknowledge: bool = True) -> None:
    """Remove messages as one call: one index ack, then the stores (W51)."""
    if acknowledge:
        indexed = as_ranges([extent for extent in extents if extent.indexed])
        q.store.delete_segments(q.index.ack(indexed))
    q.store.remove([extent for extent in extents if extent.in_store and not extent.home_store])
    remove_shared(q, extents)


def requeue(q: V2QueueState, tags: Sequence[Range], multiple: bool, delivery_failed: bool) -> list[Extent]:
    """Put pending messages back to their place in the head lane (W55). `tags`: positions in the order given.
    `multiple`: one call with all tags, or one call for each. `delivery_failed`: counts as a delivery (W42).
    """
    found: list[Extent] = []
    for tag in tags:
        taken = [extent.with_flags(clear=WANTS_CONFIRM) for extent in q.take_pending(tag)]
        for extent in taken:
            if delivery_failed:
                count_delivery(q, extent.start, extent.count)
            size = extent.total_bytes
            q.bytes += size
            q.unacked_bytes -= size
            if extent.in_ram:
                q.ram_msg_count += extent.count
            q.head.insert(extent)
        for some in together(taken):
            for place, there in by_place(some).items():
                q.emit(Requeued("W55", q.name, place, "head", tuple(there)))
        found += taken
    count = sum(extent.count for extent in found)
    if multiple:
        q.rates.count(in_=count)
        q.rates.maybe_update(q.now_us)
    else:
        q.rates.count_each(count, q.now_us, 0, in_=1)
    q.settle()
    return found


def count_delivery(q: V2QueueState, start: int, count: int) -> None:
    """Count a delivery of each position that failed (W42)."""
    if not q.settings.counts_deliveries:
        return
    at = start
    for each in q.deliveries.remove(start, count):
        _first_delivery(q, at, each.start)
        q.deliveries.insert(DeliveryCounts(each.start, each.count, each.times + 1))
        at = each.end
    _first_delivery(q, at, start + count)


def _first_delivery(q: V2QueueState, start: int, end: int) -> None:
    middle = min(max(q.redeliver_seq_id, start), end)
    for low, high, times in ((start, middle, 2), (middle, end, 1)):
        if low < high:
            q.deliveries.insert(DeliveryCounts(low, high - low, times))


def ackfold(q: V2QueueState, tags: Sequence[Range], delivery_failed: bool) -> list[Extent]:
    """Read pending messages with their bodies and leave them as they are (Q41)."""
    found: list[Extent] = []
    for tag in tags:
        for extent in q.pending_inside(tag.start, tag.count):
            read_bodies(q, [extent])
            found.append(extent)
            if delivery_failed:
                count_delivery(q, extent.start, extent.count)
    return found


def purge_acks(q: V2QueueState) -> None:
    """Forget every pending ack, with its message (Q41)."""
    extents = pending_extents(q)
    forget_pending(q)
    remove_together(q, extents)
    q.settle()


def pending_extents(q: V2QueueState) -> list[Extent]:
    """Return every unacknowledged message, ascending."""
    return sorted([*q.ram_pending, *q.disk_pending], key=lambda extent: extent.start)


def forget_pending(q: V2QueueState) -> None:
    for place in PENDING:
        runs = q.extents_of(place)
        if runs.total:
            q.emit(PendingPurged("Q41", q.name, place, None, tuple(runs)))
            runs.clear()
