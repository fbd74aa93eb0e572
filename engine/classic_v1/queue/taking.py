"""Taking messages: fetch, drop, dropwhile, fetchwhile, purge (Q28-Q33, Q36, Q58-Q61)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

from engine.backing_queue.protocol import TakenMessages
from engine.classic_v1.index.segments import MORE_THAN_DELTA
from engine.classic_v1.queue.pending import (
    STORED,
    as_delivered,
    by_place,
    end_messages,
    fetch_body,
    is_pending,
    joined,
    place_of_pending,
    read_back,
    record_pending,
    unmarked,
    write,
)
from engine.classic_v1.queue.state import PENDING, QueueState, account, account_many, takes_classes
from engine.classic_v1.transitions import DeltaChanged, DeltaRead, LaneJoined, PutBack
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Dropped, Fetched
from engine.values.errors import ProcessCrash
from engine.values.extents import AT_ONCE, BLANK, IN_RAM, PERSISTENT, DeltaExtent, Extent
from engine.values.stretches import Range, Stretches


def load_delta(q: QueueState, ack_dropped: bool = True) -> None:
    """Bring the next messages of delta to q3 (Q34). Raises ProcessCrash where the index has more messages
    than delta claims (V8). `ack_dropped`: acknowledge records of transient messages that a restart lost; the
    purge that erases the whole index does without.
    """
    while not q.delta.blank:
        delta = q.delta
        assert delta.start is not None and delta.end is not None
        boundary = q.index.next_segment_boundary(delta.start)
        stop = min(boundary, delta.start + q.settings.delta_read_cap, delta.end)
        kept, dropped, skipped = _sift(q, q.index.read(delta.start, stop))
        _forget(q, dropped, ack_dropped)
        why: Why = {
            "start": delta.start,
            "stop": stop,
            "boundary": boundary,
            "cap": q.settings.delta_read_cap,
            "dropped": sum(each.count for each in dropped),
            "skipped": skipped,
        }
        if kept:
            _keep(q, delta, stop, kept, why)
            return
        q.delta = DeltaExtent(stop, delta.count, delta.transient, delta.end).asserted(q.name)
        q.emit(DeltaChanged("Q34", q.name, q.delta, why))


def _sift(q: QueueState, found: list[Extent]) -> tuple[list[Extent], list[Extent], int]:
    """Divide records into kept, dropped (transients from before a restart) and the number skipped as pending."""
    kept: list[Extent] = []
    dropped: list[Extent] = []
    skipped = 0
    any_pending = bool(found) and bool(is_pending(q, found[0].start, found[-1].end - found[0].start))
    for record in found:
        lost = 0
        if record.start < q.transient_threshold and not record.persistent:
            lost = min(record.count, q.transient_threshold - record.start)
            dropped.append(record.part(0, lost))
            if lost == record.count:
                continue
        extent = record.part(lost, record.count - lost) if lost else record
        if extent.flags & IN_RAM:  # embedded: the body came with the record
            [extent] = q.as_read(extent)
        if not any_pending:
            kept.append(extent)
            continue
        at = extent.start
        for pending in is_pending(q, extent.start, extent.count):
            if pending.start > at:
                kept.append(extent.part(at - extent.start, pending.start - at))
            skipped += pending.count
            at = pending.end
        if at == extent.start:
            kept.append(extent)
        elif at < extent.end:
            kept.append(extent.part(at - extent.start, extent.end - at))
    return kept, dropped, skipped


def _forget(q: QueueState, dropped: list[Extent], ack: bool) -> None:
    """Acknowledge records of lost transients; the redelivery watermark moves by one at most (Q34 note c)."""
    if not dropped:
        return
    if any(each.start <= q.next_deliver_seq_id < each.end for each in dropped):
        q.next_deliver_seq_id += 1
    q.emit(Dropped("Q34", q.name, "delta", None, tuple(dropped), q.delta, {"cause": "transient_lost"}))
    if ack:
        # The reference scans downwards and conses, so the acks come out ascending.
        q.index.deliver(unmarked(q, dropped))
        q.index.ack([Range(each.start, each.count) for each in dropped])


def _keep(q: QueueState, delta: DeltaExtent, stop: int, kept: list[Extent], why: Why) -> None:
    total = sum([each.count for each in kept])
    embedded = [each for each in kept if each.flags & IN_RAM]
    embedded_count = sum([each.count for each in embedded])
    q.ram_msg_count += embedded_count
    q.ram_bytes += sum([each.total_bytes for each in embedded])
    q.disk_read_count += embedded_count
    transient = [each for each in kept if not each.flags & PERSISTENT]
    why["embedded"] = embedded_count
    q.q3.insert_all(kept)
    left = delta.count - total
    if left < 0:  # an old journal brought messages back that were gone when the queue was stopped
        raise ProcessCrash(q.name, MORE_THAN_DELTA, str(left), "case_clause")
    if left == 0:
        q.delta = BLANK
        q.delta_transient_bytes = 0
    else:
        gone = sum([each.count for each in transient])
        q.delta = DeltaExtent(stop, left, delta.transient - gone, delta.end).asserted(q.name)
        q.delta_transient_bytes -= sum([each.total_bytes for each in transient])
    q.emit(DeltaRead("Q34", q.name, "delta", "q3", tuple(kept), q.delta, why))
    if left == 0 and q.q2:
        joining = tuple(q.q2)
        q.q2.clear()
        q.q3.insert_all(joining)
        q.emit(LaneJoined("Q34", q.name, "q2", "q3", joining, None, {"delta_count": 0}))


def takes_many(q: QueueState) -> bool:
    """Return whether the head belongs to a log (a column of sizes) in lanes with files of version 1."""
    if not takes_classes(q):
        return False
    runs = q.q4 if q.q4.total else q.q3
    return runs.total > 0 and not isinstance(runs.first.size_bytes, int)


def several(q: QueueState, count: int) -> int:
    """Return how many of `count` messages, over several runs, may leave before q3 is refilled (Q29); else 0."""
    runs, kept = (q.q4, 0) if q.q4.total else (q.q3, 1)
    number = len(runs) - kept
    if number <= 1:
        return 0
    there = runs.leading(min(number, AT_ONCE, count))
    return there if there < count else count


def take_several(
    q: QueueState, count: int, ack_required: bool, read: bool, spacing_us: int
) -> list[TakenMessages]:
    """Take `count` messages from the head, as many as `several` said, one call each (Q31, Q32, Q60)."""
    lane, runs = ("q4", q.q4) if q.q4.total else ("q3", q.q3)
    extents = runs.pop_head(count)
    taken: list[TakenMessages] = []
    redelivered = from_store = 0
    watermark = q.next_deliver_seq_id
    for extent in extents:
        start, end = extent.start, extent.start + extent.count
        seen = 0
        if watermark > start:
            seen = extent.count if watermark > end else watermark - start
            redelivered += seen
        if start <= watermark < end:
            watermark = end  # Q33
        if not read or extent.flags & IN_RAM:
            taken.append(TakenMessages(extent, seen, lane))
            continue
        from_store += extent.count
        for part in q.as_read(extent):
            taken.append(TakenMessages(part, min(part.count, max(0, seen - (part.start - start))), lane))
    q.next_deliver_seq_id = watermark
    left = [each.extent for each in taken]
    tell = partial(_tell, q, lane, read, {"redelivered": redelivered, "from_store": from_store})
    if ack_required:
        places = by_place(q, left)
        for place in places:
            tell(place, places[place])
        _await_acks(q, places, read)
    else:
        tell(None, left)
        _end(q, left, read)
    account_many(q, left, ready=-1, unacked=1 if ack_required else 0)
    q.rates.count_each(count, q.now_us, spacing_us, out=1, ack_in=1 if ack_required else 0)
    return taken


def _tell(q: QueueState, lane: str, read: bool, why: Why, place: str | None, left: list[Extent]) -> None:
    """Report messages that leave, either to a pending map or for good."""
    kind, rule = (Fetched, "Q31") if read else (Dropped, "Q60")
    q.emit(kind(rule, q.name, lane, place, tuple(left), None, why))


def _await_acks(q: QueueState, places: dict[str, list[Extent]], read: bool) -> None:
    for place, some in places.items():
        q.extents_of(place).insert_all(some)
        if read and place == "disk_pending":
            for extent in some:
                q.client_of(extent).read(extent)
                q.disk_read_count += extent.count


def _end(q: QueueState, extents: list[Extent], read: bool) -> None:
    """Remove bodies from the stores, each message by a call of its own, and end the index records (Q32)."""
    stored = [each for each in extents if each.flags & STORED == STORED]
    if not q.stores_alone:
        for client, persistent in ((q.persistent, PERSISTENT), (q.transient, 0)):
            there = [each for each in stored if each.flags & PERSISTENT == persistent]
            for in_ram, same in groupby(there, _in_ram):
                bodies = [Range(each.msg_no, each.count) for each in same]
                q.disk_read_count += client.end_each(bodies, read and not in_ram)
    else:
        for extent in stored:
            _end_stored(q, extent, read and not extent.flags & IN_RAM)
    records = joined(extents)
    if records:
        q.index.ack_runs(records)


def _in_ram(extent: Extent) -> bool:
    return extent.flags & IN_RAM != 0


def _end_stored(q: QueueState, extent: Extent, read: bool) -> None:
    """Read and remove bodies, batching without a garbage collection in between (S186)."""
    client = q.client_of(extent)
    done = 0
    while done < extent.count:
        part = extent.part(done, extent.count - done) if done else extent
        if read:
            part = part.part(0, client.alike(part))
            client.read(part)
            q.disk_read_count += part.count
        client.remove([Range(part.msg_no, part.count)], one_by_one=True)
        q.settle()
        done += part.count


Leave = Callable[[TakenMessages], None]
"""Called with each run as it leaves its lane, before a refill happens."""


def head(q: QueueState) -> Extent | None:
    """Return the run that the next take begins with, loading from delta in lazy mode (Q28, Q30)."""
    if q.mode == "lazy":
        while not q.q3 and q.delta.count > 0:
            load_delta(q)
    elif q.q4:
        return q.q4.first
    return q.q3.first if q.q3 else None


def take(q: QueueState, count: int, leave: Leave) -> TakenMessages | None:
    """Take up to `count` messages, all of one run, from the head (Q28-Q30). The refill of an emptied q3
    happens here, before the messages are delivered. Returns None when empty.
    """
    first = head(q)
    if first is None:
        return None
    lane, runs = ("q4", q.q4) if q.mode == "default" and q.q4.total else ("q3", q.q3)
    extent = runs.take_first(count)
    seen = q.next_deliver_seq_id - extent.start
    if q.settings.flags_deliveries:
        seen = extent.count if extent.delivered else 0
    elif seen <= 0:
        seen = 0
    elif seen > extent.count:
        seen = extent.count
    taken = TakenMessages(extent, seen, lane)
    leave(taken)
    if lane == "q3" and not q.q3 and q.mode == "default":
        if q.delta.count == 0:
            _q1_becomes_q4(q)
        else:
            load_delta(q)
    return taken


def _q1_becomes_q4(q: QueueState) -> None:
    """Move all of q1 to q4 when q3 and delta have run out (Q29)."""
    assert not q.q2 and not q.q4, "q3 and delta are empty, so q2 and q4 must be (Q6)"
    if q.q1:
        joining = tuple(q.q1)
        q.q1, q.q4 = q.q4, q.q1
        q.emit(LaneJoined("Q29", q.name, "q1", "q4", joining, None, {"delta_count": 0, "q3_len": 0}))


def _bump_next_deliver(q: QueueState, extent: Extent) -> None:
    """Advance the redelivery watermark if exactly its message leaves (Q33)."""
    if extent.start <= q.next_deliver_seq_id < extent.start + extent.count:
        q.next_deliver_seq_id = extent.start + extent.count


def fetch(q: QueueState, count: int, ack_required: bool, read: bool, spacing_us: int) -> list[TakenMessages]:
    """Take up to `count` messages, one call each (Q31, Q32; without `read` it is drop, Q60)."""
    taken: list[TakenMessages] = []
    started_us = q.now_us
    done = 0
    try:
        while done < count:
            q.now_us = started_us + done * spacing_us
            many = several(q, count - done) if count - done > 1 and takes_many(q) else 0
            if many:
                taken += take_several(q, many, ack_required, read, spacing_us)
                done += many
                continue
            wanted = _alike(q, count - done) if read and not ack_required else count - done
            wanted = _before_refill(q, wanted, ack_required)
            parts: list[Extent] = []
            leave = partial(_leave_fetched, q, parts, ack_required, read)
            each = take(q, wanted, leave)
            if each is None:
                break
            extent = each.extent
            if read and not extent.flags & IN_RAM:
                fetch_body(q, extent)
            for part in parts:
                seen = each.redelivered
                if seen:
                    seen = min(part.count, max(0, seen - (part.start - extent.start)))
                taken.append(TakenMessages(_remove(q, part, ack_required, spacing_us), seen, each.lane))
            done += extent.count
    except ProcessCrash as crash:
        crash.fetched[:0] = taken
        raise
    return taken


def _alike(q: QueueState, count: int) -> int:
    """Return how many messages may be read together and then removed together (S186)."""
    first = head(q)
    if first is None or first.flags & IN_RAM:
        return count
    if q.bodies and not first.home_store:
        return min(count, q.bodies.boundary(first.start) - first.start)
    return min(count, q.client_of(first).alike(first))


def _before_refill(q: QueueState, count: int, ack_required: bool) -> int:
    """Return how many messages may leave together before q3 is refilled. The refill comes after q3's other
    messages and before its last (Q29, Q34). It acknowledges transients that a restart lost, and what leaves
    may write to the index too: its acknowledgement, or a mark (V1).
    """
    delta = q.delta
    if q.mode == "lazy" or q.q4 or delta.count == 0:
        return count
    reads_buffers = q.bodies is not None and not ack_required
    lost = (delta.start or 0) < q.transient_threshold
    if not q.settings.flags_deliveries and not reads_buffers and (ack_required or not lost):
        return count
    return min(count, max(1, q.q3.total - 1))


def _leave_fetched(
    q: QueueState, parts: list[Extent], ack_required: bool, read: bool, taken: TakenMessages
) -> None:
    """Report the messages that leave; `parts` receives them as read."""
    extent = taken.extent
    in_ram = extent.flags & IN_RAM
    if read and not in_ram:
        parts.extend(q.as_read(extent))
    else:
        parts.append(extent)
    to = place_of_pending(q, extent) if ack_required else None
    why: Why = {"redelivered": taken.redelivered, "from_store": 0 if in_ram else extent.count}
    kind = Fetched if read else Dropped
    left = tuple([as_delivered(q, part) for part in parts] if q.settings.flags_deliveries else parts)
    q.emit(kind("Q31" if read else "Q60", q.name, taken.lane, to, left, None, why))


def _remove(q: QueueState, extent: Extent, ack_required: bool, spacing_us: int) -> Extent:
    """Account for messages that left the ready state, one call each (Q32); return them with their mark (V1)."""
    delivered = as_delivered(q, extent)
    in_ram = extent.flags & IN_RAM != 0
    if ack_required:
        if q.settings.flags_deliveries:
            q.index.deliver(unmarked(q, [extent]), one_by_one=True)
        record_pending(q, delivered)
        account(q, extent, ready=-1, unacked=1, before=in_ram, after=in_ram)
    else:
        end_messages(q, [extent], one_by_one=True)
        account(q, extent, ready=-1, before=in_ram)
    _bump_next_deliver(q, extent)
    q.rates.count_each(extent.count, q.now_us, spacing_us, out=1, ack_in=1 if ack_required else 0)
    if not ack_required and extent.in_store:
        q.settle()
    return delivered


def _collect(q: QueueState, now_us: int, leave: Leave) -> tuple[list[TakenMessages], int | None]:
    """Take while the head has expired, then put the first other message back (Q36, Q58). Returns what was
    taken and the expiry of the message put back (0 for never), None when the queue ran empty.
    """
    collected: list[TakenMessages] = []
    while True:
        first = head(q)
        if first is None:
            return collected, None
        if not 0 < first.expiry_us <= now_us:
            break
        taken = take(q, first.count, leave)
        assert taken is not None
        collected.append(taken)
    put_back_head(q)
    return collected, first.expiry_us


def put_back_head(q: QueueState) -> None:
    """Take one message and put it back at the place that Q36 gives; with an empty queue nothing happens."""
    first = head(q)
    if first is None or (q.mode == "default" and q.q4):
        return  # from q4 it returns to q4's head unchanged
    refills = q.q3.total == 1
    if not refills and (q.mode == "lazy" or not first.in_ram):
        return  # it returns to q3's head unchanged
    lane_of: list[str] = []

    def leave(taken: TakenMessages) -> None:
        # Written so that in a fold the message leaves before a refill and returns after it.
        lane_of.append(taken.lane)
        q.emit(PutBack("Q36", q.name, taken.lane, None, (taken.extent,), None, {"step": "taken"}))

    taken = take(q, 1, leave)
    assert taken is not None
    _put_back(q, taken.extent)


def _put_back(q: QueueState, extent: Extent) -> None:
    why: Why = {"step": "returned"}
    if q.mode == "lazy":
        if q.q3:
            q.q3.insert(extent)
            q.emit(PutBack("Q36", q.name, None, "q3", (extent,), None, why))
            return
        written = write(q, True, True, extent)
        account(q, extent, paged=True, before=extent.in_ram, after=False, delta=1)
        q.delta = q.delta.extended(extent.start, 1, 0 if extent.persistent else 1)
        q.emit(PutBack("Q36", q.name, None, "delta", (written,), q.delta, why))
        return
    to = "q4" if extent.in_ram or q.q4 else "q3"
    if to == "q4" and not extent.in_ram:
        [read] = read_back(q, extent)
        account(q, extent, paged=True, before=False, after=True)
        extent = read.with_flags(IN_RAM)
    q.extents_of(to).insert(extent)
    q.emit(PutBack("Q36", q.name, None, to, (extent,), None, why))


def dropwhile(q: QueueState, now_us: int) -> tuple[list[TakenMessages], int | None]:
    """Drop expired messages from the head; the first other one is taken and put back (Q58). Returns what was
    dropped and the next head's expiry (0 for never), None when the queue is empty.
    """

    def leave(taken: TakenMessages) -> None:
        q.emit(Dropped("Q58", q.name, taken.lane, None, (taken.extent,), None, {"cause": "expired"}))

    collected, next_expiry = _collect(q, now_us, leave)
    _end_collected(q, [each.extent for each in collected], index_acks=True)
    total = sum(each.extent.count for each in collected)
    q.rates.count(out=total)
    q.rates.maybe_update(q.now_us)
    return collected, next_expiry


def _end_collected(q: QueueState, extents: list[Extent], index_acks: bool) -> None:
    end_messages(q, extents, one_by_one=False, acknowledge=index_acks, drop_cached=False)
    for extent in extents:
        _bump_next_deliver(q, extent)
        account(q, extent, ready=-1, before=extent.in_ram)


def fetchwhile(q: QueueState, now_us: int) -> tuple[list[TakenMessages], int | None]:
    """Fetch expired messages from the head as pending acks, for dead-lettering (Q59, V9)."""
    if q.settings.fetchwhile_forgets:
        q.index.hold()
    read: list[TakenMessages] = []

    def leave(taken: TakenMessages) -> None:
        extent = taken.extent
        parts = (extent,) if extent.in_ram else q.as_read(extent)
        to = place_of_pending(q, extent)
        why: Why = {"cause": "expired", "from_store": 0 if extent.in_ram else extent.count}
        q.emit(
            Fetched("Q59", q.name, taken.lane, to, tuple(as_delivered(q, part) for part in parts), None, why)
        )
        read.extend(TakenMessages(part, 0, taken.lane) for part in parts)

    _, next_expiry = _collect(q, now_us, leave)
    for each in read:
        extent = each.extent
        if not extent.in_ram:
            fetch_body(q, extent)
        record_pending(q, as_delivered(q, extent))
        _bump_next_deliver(q, extent)
        account(q, extent, ready=-1, unacked=1, before=extent.in_ram, after=extent.in_ram)
    if q.settings.fetchwhile_forgets:
        q.index.take_back()
    q.index.deliver(unmarked(q, (each.extent for each in read)), descending=True)
    total = sum(each.extent.count for each in read)
    q.rates.count(out=total, ack_in=total)
    q.rates.maybe_update(q.now_us)
    return read, next_expiry


def purge(q: QueueState) -> int:
    """Drop every ready message (Q61). Returns how many there were."""
    pending = any(q.extents_of(place) for place in PENDING)
    reset = not pending and not q.unconfirmed
    count = q.len
    drop_ready(q, reset)
    return count


def drop_ready(q: QueueState, reset: bool) -> None:
    """Drop every ready message; with `reset` erase the index instead of acknowledging (Q61, Q64)."""
    _drop_lane(q, "q4", reset)
    if q.mode == "lazy":
        load_delta(q, ack_dropped=not reset)
    while q.q3:
        _drop_lane(q, "q3", reset)
        load_delta(q, ack_dropped=not reset)
        if q.mode == "lazy":
            load_delta(q, ack_dropped=not reset)
    _drop_lane(q, "q1", reset)
    if reset:
        q.index.reset()


def _drop_lane(q: QueueState, lane: str, reset: bool) -> None:
    runs: Stretches[Extent] = q.extents_of(lane)
    extents = list(runs)
    if not extents:
        return
    runs.clear()
    q.emit(Dropped("Q61", q.name, lane, None, tuple(extents), None, {"cause": "purged", "reset": reset}))
    _end_collected(q, extents, index_acks=not reset)
