"""Reading delta back, one segment at most (Q34, Q35)."""

from __future__ import annotations

from engine.classic_v1.index.combine import MORE_THAN_DELTA
from engine.classic_v1.queue.disk import unmarked
from engine.classic_v1.queue.pending import is_pending
from engine.classic_v1.queue.state import QueueState
from engine.classic_v1.transitions.messages import DeltaRead, LaneJoined
from engine.classic_v1.transitions.queue import DeltaChanged
from engine.report.transitions.base import Why
from engine.report.transitions.queue import Dropped
from engine.values.errors import ProcessCrash
from engine.values.extents import BLANK, IN_RAM, PERSISTENT, DeltaExtent, Extent
from engine.values.ranges import Range


def load_delta(q: QueueState, ack_dropped: bool = True) -> None:
    """Bring the next messages of delta to q3 (Q34).

    Raises ProcessCrash where the index has more messages than delta claims (V8).

    Args:
        ack_dropped: acknowledge records of transient messages that a restart lost; the purge that erases the whole
            index does without.
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
