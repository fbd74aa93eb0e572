"""Stopping, starting and deleting a queue (W57, W94-W97)."""

from __future__ import annotations

from collections.abc import Callable

from engine.backing_queue.terms import CleanTerms
from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.queue.entries import DeliveryCounts
from engine.classic_v2.queue.loading import asserted, load
from engine.classic_v2.queue.pending import forget_pending, remove_together
from engine.classic_v2.queue.state import PENDING, V2QueueState
from engine.classic_v2.queue.taking import drop_ready, remove_shared
from engine.report.transitions.queue import QueueStarted, QueueStopped
from engine.values.extents import BLANK, DeltaExtent, Extent
from engine.values.ranges import Range, RangeSet


def start_new(q: V2QueueState) -> None:
    """Begin a queue that never existed before."""
    q.index.begin()
    q.index.report_files("W80", clean=True)
    _begin(q, "W80")


def _begin(q: V2QueueState, rule: str) -> None:
    q.rates.timestamp_us = q.now_us
    q.last_counters = q.counted()
    q.emit(QueueStarted(rule, q.name, "default", q.durable, q.tail, q.counters()))


def terminate(q: V2QueueState) -> CleanTerms | None:
    """Stop in order (W95).

    None where there are no terms: the index crashed, so that the `.qs` buffer is lost too (W200), or they are stored
    under a name that the next start does not look for (W201).
    """
    transient = [extent for extent in pending_extents(q) if not extent.persistent]
    for place in PENDING:
        q.extents_of(place).clear()
    remove_shared(q, transient)
    q.persistent.terminate()
    q.transient.delete()
    segments = None
    try:
        segments = q.index.terminate()
    except ProcessCrashed:
        q.index_crashed = True
    if segments is not None:
        q.store.terminate()
    q.emit(QueueStopped("W95", q.name, "clean"))
    if segments is None or (q.purged and q.settings.purge_loses_terms):
        return None
    return CleanTerms(
        segments,
        q.next_seq_id,
        q.redeliver_seq_id,
        q.persistent.ref if q.durable else None,
        q.persistent_count,
        q.persistent_bytes,
        deliveries=tuple((each.start, each.count, each.times) for each in q.deliveries),
    )


def pending_extents(q: V2QueueState) -> list[Extent]:
    """Return every unacknowledged message, ascending."""
    return sorted([*q.ram_pending, *q.disk_pending], key=lambda extent: extent.start)


def kill(q: V2QueueState, kind: str) -> None:
    """End the process without a word: what it only buffered is lost (D4).

    Args:
        kind: crash, kill or power, or kill_in_flush for a kill between the index's write and that of `.qs` (W62).
    """
    if kind == "kill_in_flush":
        q.index.flush()
    q.persistent.kill()
    q.transient.kill()
    q.emit(QueueStopped("D4", q.name, kind))


def delete(q: V2QueueState, cause: str) -> None:
    """End for good: ready messages, then pending ones, the directory and the clients of both stores go (W57)."""
    drop_ready(q, acknowledge=False)
    pending = pending_extents(q)
    forget_pending(q)
    remove_together(q, pending, acknowledge=False)
    q.store.terminate()
    q.index.delete()
    q.persistent.delete()
    q.transient.delete()
    q.emit(QueueStopped("W57", q.name, cause))


def start_again(
    q: V2QueueState, terms: CleanTerms | None, store_clean: bool, contains: Callable[[Range], RangeSet]
) -> None:
    """Begin on what a restart left (W96, W97, W206).

    Args:
        terms: of a clean stop, None otherwise.
        store_clean: whether the persistent store recovered cleanly.
        contains: which of these message numbers the persistent store holds.
    """
    count: int | None = None
    size_bytes = 0
    if terms is not None and store_clean:
        q.index.start_again(terms.segments or ())
    else:
        count, size_bytes = q.index.recover(contains)
    begin_on_index(q, terms, count, size_bytes)


def begin_on_index(q: V2QueueState, terms: CleanTerms | None, count: int | None, size_bytes: int) -> None:
    """Begin on an index that knows its segments.

    Args:
        terms: of a clean stop, None otherwise.
        count, size_bytes: the survivors of a dirty start and their bytes; None where the terms have them.
    """
    low, high = q.index.bounds(None if terms is None else terms.next_seq_id)
    found = count or 0
    if terms is not None:
        q.next_seq_id, q.redeliver_seq_id = terms.next_seq_id, terms.next_deliver_seq_id
        found, size_bytes = terms.persistent_count, terms.persistent_bytes
        for each in terms.deliveries:
            q.deliveries.insert(DeliveryCounts(*each))
    else:
        q.next_seq_id = q.redeliver_seq_id = high
    q.tail = (
        BLANK if count is not None and not found else asserted(q, DeltaExtent(low, found, 0, q.next_seq_id))
    )
    q.transient_threshold = q.next_seq_id
    q.persistent_count = found
    q.bytes = q.persistent_bytes = size_bytes
    _begin(q, "W97" if terms is None else "W96")
    load(q, 1)
