"""Stopping, starting and deleting a queue (W57, W94-W97)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.queue.entries import BLANK, Deliveries, Tail
from engine.classic_v2.queue.loading import load
from engine.classic_v2.queue.pending import remove_together
from engine.classic_v2.queue.state import QueueState
from engine.classic_v2.queue.taking import drop_ready, remove_shared
from engine.values.ranges import RangeSet


class V2Terms(msgspec.Struct, frozen=True):
    """What a clean stop saves for the next start (W94).

    Args:
        segments: (segment number, live messages) of every segment.
        redeliver_seq_id: next_deliver_seq_id where releases have that.
        deliveries: (first position, how many, times) of each message whose deliveries are counted.
        persistent_ref: name of the queue's client at the persistent store; None for a queue that is not durable.
        lost: the next start does not find them (W201).
    """

    segments: tuple[tuple[int, int], ...]
    next_seq_id: int
    redeliver_seq_id: int
    deliveries: tuple[tuple[int, int, int], ...]
    persistent_ref: str | None
    persistent_count: int
    persistent_bytes: int
    lost: bool = False


def start_new(q: QueueState) -> None:
    """Begin a queue that never existed before."""
    q.index.begin()
    q.rates.timestamp_us = q.now_us


def terminate(q: QueueState) -> V2Terms | None:
    """Stop in order (W95); None where the index crashed: there are no terms, and the `.qs` buffer is lost (W200)."""
    remove_shared(q, [extent for extent in _pending(q) if not extent.persistent])
    q.ram_pending.clear()
    q.disk_pending.clear()
    q.persistent.terminate()
    q.transient.delete()
    try:
        segments = q.index.terminate()
    except ProcessCrashed:
        return None
    q.store.terminate()
    return V2Terms(
        segments,
        q.next_seq_id,
        q.redeliver_seq_id,
        tuple((each.start, each.count, each.times) for each in q.deliveries),
        q.persistent.ref if q.durable else None,
        q.persistent_count,
        q.persistent_bytes,
        q.purged and q.settings.purge_loses_terms,
    )


def _pending(q: QueueState) -> list:  # type: ignore[type-arg]
    return sorted([*q.ram_pending, *q.disk_pending], key=lambda extent: extent.start)


def kill(q: QueueState) -> None:
    """End the process without a word: what it only buffered is lost (D4)."""
    q.persistent.kill()
    q.transient.kill()


def delete(q: QueueState) -> None:
    """End for good: ready messages, then pending ones, the directory and the clients of both stores go (W57)."""
    drop_ready(q, acknowledge=False)
    pending = _pending(q)
    q.ram_pending.clear()
    q.disk_pending.clear()
    remove_together(q, pending, acknowledge=False)
    q.store.terminate()
    q.index.delete()
    q.persistent.delete()
    q.transient.delete()


def start_again(
    q: QueueState, terms: V2Terms | None, store_clean: bool, contains: Callable[[int, int], RangeSet]
) -> None:
    """Begin on what a restart left (W96, W97, W206).

    Args:
        terms: of a clean stop, None otherwise.
        store_clean: whether the persistent store recovered cleanly.
        contains: which of the message numbers [start, start+count) the persistent store holds.
    """
    count: int | None = None
    size_bytes = 0
    if terms is not None and store_clean:
        q.index.start_again(terms.segments)
    else:
        count, size_bytes = q.index.recover(contains)
    low, high = q.index.bounds(None if terms is None else terms.next_seq_id)
    found = count or 0
    if terms is not None:
        q.next_seq_id, q.redeliver_seq_id = terms.next_seq_id, terms.redeliver_seq_id
        found, size_bytes = terms.persistent_count, terms.persistent_bytes
        for each in terms.deliveries:
            q.deliveries.insert(Deliveries(*each))
    else:
        q.next_seq_id = q.redeliver_seq_id = high
    q.tail = BLANK if count is not None and not found else Tail(low, found, q.next_seq_id)
    q.transient_threshold = q.next_seq_id
    q.persistent_count = found
    q.bytes = q.persistent_bytes = size_bytes
    q.rates.timestamp_us = q.now_us
    load(q, 1)
