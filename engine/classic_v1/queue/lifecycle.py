"""Stopping, starting and deleting a queue (Q62-Q65)."""

from __future__ import annotations

from engine.backing_queue.terms import CleanTerms
from engine.classic_v1.queue.delta import load_delta
from engine.classic_v1.queue.pending import end_messages
from engine.classic_v1.queue.state import PENDING, QueueState, counters_of
from engine.classic_v1.queue.taking import drop_ready
from engine.report.transitions.queue import PendingPurged, QueueStarted, QueueStopped
from engine.values.extents import BLANK, DeltaExtent


def terminate(q: QueueState) -> CleanTerms | None:
    """Stop in order: transient unacked bodies leave their store, the index is closed, terms are returned (Q63).

    None where the index crashes, so that the next start finds no terms (W200).
    """
    for place in PENDING:
        transient = [e for e in q.extents_of(place) if e.in_store and not e.persistent]
        end_messages(q, transient, one_by_one=False, acknowledge=False)
    q.persistent.terminate()
    q.transient.delete()
    segments = q.index.terminate()
    q.emit(QueueStopped("Q63", q.name, "clean"))
    if segments is None:
        return None
    return CleanTerms(
        tuple(segments),
        q.next_seq_id,
        q.next_deliver_seq_id,
        q.persistent.ref if q.durable else None,
        q.persistent_count,
        q.persistent_bytes,
    )


def kill(q: QueueState, kind: str) -> None:
    """End the process without a word: what it only buffered is lost (D4).

    Args:
        kind: crash, kill or power, or kill_in_flush for a kill before the journal that is being emptied is cut (S115).
    """
    if kind == "kill_in_flush":
        q.index.kill_in_flush()
        kind = "kill"
    else:
        q.index.kill(kind)
    q.persistent.kill()
    q.transient.kill()
    q.emit(QueueStopped("D4", q.name, kind))


def delete(q: QueueState, cause: str) -> None:
    """End for good: ready messages, then pending ones, the files and the clients of both stores go (Q64)."""
    drop_ready(q, reset=True)
    for place in PENDING:
        extents = tuple(q.extents_of(place))
        if extents:
            q.extents_of(place).clear()
            q.emit(PendingPurged("Q64", q.name, place, None, extents))
            end_messages(q, extents, one_by_one=False, acknowledge=False)
    q.index.delete()
    q.persistent.delete()
    q.transient.delete()
    q.emit(QueueStopped("Q64", q.name, cause))


def start_new(q: QueueState) -> None:
    """Begin a queue that never existed before (Q5)."""
    q.index.start_new()
    q.last_counters = counters_of(q)
    q.rates.timestamp_us = q.now_us
    q.emit(QueueStarted("Q5", q.name, q.mode, q.durable, q.delta, q.counters()))


def start_again(q: QueueState, terms: CleanTerms | None, count: int | None, size_bytes: int | None) -> None:
    """Begin on what a restart left; the index has recovered already (Q62).

    Args:
        terms: of a clean stop, None otherwise.
        count, size_bytes: persistent live messages and their bodies, when the index had to scan for them.
    """
    low, high = q.index.bounds()
    if terms is not None:
        q.next_seq_id = high if q.settings.starts_at_a_boundary else terms.next_seq_id  # V2
        q.next_deliver_seq_id = terms.next_deliver_seq_id
        found, found_bytes = terms.persistent_count, terms.persistent_bytes
    else:
        q.next_seq_id = q.next_deliver_seq_id = high
        found, found_bytes = count or 0, size_bytes or 0
    scanned_nothing = count is not None and found == 0
    q.delta = BLANK if scanned_nothing else DeltaExtent(low, found, 0, q.next_seq_id).asserted(q.name)
    q.len = q.persistent_count = found
    q.bytes = q.persistent_bytes = found_bytes
    q.transient_threshold = q.next_seq_id
    q.rates.timestamp_us = q.now_us
    q.last_counters = counters_of(q)
    q.emit(QueueStarted("Q62", q.name, q.mode, q.durable, q.delta, q.counters()))
    load_delta(q)
