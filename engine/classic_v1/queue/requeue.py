"""Pending messages return to their old places, in order (Q40)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.classic_v1.queue.accounting import account
from engine.classic_v1.queue.disk import flush_cache, read_back, trim, write
from engine.classic_v1.queue.pending import pending_inside
from engine.classic_v1.queue.reduce import count_towards_reduction
from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Requeued
from engine.values.extents import IN_RAM, WANTS_CONFIRM, Extent
from engine.values.ranges import Range


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
