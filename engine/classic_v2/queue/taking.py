"""Messages go out: fetch, drop, dropwhile, fetchwhile, purge (W40-W47, W56)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from engine.backing_queue.protocol import Arrival, TakenMessages
from engine.classic_v2.queue.state import UNTAKEN, DeliveryCounts, V2QueueState, by_place, in_index, marked
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.transitions import HeadReturned, TailLoaded
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Dropped, Fetched, Published, PublishedDelivered
from engine.values.errors import ProcessCrash
from engine.values.extents import (
    AT_ONCE,
    BLANK,
    DELIVERED,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    WANTS_CONFIRM,
    DeltaExtent,
    Extent,
    as_ranges,
    together,
)
from engine.values.sizes import sides
from engine.values.stretches import Range, RangeSet, Stretches


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
    """Write bodies to their home and entries to the index; return the messages with that noted (W33, W34).
    `extents`: messages that follow each other. `force`: write transient ones, too.
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
    """Take over from the queue where they died how often delivering messages has failed (W42). `start`:
    position of the first.
    """
    for arrival in arrivals:
        if arrival.deliveries and q.settings.counts_deliveries:
            q.deliveries.insert(DeliveryCounts(start, arrival.count, arrival.deliveries))
        start += arrival.count


def bump(q: V2QueueState, extent: Extent) -> None:
    """Advance next_deliver where exactly its message leaves (Q33)."""
    if not q.settings.counts_deliveries and extent.start <= q.redeliver_seq_id < extent.end:
        q.redeliver_seq_id = extent.end


def publish_delivered(q: V2QueueState, arrivals: Sequence[Arrival], spacing_us: int) -> Range:
    """Hand each message to a consumer without queueing it; return the tags (W37)."""
    first = q.next_seq_id
    extents = [each.with_flags(DELIVERED) for each in new_extents(q, arrivals)]
    extents = write(q, extents, force=False)
    q.ram_pending.insert_all(extents)
    q.emit(PublishedDelivered("W37", q.name, None, "ram_pending", tuple(extents)))
    size = sum([each.total_bytes for each in extents])
    q.unacked_bytes += size
    q.ram_bytes += size
    _persistent(q, extents)
    _counted(q, extents, delivered=True)
    _count_deliveries(q, first, arrivals)
    count = q.next_seq_id - first
    q.rates.count_each(count, q.now_us, spacing_us, in_=1, out=1, ack_in=1)
    q.settle()
    return Range(first, count)


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
    """Load from the tail until something was found or the tail is empty (W45). Raises ProcessCrash where the
    tail claims more messages than the index has: nothing else would end it (W13, W45). `limit`: how many
    messages a load asks for. `bodies`: read bodies as well as index entries (W56). `acknowledge`: end
    transient messages of an earlier run in the index.
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
    They stay inside one segment and away from its end, so all ask for the same number; nothing of an earlier
    run is dropped, and no bodies are read for being many. `limit`: how many messages a load asks for.
    `wanted`: how many messages are taken.
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
    """Pass over loads that find nothing, without doing each. A load that ends before the first live entry
    only moves the tail's start by the number of messages it asks for, as long as it stays away from the
    segment's end, where its length may be another.
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
    left = RangeSet([Range(extent.start, extent.count)]).subtract(pending)
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
    """Take up to `count` messages of the run at the head, or of runs of a log, each marked as redelivered or
    not. What one load brings is taken before the next one (W40, W41).
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
    try:
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
    except ProcessCrash as crash:
        crash.fetched[:0] = taken
        raise
    q.settle()
    return taken


def _leave(
    q: V2QueueState, extents: list[Extent], again: Collection[int], ack_required: bool, read: bool
) -> None:
    """Report messages that leave the head lane, as they are afterwards, and keep those that wait for an ack
    (W43). `again`: positions at which runs begin that are delivered again.
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
            q.confirm("W52", "ignored", RangeSet(client.remove(found, descending)))


def _collect(q: V2QueueState, now_us: int) -> tuple[list[tuple[Extent, bool]], int | None]:
    """Take while the head has expired; the first other message goes back with its mark (W47). Returns what
    was taken and the expiry of the one put back (0 for never), None when the queue ran empty.
    """
    collected: list[tuple[Extent, bool]] = []
    while True:
        fill_head(q)
        if not q.head:
            return collected, None
        first = q.head.first
        if not 0 < first.expiry_us <= now_us:
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
    reset = (
        not q.ram_pending.total
        and not q.disk_pending.total
        and not q.unconfirmed
        and not q.unconfirmed_simple
    )
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
