"""Reading a whole queue, ready and pending, without moving anything, as a synchronisation does (H53, H55)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.classic_v1.queue.disk import read_back
from engine.classic_v1.queue.pending import is_pending
from engine.classic_v1.queue.state import LANES, PENDING, QueueState
from engine.values.extents import Extent


def fold(q: QueueState) -> list[tuple[Extent, bool]]:
    """Return every message in seq order with its body, and whether it waits for an acknowledgement.

    What is not in RAM is read from disk and stays there.
    """
    found = [(extent, False) for lane in LANES for extent in q.extents_of(lane)]
    found += [(extent, True) for place in PENDING for extent in q.extents_of(place)]
    found += [(extent, False) for extent in _in_delta(q)]
    found.sort(key=lambda each: each[0].start)
    return [(read, unacked) for extent, unacked in found for read in _with_body(q, extent)]


def _in_delta(q: QueueState) -> Iterator[Extent]:
    """Yield the ready messages that are only in the index, without those that a restart lost."""
    delta = q.delta
    if delta.blank or delta.start is None or delta.end is None:
        return
    for record in q.index.read(delta.start, delta.end):
        lost = 0
        if not record.persistent:
            lost = max(0, min(record.count, q.transient_threshold - record.start))
        at = record.start + lost
        for pending in is_pending(q, at, record.end - at) if lost < record.count else ():
            if pending.start > at:
                yield record.part(at - record.start, pending.start - at)
            at = pending.end
        if at < record.end:
            yield record.part(at - record.start, record.end - at)


def _with_body(q: QueueState, extent: Extent) -> Iterator[Extent]:
    if not extent.in_ram:
        yield from read_back(q, extent)
    else:
        yield extent
