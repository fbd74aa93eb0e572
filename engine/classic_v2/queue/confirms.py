"""When a confirm may leave: simple ones at a sync, those of the shared store after index and store (W60-W62)."""

from __future__ import annotations

from engine.classic_v2.queue.state import V2QueueState
from engine.report.transitions.queue import ConfirmsDue
from engine.values.ranges import Range, RangeSet


def sync(q: V2QueueState) -> None:
    """Write the index buffer, then the `.qs` buffer, and confirm what waited for that (W62)."""
    indexed = q.index.sync()
    q.store.flush()
    if q.unconfirmed_simple:
        q.emit(ConfirmsDue("W62", q.name, "both", tuple(q.unconfirmed_simple)))
    for each in q.unconfirmed_simple:
        q.confirmed.add(each.start, each.count)
    q.unconfirmed_simple = RangeSet()
    if indexed:
        _written(q, indexed, q.msg_indices_on_disk, q.msgs_on_disk, "index")


def stored(q: V2QueueState, messages: RangeSet) -> None:
    """The persistent store has these messages (K7)."""
    _written(q, messages, q.msgs_on_disk, q.msg_indices_on_disk, "store")


def _written(q: V2QueueState, messages: RangeSet, noted: RangeSet, other: RangeSet, by: str) -> None:
    """Note what is safe in one place; confirm what is safe in the other as well."""
    both = _common(messages, other)
    for each in _common(messages, q.unconfirmed):
        noted.add(each.start, each.count)
    if both:
        q.emit(ConfirmsDue("W62", q.name, by, tuple(both)))
    q.record_confirms(both)


def _common(one: RangeSet, other: RangeSet) -> RangeSet:
    found = RangeSet()
    for each in one:
        for part in other.inside(each.start, each.count):
            found.add(part.start, part.count)
    return found


def drain(q: V2QueueState) -> list[Range]:
    """Hand over the message numbers whose confirms may be sent (K8)."""
    found = list(q.confirmed)
    q.confirmed = RangeSet()
    return found
