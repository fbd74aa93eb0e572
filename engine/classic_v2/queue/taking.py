"""Messages go out: fetch, drop, dropwhile, fetchwhile, purge (W40-W47, W56)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from engine.backing_queue.arrivals import TakenMessages
from engine.classic_v2.queue.entries import marked
from engine.classic_v2.queue.loading import load, load_through
from engine.classic_v2.queue.publish import bump
from engine.classic_v2.queue.state import V2QueueState, by_place
from engine.classic_v2.transitions.messages import HeadReturned
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Dropped, Fetched
from engine.values.extents import AT_ONCE, DELIVERED, PERSISTENT, Extent, as_ranges, together

LANE = "head"
PURGE_LIMIT = 2048


def fill_head(q: V2QueueState) -> None:
    """Load from the tail if the head lane is empty (W40)."""
    while not q.head and q.tail.count:
        load(q, q.window)


def redelivered(q: V2QueueState, extent: Extent) -> list[tuple[Extent, bool]]:
    """Cut messages where their redelivered flag changes (W41)."""
    if q.settings.counts_deliveries and extent.delivered:
        return [(extent, True)]
    seen = min(max(q.redeliver_seq_id - extent.start, 0), extent.count)
    found = [(extent.part(0, seen), True)] if seen else []
    at = extent.start + seen
    if q.settings.counts_deliveries and at < extent.end:
        for each in q.deliveries.overlapping(at, extent.end - at):
            if each.start > at:
                found.append((extent.part(at - extent.start, each.start - at), False))
            found.append((extent.part(each.start - extent.start, each.count), True))
            at = each.end
    if at < extent.end:
        found.append((extent.part(at - extent.start, extent.end - at), False))
    return found


def times_delivered(q: V2QueueState, start: int, count: int) -> list[tuple[int, int]]:
    """Return (annotation delivery_count, messages) over [start, start+count), 0 for none (W42)."""
    found: list[tuple[int, int]] = []

    def plain(begin: int, end: int) -> None:
        before = min(max(q.redeliver_seq_id - begin, 0), end - begin)
        if before:
            found.append((1, before))
        if end - begin > before:
            found.append((0, end - begin - before))

    at = start
    for each in q.deliveries.overlapping(start, count):
        plain(at, each.start)
        found.append((each.times, each.count))
        at = each.end
    plain(at, start + count)
    return found


def _take(q: V2QueueState, count: int) -> list[tuple[Extent, bool]]:
    """Take up to `count` messages of the run at the head, or of runs of a log, each marked as redelivered or not.

    What one load brings is taken before the next one (W40, W41).
    """
    fill_head(q)
    found: list[tuple[Extent, bool]] = []
    while count and q.head.total and len(found) < AT_ONCE:
        alike = isinstance(q.head.first.size_bytes, int)
        if alike and found:
            break
        extent = q.head.take_first(count)
        found += [(marked(part, flag), flag) for part, flag in redelivered(q, extent)]
        count -= extent.count
        if alike:
            break
    return found


def fetch(
    q: V2QueueState, count: int, ack_required: bool, read: bool, spacing_us: int
) -> list[TakenMessages]:
    """Take up to `count` messages, one call each (W43; without `read` it is drop, W47)."""
    taken: list[TakenMessages] = []
    started_us = q.now_us
    done = 0
    while done < count:
        q.now_us = started_us + done * spacing_us
        wanted = q.steady(count - done, spacing_us)
        if not q.head and q.tail.count:
            # What a flush of acks opens and closes comes between two loads (W90).
            load_through(q, q.window, wanted if ack_required else min(wanted, q.index.acks_to_flush))
        parts = _take(q, wanted)
        if not parts:
            break
        taken += [TakenMessages(extent, extent.count if flag else 0, LANE) for extent, flag in parts]
        again = {extent.start for extent, flag in parts if flag}
        for some in together([extent for extent, _ in parts]):
            if read:
                read_bodies(q, some)
            _leave(q, some, again, ack_required, read)
            if not ack_required:
                remove_each(q, some)
                account_removed(q, some)
            for extent in some:
                bump(q, extent)
            number = sum([extent.count for extent in some])
            q.rates.count_each(number, q.now_us, spacing_us, out=1, ack_in=1 if ack_required else 0)
            done += number
    q.settle()
    return taken


def _leave(
    q: V2QueueState, extents: list[Extent], again: Collection[int], ack_required: bool, read: bool
) -> None:
    """Report messages that leave the head lane, as they are afterwards, and keep those that wait for an ack (W43).

    Args:
        again: positions at which runs begin that are delivered again.
    """
    kind, rule = (Fetched, "W43") if read else (Dropped, "W47")
    for to, some in by_place(extents).items() if ack_required else ((None, extents),):
        absent = [each for each in some if read and not each.in_ram]
        why: Why = {
            "redelivered": sum([each.count for each in some if each.start in again]),
            "from_store": sum([each.count for each in absent]),
        }
        after = [each.with_flags(DELIVERED) for each in some]
        q.emit(kind(rule, q.name, LANE, to, tuple(after), None, why))
        if to is None:
            continue
        q.extents_of(to).insert_all(after)
        for each in some:
            size = each.total_bytes
            if each.in_ram:
                q.ram_msg_count -= each.count
            q.bytes -= size
            q.unacked_bytes += size


def read_bodies(q: V2QueueState, extents: Iterable[Extent]) -> None:
    """Read bodies that are not in RAM; only those of a shared store count as reads (W43)."""
    for extent in extents:
        if extent.in_ram:
            continue
        if extent.home_store:
            q.disk_read_count += extent.count
        else:
            q.store.read(extent.start, extent.count)


def account_removed(q: V2QueueState, extents: Iterable[Extent]) -> None:
    """Account for ready messages that are gone for good (W35)."""
    for extent in extents:
        size = extent.total_bytes
        q.bytes -= size
        if extent.in_ram:
            q.ram_msg_count -= extent.count
            q.ram_bytes -= size
        if extent.persistent:
            q.persistent_count -= extent.count
            q.persistent_bytes -= size


def remove_each(q: V2QueueState, extents: Sequence[Extent]) -> None:
    """Remove messages from index and stores by a call for each (W50)."""
    indexed = [extent for extent in extents if extent.indexed]
    if not indexed:
        return
    deleted = q.index.ack_each(as_ranges(indexed))
    remove_shared(q, indexed, descending=False)
    q.store.remove([extent for extent in indexed if extent.in_store and not extent.home_store])
    q.store.delete_segments(deleted)


def remove_shared(q: V2QueueState, extents: Sequence[Extent], descending: bool = True) -> None:
    """Remove bodies from the shared stores, one call for each store, from the last to the first (W51)."""
    shared = [extent for extent in extents if extent.in_store and extent.home_store]
    for client, mode in ((q.transient, 0), (q.persistent, PERSISTENT)):
        found = [extent for extent in shared if extent.flags & PERSISTENT == mode]
        if found:
            q.removed_early(client.remove(found, descending))


def _expires(extent: Extent, now_us: int) -> bool:
    return extent.expiry_us != 0 and extent.expiry_us <= now_us


def _collect(q: V2QueueState, now_us: int) -> tuple[list[tuple[Extent, bool]], int | None]:
    """Take while the head has expired; the first other message goes back with its mark (W47).

    Returns what was taken and the expiry of the one put back (0 for never), None when the queue ran empty.
    """
    collected: list[tuple[Extent, bool]] = []
    while True:
        fill_head(q)
        if not q.head:
            return collected, None
        first = q.head.first
        if not _expires(first, now_us):
            [one] = q.head.pop_head(1)
            [(back, flag)] = redelivered(q, one)
            back = marked(back, flag)
            q.head.insert(back)
            if back != one:
                q.emit(HeadReturned("W47", q.name, LANE, LANE, (back,)))
            return collected, first.expiry_us
        collected.extend(_take(q, first.count))


def dropwhile(q: V2QueueState, now_us: int) -> tuple[list[TakenMessages], int | None]:
    """Drop expired messages at the head in one batch (W47)."""
    collected, expiry = _collect(q, now_us)
    for extent, flag in collected:
        _leave(q, [extent], [extent.start] if flag else (), ack_required=False, read=False)
    remove_batch(q, [extent for extent, _ in collected])
    _counted_out(q, collected)
    return _taken(collected), expiry


def fetchwhile(q: V2QueueState, now_us: int) -> tuple[list[TakenMessages], int | None]:
    """Fetch expired messages at the head as pending ones (W47)."""
    collected, expiry = _collect(q, now_us)
    for extent, flag in collected:
        read_bodies(q, [extent])
        _leave(q, [extent], [extent.start] if flag else (), ack_required=True, read=True)
        bump(q, extent)
        q.rates.count(ack_in=extent.count)
    _counted_out(q, collected)
    return _taken(collected), expiry


def _counted_out(q: V2QueueState, collected: Sequence[tuple[Extent, bool]]) -> None:
    q.rates.count(out=sum(extent.count for extent, _ in collected))
    q.rates.maybe_update(q.now_us)
    q.settle()


def _taken(collected: Sequence[tuple[Extent, bool]]) -> list[TakenMessages]:
    return [TakenMessages(extent, extent.count if flag else 0, LANE) for extent, flag in collected]


def remove_batch(q: V2QueueState, extents: Sequence[Extent], acknowledge: bool = True) -> None:
    """Remove ready messages in one batch; their bodies stay in the `.qs` write buffer (W47, W116)."""
    account_removed(q, extents)
    for extent in extents:
        bump(q, extent)
    remove_shared(q, extents)
    if acknowledge:
        indexed = as_ranges([extent for extent in extents if extent.indexed])
        q.store.delete_segments(q.index.ack(indexed))


def purge(q: V2QueueState) -> int:
    """Drop every ready message; return how many (W56)."""
    count = q.len
    reset = not q.pending_count and not q.unconfirmed and not q.unconfirmed_simple
    drop_ready(q, acknowledge=not reset)
    if reset:
        q.store.terminate()
        q.store.forget()
        q.index.reset()
        q.purged = True
    q.settle()
    return count


def drop_ready(q: V2QueueState, acknowledge: bool) -> None:
    """Load and remove everything, 2048 messages at a time (W56)."""
    while True:
        load(q, PURGE_LIMIT, bodies=False, acknowledge=acknowledge)
        if not q.head:
            return
        extents = list(q.head)
        q.head.clear()
        q.emit(Dropped("W56", q.name, LANE, None, tuple(extents)))
        remove_batch(q, extents, acknowledge)
