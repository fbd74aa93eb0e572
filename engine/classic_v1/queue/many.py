"""Runs of a log whose neighbours differ: many of them go one way as one step, told by one transition (Q31, Q60).

Where each message has its own size and mode, a lane holds runs of a message or two. What the rules ask of each run is
done for each run; what they ask of the queue is done once for all of them: the transition, the totals, the rates, the
marks of the index. The end is the same as of one run after the other.
"""

from __future__ import annotations

from functools import partial
from itertools import groupby

from engine.backing_queue.arrivals import TakenMessages
from engine.classic_v1.queue.accounting import account_many
from engine.classic_v1.queue.arrivals import takes_classes
from engine.classic_v1.queue.pending import STORED, by_place, joined
from engine.classic_v1.queue.reduce_many import AT_ONCE
from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Dropped, Fetched
from engine.values.extents import IN_RAM, PERSISTENT, Extent
from engine.values.ranges import Range


def takes_many(q: QueueState) -> bool:
    """Return whether the head is of a log with runs: a column of sizes, in lanes whose files are those of version 1."""
    if not takes_classes(q):
        return False
    runs = q.q4 if q.q4.total else q.q3
    return runs.total > 0 and not isinstance(runs.first.size_bytes, int)


def several(q: QueueState, count: int) -> int:
    """Return how many of `count` messages, of more runs than one, may leave before q3 is refilled (Q29); else 0."""
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
    """Tell what leaves for one place, where it waits for an acknowledgement, or for good."""
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
    """Return whether a body is in RAM, so that it is not read."""
    return extent.flags & IN_RAM != 0


def _end_stored(q: QueueState, extent: Extent, read: bool) -> None:
    """Read and remove bodies, as many at once as no garbage collection comes between (S186)."""
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
