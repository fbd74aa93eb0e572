"""From the tail to the head lane: the one way in which messages move (W45, W46)."""

from __future__ import annotations

from engine.classic_v2.queue.entries import UNTAKEN
from engine.classic_v2.queue.state import V2QueueState
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.transitions.messages import TailLoaded
from engine.report.transitions.base import Why
from engine.values.errors import ProcessCrash
from engine.values.extents import BLANK, HOME_STORE, IN_RAM, PERSISTENT, DeltaExtent, Extent, as_ranges
from engine.values.ranges import Range, RangeSet


def tune_read(settings: V2Settings, start: int, end: int) -> int:
    """Return where a load of [start, end) really ends, fitted to the segments (W46)."""
    wanted = end - start
    if not wanted:
        return end
    boundary = settings.boundary(start)
    left = boundary - start
    close = max(1, wanted // 7)
    return boundary if abs(left - wanted) <= close else end


def load_end(settings: V2Settings, tail: DeltaExtent, limit: int) -> int:
    """Return one past the last position that a load of at most `limit` messages asks for (W45)."""
    assert tail.start is not None and tail.end is not None
    end = min(tail.start + limit, tail.end)
    if settings.tunes_reads:
        return tune_read(settings, tail.start, end)
    return min(settings.boundary(tail.start), end)


def asserted(q: V2QueueState, tail: DeltaExtent) -> DeltaExtent:
    """Return the tail, if it claims no more messages than it has positions; else the queue's process crashes (W12)."""
    if not q.settings.renames_lanes or tail.start is None or tail.end is None:
        return tail.asserted(q.name)
    if tail.start + tail.count > tail.end:
        term = f"{{q_tail,{tail.start},{tail.count},{tail.end}}}"
        raise ProcessCrash(q.name, "rabbit_variable_queue,qt", term)
    return tail


def load(q: V2QueueState, limit: int, bodies: bool = True, acknowledge: bool = True) -> None:
    """Load from the tail until something was found or the tail is empty (W45).

    Raises ProcessCrash where the tail claims more messages than the index has: nothing else would end it (W13, W45).

    Args:
        limit: how many messages a load asks for.
        bodies: read bodies as well as index entries (W56).
        acknowledge: end transient messages of an earlier run in the index.
    """
    while not q.tail.blank:
        assert q.tail.start is not None and q.tail.end is not None
        _skip(q, limit)
        end = load_end(q.settings, q.tail, limit)
        found = q.index.read(q.tail.start, end)
        if bodies:
            found = _with_bodies(q, found)
        start = q.tail.start
        kept = _become_head(q, found, acknowledge)
        if kept:
            _shorten(q, kept, end)
            _report(q, kept, start, end, limit)
            return
        tail = q.tail
        if q.settings.tunes_reads and tail.end is not None and end >= tail.end:
            q.tail = BLANK
        else:
            q.tail = asserted(q, DeltaExtent(end, tail.count, tail.transient, tail.end))
        _report(q, kept, start, end, limit)


def _report(q: V2QueueState, kept: list[Extent], start: int, end: int, window: int) -> None:
    why: Why = {"start": start, "end": end, "window": window}
    q.emit(TailLoaded("W45", q.name, "tail", "head", tuple(kept), q.tail, why))


def load_through(q: V2QueueState, limit: int, wanted: int) -> None:
    """Do at once several loads of which everything is taken again, where they end as one by one (W40, W45).

    They stay inside one segment and away from its end, so all ask for the same number; nothing of an earlier run is
    dropped, and no bodies are read for being many.

    Args:
        limit: how many messages a load asks for.
        wanted: how many messages are taken.
    """
    tail = q.tail
    assert tail.start is not None and tail.end is not None
    near = q.settings.boundary(tail.start) - limit - max(1, limit // 7)
    loads = min(wanted, near - tail.start, tail.end - limit - tail.start) // limit
    if loads < 2:
        return
    end = tail.start + loads * limit
    found = q.index.read(tail.start, end)
    if any(not extent.persistent and extent.start < q.transient_threshold for extent in found):
        return
    if limit >= q.settings.shared_read_count and any(extent.home_store for extent in found):
        return
    kept = _become_head(q, _with_own_bodies(q, found), acknowledge=True)
    if kept:
        _shorten(q, kept, end)
        _report(q, kept, tail.start, end, limit)


def _with_own_bodies(q: V2QueueState, found: list[Extent]) -> list[Extent]:
    """Read the bodies in the queue's own files."""
    q.store.read_many(as_ranges([extent for extent in found if not extent.home_store]))
    return [extent if extent.home_store else extent.with_flags(IN_RAM) for extent in found]


def _skip(q: V2QueueState, limit: int) -> None:
    """Pass over loads that find nothing, without doing each.

    A load that ends before the first live entry only moves the tail's start by the number of messages it asks for,
    as long as it stays away from the segment's end, where its length may be another.
    """
    tail, start, last = q.tail, q.tail.start, q.tail.end
    assert start is not None and last is not None
    first = q.index.first_live(start, last)
    while start < first:
        near = q.settings.boundary(start) - limit - max(1, limit // 7)
        claimed = (last - tail.count - start) // limit + 1
        steps = min((min(first, near, last - limit) - start) // limit, claimed)
        end = start + steps * limit if steps > 0 else load_end(q.settings, tail, limit)
        if steps <= 0 and (end > first or end >= last):
            break
        start, tail = end, asserted(q, DeltaExtent(end, tail.count, tail.transient, last))
    q.tail = tail


def _with_bodies(q: V2QueueState, found: list[Extent]) -> list[Extent]:
    """Read the bodies that a load reads (W45, W118)."""
    settings = q.settings
    sided: list[tuple[Extent, bool]] = []
    small = {PERSISTENT: 0, 0: 0}
    for extent in _with_own_bodies(q, found):
        if not extent.flags & HOME_STORE:
            sided.append((extent, True))
            continue
        for part, large in extent.sides(settings.shared_read_bytes + 1):
            sided.append((part, large))
            if not large:
                small[part.flags & PERSISTENT] += part.count
    enough = {mode for mode, count in small.items() if count >= settings.shared_read_count}
    return [
        extent if large or extent.flags & PERSISTENT not in enough else extent.with_flags(IN_RAM)
        for extent, large in sided
    ]


def _become_head(q: V2QueueState, found: list[Extent], acknowledge: bool) -> list[Extent]:
    """Put entries into the head lane, without those that a restart or a delivery took away; return them."""
    kept: list[Extent] = []
    dropped: list[Range] = []
    around = bool(found and q.pending_inside(found[0].start, found[-1].end - found[0].start))
    for extent in found:
        for part in _split(extent, q.transient_threshold):
            if not part.persistent and part.start < q.transient_threshold:
                dropped.append(Range(part.start, part.count))
            else:
                kept += _without_pending(q, part) if around else [part]
    kept = [extent.with_flags(UNTAKEN) for extent in kept]
    q.head.insert_all(kept)
    for extent in kept:
        if extent.flags & IN_RAM:
            q.ram_msg_count += extent.count
            q.ram_bytes += extent.total_bytes
            q.disk_read_count += extent.count
    _pass_dropped(q, dropped)
    if acknowledge and dropped:
        q.store.delete_segments(q.index.ack(dropped))
    return kept


def _pass_dropped(q: V2QueueState, dropped: list[Range]) -> None:
    """Let next_deliver pass one dropped message for each load, since the broker goes from the newest to the oldest."""
    if q.settings.counts_deliveries:
        return
    if any(each.start <= q.redeliver_seq_id < each.end for each in dropped):
        q.redeliver_seq_id += 1


def _split(extent: Extent, at: int) -> list[Extent]:
    if extent.start < at < extent.end:
        count = at - extent.start
        return [extent.part(0, count), extent.part(count, extent.count - count)]
    return [extent]


def _without_pending(q: V2QueueState, extent: Extent) -> list[Extent]:
    pending = q.pending_inside(extent.start, extent.count)
    if not pending:
        return [extent]
    left = RangeSet([Range(extent.start, extent.count)])
    for each in pending:
        left.discard(each.start, each.count)
    return [extent.part(each.start - extent.start, each.count) for each in left]


def _shorten(q: V2QueueState, kept: list[Extent], end: int) -> None:
    """Take what was loaded off the tail."""
    left = q.tail.count - sum(extent.count for extent in kept)
    if left < 0:
        function = "read_from_q_tail" if q.settings.renames_lanes else "maybe_deltas_to_betas"
        raise ProcessCrash(q.name, f"rabbit_variable_queue,{function}", str(left), "case_clause")
    if not left:
        q.tail = BLANK
        q.tail_transient_bytes = 0
        return
    transient = [extent for extent in kept if not extent.persistent]
    gone = sum(extent.count for extent in transient)
    q.tail = asserted(q, DeltaExtent(end, left, q.tail.transient - gone, q.tail.end))
    q.tail_transient_bytes -= sum(extent.total_bytes for extent in transient)
