"""Messages of several classes come in: some belong to the store, some are persistent, each by a call of its own (Q20).

What the rules ask of each run of one class is done for each run: its record in the index, its body in a store. What
they ask of the queue is done once for as many messages as no reduction comes between.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.backing_queue.arrivals import Arrival
from engine.classic_v1.queue.accounting import account_many
from engine.classic_v1.queue.arrivals import border_of, new_extent
from engine.classic_v1.queue.reduce import count_towards_reduction, until_reduction
from engine.classic_v1.queue.reduce_many import AT_ONCE
from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.queue import Published
from engine.values.extents import HOME_STORE, IN_STORE, INDEXED, PERSISTENT, WANTS_CONFIRM, Extent
from engine.values.ranges import Range


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
    """Write what is persistent, and put the messages where the landing rule wants them (Q15-Q17, Q21).

    Args:
        entries: runs of consecutive seq_ids, as they are when they are written, which is done here.
        already_delivered: they count as delivered.
        settles: the calls end here, so the store handles what it got; else the caller lets it.
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
