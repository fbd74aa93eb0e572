"""Publishing (Q20-Q24)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.backing_queue.protocol import Arrival
from engine.classic_v1.queue.pending import (
    as_delivered,
    flush_cache,
    pending_inside,
    read_back,
    record_pending,
    trim,
    write,
)
from engine.classic_v1.queue.reduce import count_towards_reduction, until_reduction
from engine.classic_v1.queue.state import (
    QueueState,
    account,
    account_many,
    alike,
    border_of,
    homes,
    new_extent,
    takes_classes,
)
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Published, PublishedDelivered, Requeued
from engine.values.extents import (
    AT_ONCE,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    WANTS_CONFIRM,
    Extent,
)
from engine.values.stretches import Range


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
    """Publish by single calls, batching calls without a reduction in between; return the seq_ids. Args:
    delivered: 1 if each message is delivered at once, which the rates also count.
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
    """Put new messages into the lane that the landing rule names (Q21)."""
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


def publish_many(
    q: QueueState, arrivals: Sequence[Arrival], already_delivered: bool, spacing_us: int
) -> Range:
    """Publish messages one after the other, `spacing_us` apart; they may differ in size, home and mode.

    Returns the seq_ids they got.
    """
    entries = _entries(q, arrivals)
    first, started_us = q.next_seq_id, q.now_us
    total = sum([each.count for each in arrivals])
    done = at = 0
    while done < total:
        # As in `publish`: the message that brings the reduction is a call of its own.
        left = until_reduction(q)
        most = left - 1 if left > 1 else 1
        some: list[Extent] = []
        count = 0
        while at < len(entries) and count < most and len(some) < AT_ONCE:
            entry = entries[at]
            if count + entry.count <= most:
                at += 1
            else:
                taken = most - count
                entries[at] = entry.part(taken, entry.count - taken)
                entry = entry.part(0, taken)
            some.append(entry)
            count += entry.count
        q.now_us = started_us + done * spacing_us
        _enter_many(q, some, already_delivered, settles=count < left)
        q.rates.count_each(count, q.now_us, spacing_us, in_=1)
        done += count
        q.now_us = started_us + (done - 1) * spacing_us
        count_towards_reduction(q, count)
        if count == left:
            q.settle()
    return Range(first, total)


def _entries(q: QueueState, arrivals: Sequence[Arrival]) -> list[Extent]:
    """Return the entries of new messages by runs of one class, as they are when they are written (Q1, Q12)."""
    found: list[Extent] = []
    start = q.next_seq_id
    borders: dict[int, int] = {}
    kinds: dict[tuple[bool, bool], int] = {}
    for arrival in arrivals:
        kind = arrival.raw_persistent, arrival.wants_confirm
        flags = kinds.get(kind, 0)
        if not flags:
            flags = kinds[kind] = new_extent(q, arrival).flags & ~HOME_STORE
        sizes, template = arrival.size_bytes, arrival.template
        if template not in borders:
            borders[template] = border_of(q, template)
        border = borders[template]
        at, end = arrival.msg_no, arrival.msg_no + arrival.count
        while at < end:
            count = end - at
            if isinstance(sizes, int):
                home = sizes >= border
            else:
                home = sizes.at(at) >= border
                if count > 1:
                    count = sizes.alike(at, count, border)
            of_class = flags | HOME_STORE if home else flags
            if flags & PERSISTENT:  # as the entry is once it is written, which comes before it is shown
                of_class |= INDEXED | IN_STORE if home else INDEXED
            found.append(Extent(start, count, at, sizes, of_class, arrival.expiry_us, template))
            start += count
            at += count
    return found


def _enter_many(q: QueueState, entries: list[Extent], already_delivered: bool, settles: bool) -> None:
    """Write persistent messages, and put all into the lane that the landing rule names (Q15-Q17, Q21). Args:
    entries: runs of consecutive seq_ids, marked as written. already_delivered: they count as delivered.
    settles: let the store handle its mailbox here; else the caller does.
    """
    stored: list[Extent] = []
    indexed: list[Extent] = []
    for entry in entries:
        flags = entry.flags
        if flags & PERSISTENT:
            q.disk_write_count += entry.count
            indexed.append(entry)
            if not flags & HOME_STORE:
                pass
            elif settles and not q.stores_alone:
                stored.append(entry)
                q.persistent.charge(entry.count)
            else:
                q.persistent.write(entry, one_by_one=True)
        if flags & WANTS_CONFIRM:
            q.unconfirmed.add(entry.msg_no, entry.count)
    if stored:
        q.persistent.write_new(stored, one_by_one=True)
    q.index.publish_many(indexed, q.target_ram_count)
    first, last = entries[0], entries[-1]
    end = last.start + last.count
    lane, runs = ("q1", q.q1) if q.q3.total else ("q4", q.q4)
    runs.insert_all(entries)
    q.next_seq_id = end
    q.emit(Published("Q21", q.name, None, lane, tuple(entries), None, {"q3_len": q.q3.total}))
    account_many(q, entries, ready=1)
    if already_delivered and first.start <= q.next_deliver_seq_id < end:
        q.next_deliver_seq_id = end


def requeue(q: QueueState, tags: Sequence[Range], multiple: bool) -> list[Extent]:
    """Put pending messages back (Q40).

    Args:
        tags: seq_ids; a call sorts its own.
        multiple: one call with all of them, else one call for each tag in the given order.
    Returns the runs requeued, ascending for each call.
    """
    if multiple:
        return _requeue_once(q, sorted(tags, key=lambda tag: tag.start))
    found: list[Extent] = []
    for tag in tags:
        for seq in range(tag.start, tag.start + tag.count):
            found.extend(_requeue_once(q, [Range(seq, 1)]))
            q.settle()
    return found


def _requeue_once(q: QueueState, tags: Sequence[Range]) -> list[Extent]:
    delta_start = None if q.delta.blank else q.delta.start
    q3_head = q.q3.first.start if q.q3 else None
    found: list[Extent] = []
    for tag in tags:
        for place, extent in pending_inside(q, tag.start, tag.count):
            q.extents_of(place).remove(extent.start, extent.count)
            for part, to in _destinations(q, extent, q3_head, delta_start):
                why: Why = {"q3_head": q3_head, "delta_start": delta_start}
                _return(q, place, part, to, why)
            found.append(extent)
    q.rates.count(in_=sum(each.count for each in found))
    flush_cache(q)
    q.rates.maybe_update(q.now_us)
    count_towards_reduction(q, 1)
    return found


def _destinations(
    q: QueueState, extent: Extent, q3_head: int | None, delta_start: int | None
) -> list[tuple[Extent, str]]:
    """Split a run by where its parts belong: before q3's head, before delta's start, or into delta."""
    limits: list[tuple[int | None, str]] = [(delta_start, "q3")]
    if q.mode == "default":
        limits.insert(0, (q3_head, "q4"))
    parts: list[tuple[Extent, str]] = []
    rest: Extent | None = extent
    for limit, lane in limits:
        if rest is None:
            break
        count = rest.count if limit is None else min(max(limit - rest.start, 0), rest.count)
        if count:
            parts.append((rest.part(0, count), lane))
            rest = rest.part(count, rest.count - count) if count < rest.count else None
    if rest is not None:
        parts.append((rest, "delta"))
    return parts


def _return(q: QueueState, place: str, before: Extent, to: str, why: Why) -> None:
    extent = before.with_flags(clear=WANTS_CONFIRM)
    parts = [extent]
    if to == "q4":
        if not extent.in_ram:
            parts = [part.with_flags(IN_RAM) for part in read_back(q, extent)]
        account(q, before, ready=1, unacked=-1, before=before.in_ram, after=True)
        for part in parts:
            q.q4.insert(part)
    elif to == "q3":
        parts = [trim(q, write(q, True, False, extent, batch=True))]
        account(q, before, ready=1, unacked=-1, before=before.in_ram, after=parts[0].in_ram)
        q.q3.insert(parts[0])
    else:
        parts = [write(q, True, True, extent, batch=True)]
        account(q, before, ready=1, unacked=-1, before=before.in_ram, after=False, delta=1)
        q.delta = q.delta.extended(extent.start, extent.count, 0 if extent.persistent else extent.count)
    delta = q.delta if to == "delta" else None
    q.emit(Requeued("Q40", q.name, place, to, tuple(parts), delta, why))
