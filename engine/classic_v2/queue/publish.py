"""Messages come in (W30-W37)."""

from __future__ import annotations

from engine.backing_queue.arrivals import Arrival
from engine.classic_v2.queue.entries import DeliveryCounts, in_index
from engine.classic_v2.queue.state import QueueState, pending_place
from engine.report.transitions.base import Why
from engine.report.transitions.messages import Published, PublishedDelivered
from engine.values.extents import (
    DELIVERED,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    WANTS_CONFIRM,
    Extent,
)
from engine.values.ranges import Range
from engine.values.sizes import equal


def new_extent(q: QueueState, arrival: Arrival) -> Extent:
    """Return messages as the queue meets them: with their home, and nothing written (W30, W31)."""
    estimate = equal(arrival.size_bytes) + q.codec.estimated_bytes(arrival.template)
    flags = IN_RAM
    if arrival.raw_persistent:
        flags |= RAW_PERSISTENT | (PERSISTENT if q.durable else 0)
    if estimate >= q.settings.queue_index_embed_msgs_below:
        flags |= HOME_STORE
    if arrival.wants_confirm:
        flags |= WANTS_CONFIRM
    return Extent(
        q.next_seq_id,
        arrival.count,
        arrival.msg_no,
        arrival.size_bytes,
        flags,
        arrival.expiry_us,
        arrival.template,
    )


def publish(q: QueueState, arrival: Arrival, already_delivered: bool, spacing_us: int) -> Range:
    """Publish the messages one after the other, `spacing_us` apart; return their positions (W33)."""
    first = q.next_seq_id
    started_us = q.now_us
    done = 0
    while done < arrival.count:
        q.now_us = started_us + done * spacing_us
        room = q.window - q.head.total if q.tail.count == 0 else 0
        count = min(arrival.count - done, room) if room > 0 else arrival.count - done
        if room > 0:
            count = q.steady(count, spacing_us)
        extent = new_extent(q, arrival.part(done, count))
        if already_delivered:
            extent = extent.with_flags(DELIVERED)
        if room > 0:
            _into_head(q, extent)
        else:
            _into_tail(q, extent)
        _counted(q, extent, already_delivered)
        _count_deliveries(q, extent, arrival.deliveries)
        q.rates.count_each(count, q.now_us, spacing_us, in_=1)
        done += count
    q.now_us = started_us + max(0, done - 1) * spacing_us
    q.settle()
    return Range(first, arrival.count)


def _into_head(q: QueueState, extent: Extent) -> None:
    extent = write(q, extent) if extent.persistent else extent
    why: Why = {"head_len": q.head.total, "window": q.window}
    q.head.insert(extent)
    q.emit(Published("W33", q.name, None, "head", (extent,), None, why))
    size = extent.total_bytes
    q.ram_msg_count += extent.count
    q.bytes += size
    q.ram_bytes += size
    _persistent(q, extent)


def _into_tail(q: QueueState, extent: Extent) -> None:
    extent = write(q, extent)
    transient = 0 if extent.raw_persistent else extent.count
    why: Why = {"head_len": q.head.total, "window": q.window, "tail_count": q.tail.count}
    q.tail = q.tail.extended(extent.start, extent.count, transient)
    q.emit(Published("W33", q.name, None, "tail", (extent,), q.tail, why))
    size = extent.total_bytes
    q.bytes += size
    if not extent.persistent:
        q.tail_transient_bytes += size
    _persistent(q, extent)


def _persistent(q: QueueState, extent: Extent) -> None:
    if extent.persistent:
        q.persistent_count += extent.count
        q.persistent_bytes += extent.total_bytes


def write(q: QueueState, extent: Extent) -> Extent:
    """Write bodies to their home and entries to the index; return the messages with that noted (W33, W34)."""
    extent = extent.with_flags(IN_STORE | INDEXED)
    if extent.home_store:
        q.client_of(extent).write(extent)
    else:
        q.store.write(extent)
    q.disk_write_count += extent.count
    q.index.publish(in_index(extent), extent.wants_confirm and extent.home_store)
    return extent


def _counted(q: QueueState, extent: Extent, delivered: bool) -> None:
    """Go on to the next position, and note who waits for a confirm (W61)."""
    q.next_seq_id = extent.end
    if delivered and not q.settings.counts_deliveries:
        bump(q, extent)
    if extent.wants_confirm:
        waiting = q.unconfirmed if extent.home_store else q.unconfirmed_simple
        waiting.add(extent.msg_no, extent.count)


def _count_deliveries(q: QueueState, extent: Extent, times: int) -> None:
    """Take over from the queue where they died how often delivering messages has failed (W42)."""
    if times and q.settings.counts_deliveries:
        q.deliveries.insert(DeliveryCounts(extent.start, extent.count, times))


def bump(q: QueueState, extent: Extent) -> None:
    """Advance next_deliver where exactly its message leaves (Q33)."""
    if not q.settings.counts_deliveries and extent.start <= q.redeliver_seq_id < extent.end:
        q.redeliver_seq_id = extent.end


def publish_delivered(q: QueueState, arrival: Arrival, spacing_us: int) -> Range:
    """Hand each message to a consumer without queueing it; return the tags (W37)."""
    first = q.next_seq_id
    extent = new_extent(q, arrival).with_flags(DELIVERED)
    if extent.persistent:
        extent = write(q, extent)
    q.keep_pending(extent)
    q.emit(PublishedDelivered("W37", q.name, None, pending_place(extent), (extent,)))
    size = extent.total_bytes
    q.unacked_bytes += size
    q.ram_bytes += size
    _persistent(q, extent)
    _counted(q, extent, delivered=True)
    _count_deliveries(q, extent, arrival.deliveries)
    q.rates.count_each(extent.count, q.now_us, spacing_us, in_=1, out=1, ack_in=1)
    q.settle()
    return Range(first, arrival.count)
