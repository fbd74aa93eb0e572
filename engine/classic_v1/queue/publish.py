"""Messages come in (Q20-Q24)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.backing_queue.arrivals import Arrival
from engine.classic_v1.queue.accounting import account
from engine.classic_v1.queue.arrivals import alike, homes, new_extent, takes_classes
from engine.classic_v1.queue.disk import as_delivered, flush_cache, write
from engine.classic_v1.queue.pending import record_pending
from engine.classic_v1.queue.publish_many import publish_many
from engine.classic_v1.queue.reduce import count_towards_reduction, until_reduction
from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.queue import Published, PublishedDelivered
from engine.values.extents import IN_STORE, WANTS_CONFIRM, Extent
from engine.values.ranges import Range


def publish(q: QueueState, arrival: Arrival, already_delivered: bool, spacing_us: int) -> Range:
    """Publish the messages one after the other, `spacing_us` apart (Q20).

    Returns the seq_ids they got.
    """
    if arrival.count > 1 and takes_classes(q) and alike(q, arrival) < arrival.count:
        return publish_many(q, (arrival,), already_delivered, spacing_us)
    return _one_by_one(
        q, arrival, spacing_us, lambda part: _enter(q, part, already_delivered, batch=False), delivered=0
    )


def publish_each(q: QueueState, arrivals: Sequence[Arrival], spacing_us: int) -> Range:
    """Publish messages of several modes one after the other, `spacing_us` apart; return the seq_ids (Q20)."""
    if takes_classes(q):
        return publish_many(q, arrivals, False, spacing_us)
    first = q.next_seq_id
    for arrival in arrivals:
        publish(q, arrival, False, spacing_us)
        q.now_us += spacing_us
    return Range(first, q.next_seq_id - first)


def _one_by_one(
    q: QueueState, arrival: Arrival, spacing_us: int, enter: Callable[[Arrival], Extent], delivered: int
) -> Range:
    """Let messages enter by single calls, as many at once as no reduction comes between; return the seq_ids.

    Args:
        delivered: 1 where each message goes out as it comes in, which its rates count too.
    """
    first = q.next_seq_id
    started_us = q.now_us
    done = 0
    while done < arrival.count:
        # The message that brings the reduction is a call of its own: the stores get its write together with what
        # the reduction pages out.
        left = until_reduction(q)
        count = min(arrival.count - done, left - 1 if left > 1 else 1)
        if count > 1 and not isinstance(arrival.size_bytes, int):
            count = alike(q, arrival.part(done, count))
        q.now_us = started_us + done * spacing_us
        extent = enter(arrival if count == arrival.count else arrival.part(done, count))
        q.rates.count_each(count, q.now_us, spacing_us, in_=1, out=delivered, ack_in=delivered)
        done += count
        q.now_us = started_us + (done - 1) * spacing_us
        count_towards_reduction(q, count)
        if extent.flags & IN_STORE or count == left:
            q.settle()
    return Range(first, arrival.count)


def batch_publish(q: QueueState, arrivals: Sequence[Arrival], already_delivered: bool) -> Range:
    """Publish all messages as one call: one cache flush, one rate update, one run towards reduction (Q22)."""
    first = q.next_seq_id
    for arrival in homes(q, arrivals):
        extent = _enter(q, arrival, already_delivered, batch=True)
        q.rates.count(in_=extent.count)
    flush_cache(q)
    q.rates.maybe_update(q.now_us)
    count_towards_reduction(q, 1)
    q.settle()
    return Range(first, q.next_seq_id - first)


def _enter(q: QueueState, arrival: Arrival, already_delivered: bool, batch: bool) -> Extent:
    lazy = q.mode == "lazy"
    extent = new_extent(q, arrival)
    if already_delivered:
        extent = as_delivered(q, extent)
    extent = write(q, lazy, lazy, extent, batch=batch, one_by_one=not batch)
    _place(q, extent)
    q.next_seq_id += extent.count
    if extent.flags & WANTS_CONFIRM:
        q.unconfirmed.add(extent.msg_no, extent.count)
    if already_delivered and extent.start <= q.next_deliver_seq_id < extent.end:
        q.next_deliver_seq_id = extent.end
    return extent


def _place(q: QueueState, extent: Extent) -> None:
    """Put new messages where the landing rule wants them (Q21)."""
    if q.mode == "lazy":
        transient = 0 if extent.raw_persistent else extent.count
        q.delta = q.delta.extended(extent.start, extent.count, transient)
        q.emit(Published("Q20", q.name, None, "delta", (extent,), q.delta, {"mode": "lazy"}))
        account(q, extent, ready=1, paged=True, delta=1)
        return
    lane, runs = ("q1", q.q1) if q.q3.total else ("q4", q.q4)
    runs.insert(extent)
    q.emit(Published("Q21", q.name, None, lane, (extent,), None, {"q3_len": q.q3.total}))
    account(q, extent, ready=1, after=True)


def publish_delivered(q: QueueState, arrival: Arrival, spacing_us: int) -> Range:
    """Hand each message to a consumer without queueing it, one call each (Q23).

    Returns the seq_ids, which are the ack tags.
    """
    return _one_by_one(
        q, arrival, spacing_us, lambda part: _enter_delivered(q, part, batch=False), delivered=1
    )


def batch_publish_delivered(q: QueueState, arrivals: Sequence[Arrival]) -> Range:
    """Hand all messages to consumers as one call (Q22, Q23)."""
    first = q.next_seq_id
    for arrival in homes(q, arrivals):
        extent = _enter_delivered(q, arrival, batch=True)
        q.rates.count(in_=extent.count, out=extent.count, ack_in=extent.count)
    flush_cache(q)
    q.rates.maybe_update(q.now_us)
    count_towards_reduction(q, 1)
    q.settle()
    return Range(first, q.next_seq_id - first)


def _enter_delivered(q: QueueState, arrival: Arrival, batch: bool) -> Extent:
    lazy = q.mode == "lazy"
    extent = as_delivered(q, new_extent(q, arrival))
    extent = write(q, lazy, lazy, extent, batch=batch, one_by_one=not batch)
    pending = record_pending(q, extent)
    q.emit(PublishedDelivered("Q23", q.name, None, pending, (extent,)))
    account(q, extent, unacked=1, after=True)
    if extent.start <= q.next_deliver_seq_id < extent.end:
        q.next_deliver_seq_id = extent.end
    q.next_seq_id += extent.count
    if extent.wants_confirm:
        q.unconfirmed.add(extent.msg_no, extent.count)
    return extent
