"""Messages come in (W30-W37)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.backing_queue.arrivals import Arrival
from engine.classic_v2.queue.entries import DeliveryCounts, in_index
from engine.classic_v2.queue.state import V2QueueState
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Published, PublishedDelivered
from engine.values.extents import (
    AT_ONCE,
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
from engine.values.sizes import sides
from engine.values.stretches import Stretches


def new_extents(q: V2QueueState, arrivals: Iterable[Arrival]) -> list[Extent]:
    """Return messages as the queue meets them: runs of one home, and nothing written (W30, W31)."""
    found: list[Extent] = []
    start = q.next_seq_id
    for arrival in arrivals:
        flags = IN_RAM
        if arrival.raw_persistent:
            flags |= RAW_PERSISTENT | (PERSISTENT if q.durable else 0)
        if arrival.wants_confirm:
            flags |= WANTS_CONFIRM
        border = q.settings.queue_index_embed_msgs_below - q.codec.estimated_bytes(arrival.template)
        number, size = arrival.msg_no, arrival.size_bytes
        for skip, count, stored in sides(size, number, arrival.count, border):
            own = flags | HOME_STORE if stored else flags
            found.append(
                Extent(start + skip, count, number + skip, size, own, arrival.expiry_us, arrival.template)
            )
        start += arrival.count
    return found


def publish(q: V2QueueState, arrivals: Sequence[Arrival], already_delivered: bool, spacing_us: int) -> Range:
    """Publish the messages one after the other, `spacing_us` apart; return their positions (W33)."""
    first, started_us = q.next_seq_id, q.now_us
    waiting = Stretches(new_extents(q, arrivals))
    done, total = 0, waiting.total
    while done < total:
        q.now_us = started_us + done * spacing_us
        room = q.window - q.head.total if q.tail.count == 0 else 0
        count = min(total - done, waiting.leading(AT_ONCE))
        if room > 0:
            count = q.steady(min(count, room), spacing_us)
        extents = waiting.pop_head(count)
        if already_delivered:
            extents = [each.with_flags(DELIVERED) for each in extents]
        if room > 0:
            _into_head(q, extents)
        else:
            _into_tail(q, extents)
        _counted(q, extents, already_delivered)
        q.rates.count_each(count, q.now_us, spacing_us, in_=1)
        done += count
    q.now_us = started_us + max(0, done - 1) * spacing_us
    _count_deliveries(q, first, arrivals)
    q.settle()
    return Range(first, total)


def _into_head(q: V2QueueState, extents: list[Extent]) -> None:
    extents = write(q, extents, force=False)
    why: Why = {"head_len": q.head.total, "window": q.window}
    q.head.insert_all(extents)
    q.emit(Published("W33", q.name, None, "head", tuple(extents), None, why))
    size = sum([each.total_bytes for each in extents])
    q.ram_msg_count += sum([each.count for each in extents])
    q.bytes += size
    q.ram_bytes += size
    _persistent(q, extents)


def _into_tail(q: V2QueueState, extents: list[Extent]) -> None:
    extents = write(q, extents, force=True)
    why: Why = {"head_len": q.head.total, "window": q.window, "tail_count": q.tail.count}
    for each in extents:
        q.tail = q.tail.extended(each.start, each.count, 0 if each.raw_persistent else each.count)
        q.bytes += each.total_bytes
        if not each.persistent:
            q.tail_transient_bytes += each.total_bytes
    q.emit(Published("W33", q.name, None, "tail", tuple(extents), q.tail, why))
    _persistent(q, extents)


def _persistent(q: V2QueueState, extents: Iterable[Extent]) -> None:
    for each in extents:
        if each.flags & PERSISTENT:
            q.persistent_count += each.count
            q.persistent_bytes += each.total_bytes


def write(q: V2QueueState, extents: Sequence[Extent], force: bool) -> list[Extent]:
    """Write bodies to their home and entries to the index (W33, W34).

    Args:
        extents: messages that follow each other.
        force: write transient ones, too.

    Returns:
        The messages, with what is written noted.
    """
    found = [
        each.with_flags(IN_STORE | INDEXED) if force or each.flags & PERSISTENT else each for each in extents
    ]
    written = [each for each in found if each.flags & INDEXED]
    if not written:
        return found
    own = [each for each in written if not each.flags & HOME_STORE]
    shared = [each for each in written if each.flags & HOME_STORE]
    q.store.write(own)
    for client, mode in ((q.persistent, PERSISTENT), (q.transient, 0)):
        there = [each for each in shared if each.flags & PERSISTENT == mode]
        if there:
            client.write(there)
    q.disk_write_count += sum([each.count for each in written])
    q.index.publish(
        [in_index(each) for each in written], [each for each in shared if each.flags & WANTS_CONFIRM]
    )
    return found


def _counted(q: V2QueueState, extents: Iterable[Extent], delivered: bool) -> None:
    """Go on to the next position, and note who waits for a confirm (W61)."""
    for extent in extents:
        q.next_seq_id = extent.start + extent.count
        if delivered:
            bump(q, extent)
        if extent.flags & WANTS_CONFIRM:
            waiting = q.unconfirmed if extent.flags & HOME_STORE else q.unconfirmed_simple
            waiting.add(extent.msg_no, extent.count)


def _count_deliveries(q: V2QueueState, start: int, arrivals: Iterable[Arrival]) -> None:
    """Take over from the queue where they died how often delivering messages has failed (W42).

    Args:
        start: position of the first.
    """
    for arrival in arrivals:
        if arrival.deliveries and q.settings.counts_deliveries:
            q.deliveries.insert(DeliveryCounts(start, arrival.count, arrival.deliveries))
        start += arrival.count


def bump(q: V2QueueState, extent: Extent) -> None:
    """Advance next_deliver where exactly its message leaves (Q33)."""
    if not q.settings.counts_deliveries and extent.start <= q.redeliver_seq_id < extent.end:
        q.redeliver_seq_id = extent.end


def publish_delivered(q: V2QueueState, arrival: Arrival, spacing_us: int) -> Range:
    """Hand each message to a consumer without queueing it; return the tags (W37)."""
    first = q.next_seq_id
    extents = [each.with_flags(DELIVERED) for each in new_extents(q, (arrival,))]
    extents = write(q, extents, force=False)
    q.ram_pending.insert_all(extents)
    q.emit(PublishedDelivered("W37", q.name, None, "ram_pending", tuple(extents)))
    size = sum([each.total_bytes for each in extents])
    q.unacked_bytes += size
    q.ram_bytes += size
    _persistent(q, extents)
    _counted(q, extents, delivered=True)
    _count_deliveries(q, first, (arrival,))
    q.rates.count_each(arrival.count, q.now_us, spacing_us, in_=1, out=1, ack_in=1)
    q.settle()
    return Range(first, arrival.count)
