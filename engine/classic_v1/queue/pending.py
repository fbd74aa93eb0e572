"""Pending acknowledgements: three maps, and how messages enter and leave them (Q38, Q39, Q41)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from engine.classic_v1.queue.state import LANES, PENDING, QueueState, account, account_many
from engine.report.transitions.queue import Acked, PendingPurged
from engine.values.extents import DELIVERED, HOME_STORE, IN_RAM, IN_STORE, INDEXED, PERSISTENT, Extent
from engine.values.stretches import Range


def trim(q: QueueState, extent: Extent) -> Extent:
    """Drop the body from RAM if a store has it; an embedded body stays (Q14, W18)."""
    return extent.with_flags(clear=IN_RAM) if extent.flags & HOME_STORE or q.bodies else extent


def fetch_body(q: QueueState, extent: Extent) -> None:
    """Read bodies that are not in RAM; only those of a shared store count as reads (S60, W18)."""
    if q.bodies and not extent.home_store:
        q.bodies.read(extent.start, extent.count)
        return
    q.client_of(extent).read(extent)
    q.disk_read_count += extent.count


def read_back(q: QueueState, extent: Extent) -> list[Extent]:
    """Read the bodies of messages that are not in RAM; return the messages with what their bodies contain
    (S60). A caller that keeps the bodies marks them as in RAM.
    """
    fetch_body(q, extent)
    return list(q.as_read(extent))


def write_body(
    q: QueueState, force: bool, extent: Extent, *, one_by_one: bool = False, descending: bool = False
) -> Extent:
    """Write the body to its store if it is store-bound and not there yet (Q15, W18). `one_by_one`: each
    message is a call of its own. `descending`: the last message is written first.
    """
    flags = extent.flags
    if flags & IN_STORE or not (force or flags & PERSISTENT) or not (flags & HOME_STORE or q.bodies):
        return extent
    if q.bodies and not extent.home_store:
        q.bodies.write([extent], descending)
    else:
        q.client_of(extent).write(extent, one_by_one, descending)
    q.disk_write_count += extent.count
    return extent.with_flags(IN_STORE)


def write_index(q: QueueState, force: bool, extent: Extent, batch: bool, descending: bool = False) -> Extent:
    """Hand publish records (with deliver) to the index unless they are there (Q16). The batch form uses the
    pre-publish cache, which the caller completes with `flush_cache`; if small bodies have their own files, it
    indexes them in any case (W18).
    """
    flags = extent.flags
    if flags & INDEXED:
        return extent
    own = not flags & HOME_STORE and q.bodies is not None
    if not (force or flags & PERSISTENT or (batch and own)):
        return extent
    if not flags & HOME_STORE and not own:
        q.disk_write_count += extent.count
    delivered = flags & DELIVERED != 0 or not q.settings.flags_deliveries
    if batch:
        q.index.pre_publish([extent], q.target_ram_count, delivered, descending)
    elif delivered:
        q.index.publish([extent], q.target_ram_count)
    else:
        q.index.publish_undelivered(extent, q.target_ram_count)
    return extent.with_flags(INDEXED)


def write(
    q: QueueState,
    force_body: bool,
    force_index: bool,
    extent: Extent,
    *,
    batch: bool = False,
    one_by_one: bool = False,
    descending: bool = False,
) -> Extent:
    """Write body, then index record (Q17)."""
    written = write_body(q, force_body, extent, one_by_one=one_by_one, descending=descending)
    return write_index(q, force_index, written, batch, descending)


def unmarked(q: QueueState, extents: Iterable[Extent]) -> list[Range]:
    """Return messages whose index records lack the delivered mark (V1); 3.10 never adds it later."""
    if not q.settings.flags_deliveries:
        return []
    return [Range(each.start, each.count) for each in extents if each.indexed and not each.delivered]


def as_delivered(q: QueueState, extent: Extent) -> Extent:
    """Return messages with the delivered mark, if entries have one (V1)."""
    return extent.with_flags(DELIVERED) if q.settings.flags_deliveries else extent


def flush_cache(q: QueueState) -> None:
    """Complete a batch of pre-published records ("ui" in the source, Q17, Q18)."""
    q.index.flush_pre_publish_cache(q.target_ram_count)


STORED: Final = IN_STORE | HOME_STORE
"""The body lies in a message store."""


def place_of_pending(q: QueueState, extent: Extent) -> str:
    """Name the pending map that an entry belongs to (Q38, W18)."""
    flags = extent.flags
    if not flags & IN_RAM:
        return "disk_pending"
    return "ram_pending" if flags & HOME_STORE or q.index.bodies else "index_pending"


def by_place(q: QueueState, extents: Iterable[Extent]) -> dict[str, list[Extent]]:
    """Return messages by the pending map that they belong to (Q38)."""
    found: dict[str, list[Extent]] = {}
    for extent in extents:
        found.setdefault(place_of_pending(q, extent), []).append(extent)
    return found


def record_pending(q: QueueState, extent: Extent) -> str:
    """Keep delivered messages until they are acknowledged; return the map's name (Q38). The caller counts the
    ack_in rate, since some callers count message by message and others at once.
    """
    place = place_of_pending(q, extent)
    q.extents_of(place).insert(extent)
    return place


def pending_inside(q: QueueState, start: int, count: int) -> list[tuple[str, Extent]]:
    """Return what is pending inside [start, start+count), ascending, with the map each run is in."""
    found = [(place, extent) for place in PENDING for extent in q.extents_of(place).overlapping(start, count)]
    found.sort(key=lambda each: each[1].start)
    return found


def is_pending(q: QueueState, start: int, count: int) -> list[Extent]:
    """Return the pending runs inside [start, start+count), ascending."""
    return [extent for _, extent in pending_inside(q, start, count)]


def ack(q: QueueState, tags: Sequence[Range], multiple: bool) -> list[Extent]:
    """End messages that consumers acknowledged; return the runs found, in the order of the tags (Q39). `tags`:
    seq_ids; unknown ones are ignored. `multiple`: one call with the whole list, else one call for each tag.
    """
    found: list[Extent] = []
    total = 0
    for tag in tags:
        total += tag.count
        taken = _taken(q, tag)
        if tag.count > 1 and len(taken) > 1 and not isinstance(taken[0][1].size_bytes, int):
            found += _acked_together(q, taken)
            continue
        for place, extent in taken:
            q.emit(Acked("Q39", q.name, place, None, (extent,)))
            account(q, extent, unacked=-1, before=extent.flags & IN_RAM != 0)
            found.append(extent)
    single = not multiple or total == 1
    q.rates.count(ack_out=sum([each.count for each in found]) if single else total)
    end_messages(q, found, one_by_one=not multiple)
    return found


def _acked_together(q: QueueState, taken: list[tuple[str, Extent]]) -> list[Extent]:
    """Report runs of a log once for each map; return them in their order."""
    extents = [extent for _, extent in taken]
    places: dict[str, list[Extent]] = {}
    for place, extent in taken:
        places.setdefault(place, []).append(extent)
    for place, some in places.items():
        q.emit(Acked("Q39", q.name, place, None, tuple(some)))
    account_many(q, extents, unacked=-1)
    return extents


def _taken(q: QueueState, tag: Range) -> list[tuple[str, Extent]]:
    """Remove the pending runs among some seq_ids, ascending, each with its map."""
    found: list[tuple[str, Extent]] = []
    # Written out: it is asked for every acknowledgement.
    for place, runs in (
        ("ram_pending", q.ram_pending),
        ("disk_pending", q.disk_pending),
        ("index_pending", q.index_pending),
    ):
        if runs.total:
            for extent in runs.remove(tag.start, tag.count):
                found.append((place, extent))
    if len(found) > 1:
        found.sort(key=lambda each: each[1].start)
    return found


def ackfold(q: QueueState, tags: Sequence[Range]) -> list[Extent]:
    """Read the messages behind tags in order, bodies from disk where need be; nothing else changes (Q41)."""
    found: list[Extent] = []
    for extent in (extent for tag in tags for extent in is_pending(q, tag.start, tag.count)):
        if extent.in_ram:
            found.append(extent)
        else:
            found += read_back(q, extent)
    return found


def joined(extents: Iterable[Extent]) -> list[Range]:
    """Return the seq_ids that the index has, in as few ranges as possible."""
    found: list[Range] = []
    start = end = 0
    for extent in extents:
        if extent.flags & INDEXED:
            if extent.start != end:
                if end > start:
                    found.append(Range(start, end - start))
                start = extent.start
            end = extent.start + extent.count
    if end > start:
        found.append(Range(start, end - start))
    return found


def end_messages(
    q: QueueState,
    extents: Sequence[Extent],
    one_by_one: bool,
    acknowledge: bool = True,
    drop_cached: bool = True,
) -> None:
    """Remove bodies from the stores and, with `acknowledge`, end the index records too (Q32, Q39). With
    `drop_cached`, small bodies that have their own files leave the cache (W18). Records without a deliver get
    it first: one call for it and one for the end of each message in turn, or one call for all marks and then
    one for all ends (V1).
    """
    stored = [e for e in extents if e.flags & STORED == STORED]
    for persistent in (False, True) if stored else ():
        removed = [Range(e.msg_no, e.count) for e in stored if e.persistent == persistent]
        if removed:
            # One call's ids are gathered by consing, so the store meets them last first; so does the index.
            client = q.persistent if persistent else q.transient
            client.remove(removed, one_by_one, descending=not one_by_one)
    bodies = q.index.bodies
    if bodies and drop_cached:
        bodies.remove_all([Range(e.start, e.count) for e in extents if e.in_store and not e.home_store])
    if not acknowledge:
        return
    marks = unmarked(q, extents) if q.settings.flags_deliveries else []
    if not one_by_one and marks:
        q.index.deliver(marks, descending=True)
    elif marks:
        for extent in extents:
            _end_singly(q, extent)
        return
    if extents and type(extents[0].size_bytes) is not int:  # a log; no call is made to find out
        records = joined(extents)
    else:
        records = [Range(e.start, e.count) for e in extents if e.flags & INDEXED]
    if records:
        q.index.ack(records, one_by_one, descending=not one_by_one)


def _end_singly(q: QueueState, extent: Extent) -> None:
    if extent.indexed:
        end = q.index.deliver_and_ack if unmarked(q, [extent]) else partial(q.index.ack, one_by_one=True)
        end([Range(extent.start, extent.count)])


def purge_acks(q: QueueState) -> None:
    """Forget all pending acks, leaving byte totals stale as the broker does (Q41)."""
    everything: list[Extent] = []
    for place in PENDING:
        runs = q.extents_of(place)
        extents = tuple(runs)
        if extents:
            runs.clear()
            q.emit(PendingPurged("Q41", q.name, place, None, extents))
            everything.extend(extents)
    end_messages(q, everything, one_by_one=False)


def fold(q: QueueState) -> list[tuple[Extent, bool]]:
    """Return every message in seq order with its body, and whether it waits for an acknowledgement. What is
    not in RAM is read from disk and stays there.
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
