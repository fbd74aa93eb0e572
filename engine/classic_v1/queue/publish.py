"""Publishing (Q20-Q24)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

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
from engine.classic_v1.queue.state import QueueState, account, account_many, new_extents, takes_classes
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Published, PublishedDelivered, Requeued
from engine.values.extents import (
    AT_ONCE,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    WANTS_CONFIRM,
    Extent,
)
from engine.values.stretches import Range

Way = Literal["new", "again", "out"]
"""How messages come in: new, as ones that were delivered before, or only to go out to a consumer at once (Q20, Q23)."""


def publish(q: QueueState, batch: Sequence[Arrival], way: Way, spacing_us: int, one_call: bool) -> Range:
    """Let messages enter, `spacing_us` apart; return the seq_ids, which are the tags of those that go out (Q20, Q23).

    As many enter at once as no reduction comes between: the message that brings one is a call of its own, as the
    stores get its write together with what the reduction pages out.

    Args:
        one_call: all of them by one call: with one flush of the cache, one update of the rates, and one run towards
            reduction (Q22). Else each by a call of its own.
    """
    first, started_us = q.next_seq_id, q.now_us
    waiting = new_extents(q, batch)
    if one_call:
        return _by_one_call(q, waiting, way)
    # Runs of a burst go one way as one step, a run by itself does not: for each of them its rules are asked.
    several = len(waiting) > 1 and way != "out" and takes_classes(q)
    done, at, end = 0, 0, len(waiting)
    out = 1 if way == "out" else 0
    while at < end:
        left = until_reduction(q)
        most = left - 1 if left > 1 else 1
        q.now_us = started_us + done * spacing_us
        if several:
            some, at = _leading(waiting, at, most)
            count = _enter_several(q, some, way, settles=some[-1].end - some[0].start < left)
            settles = count == left
        else:
            extent = waiting[at]
            if extent.count > most:
                waiting[at] = extent.part(most, extent.count - most)
                extent = extent.part(0, most)
            else:
                at += 1
            count = extent.count
            settles = _enter(q, extent, way, batch=False) or count == left
        q.rates.count_each(count, q.now_us, spacing_us, in_=1, out=out, ack_in=out)
        done += count
        q.now_us = started_us + (done - 1) * spacing_us
        count_towards_reduction(q, count)
        if settles:
            q.settle()
    return Range(first, done)


def _leading(waiting: list[Extent], at: int, most: int) -> tuple[list[Extent], int]:
    """Return the runs from a place on that have `most` messages, and at which one the next step begins."""
    some: list[Extent] = []
    while at < len(waiting) and most and len(some) < AT_ONCE:
        extent = waiting[at]
        if extent.count > most:
            waiting[at] = extent.part(most, extent.count - most)
            extent = extent.part(0, most)
        else:
            at += 1
        some.append(extent)
        most -= extent.count
    return some, at


def _by_one_call(q: QueueState, extents: Sequence[Extent], way: Way) -> Range:
    first, out = q.next_seq_id, way == "out"
    for extent in extents:
        _enter(q, extent, way, batch=True)
        q.rates.count(in_=extent.count, out=out * extent.count, ack_in=out * extent.count)
    flush_cache(q)
    q.rates.maybe_update(q.now_us)
    count_towards_reduction(q, 1)
    q.settle()
    return Range(first, q.next_seq_id - first)


def _enter(q: QueueState, extent: Extent, way: Way, batch: bool) -> bool:
    """Let a run enter, where the landing rule wants it (Q21); return whether its bodies were sent to a store."""
    lazy = q.mode == "lazy"
    if way != "new":
        extent = as_delivered(q, extent)
    extent = write(q, lazy, lazy, extent, batch=batch, one_by_one=not batch)
    start, count = extent.start, extent.count
    if way == "out":
        pending = record_pending(q, extent)
        q.emit(PublishedDelivered("Q23", q.name, None, pending, (extent,)))
        account(q, extent, unacked=1, after=True)
    elif lazy:
        q.delta = q.delta.extended(start, count, 0 if extent.flags & RAW_PERSISTENT else count)
        q.emit(Published("Q20", q.name, None, "delta", (extent,), q.delta, {"mode": "lazy"}))
        account(q, extent, ready=1, paged=True, delta=1)
    else:
        lane, runs = ("q1", q.q1) if q.q3.total else ("q4", q.q4)
        runs.insert(extent)
        q.emit(Published("Q21", q.name, None, lane, (extent,), None, {"q3_len": q.q3.total}))
        account(q, extent, ready=1, after=True)
    q.next_seq_id = start + count
    if extent.flags & WANTS_CONFIRM:
        q.unconfirmed.add(extent.msg_no, count)
    if way != "new" and start <= q.next_deliver_seq_id < start + count:
        q.next_deliver_seq_id = start + count
    return extent.flags & IN_STORE != 0


def _enter_several(q: QueueState, extents: list[Extent], way: Way, settles: bool) -> int:
    """Let runs of a burst enter as one step, of which one transition tells (Q15-Q17, Q21); return how many
    messages. `extents`: runs of consecutive seq_ids, which are written here. `settles`: the calls end here,
    so the store handles what it got; else the caller lets it.
    """
    stored: list[Extent] = []
    indexed: list[Extent] = []
    for at, extent in enumerate(extents):
        flags = extent.flags
        if flags & PERSISTENT:
            home = flags & HOME_STORE
            written = extents[at] = extent.with_flags(INDEXED | IN_STORE if home else INDEXED)
            q.disk_write_count += extent.count
            indexed.append(written)
            if home and settles and not q.stores_alone:
                stored.append(written)
                q.persistent.account.spend(extent.count)
            elif home:
                q.persistent.write(written, one_by_one=True)
        if flags & WANTS_CONFIRM:
            q.unconfirmed.add(extent.msg_no, extent.count)
    if stored:
        q.persistent.write_new(stored, one_by_one=True)
    q.index.publish(indexed, q.target_ram_count)
    first, end = extents[0].start, extents[-1].end
    lane, runs = ("q1", q.q1) if q.q3.total else ("q4", q.q4)
    runs.insert_all(extents)
    q.next_seq_id = end
    q.emit(Published("Q21", q.name, None, lane, tuple(extents), None, {"q3_len": q.q3.total}))
    account_many(q, extents, ready=1)
    if way == "again" and first <= q.next_deliver_seq_id < end:
        q.next_deliver_seq_id = end
    return end - first


def requeue(q: QueueState, tags: Sequence[Range], multiple: bool) -> list[Extent]:
    """Put pending messages back; return them, ascending for each call (Q40). `tags`: seq_ids; a call sorts its
    own. `multiple`: one call with all of them, else one call for each tag in the given order.
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
