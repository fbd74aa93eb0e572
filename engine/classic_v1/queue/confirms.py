"""Publisher confirms inside the queue: three sets and the callbacks that move messages between them (K3-K9)."""

from __future__ import annotations

from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.queue import ConfirmsDue
from engine.values.ranges import Range, RangeSet


def index_written(q: QueueState, messages: RangeSet) -> None:
    """Callback A: index records of store-homed messages are safe (K7)."""
    done = messages.intersection(q.msgs_on_disk)
    q.msg_indices_on_disk.update(q.unconfirmed.intersection(messages))
    _finish(q, done, "index")


def messages_written(q: QueueState, messages: RangeSet) -> None:
    """Callback W: bodies are safe in the persistent store (K7)."""
    done = messages.intersection(q.msg_indices_on_disk)
    q.msgs_on_disk.update(q.unconfirmed.intersection(messages))
    _finish(q, done, "store")


def both_written(q: QueueState, messages: RangeSet, by: str) -> None:
    """Callback B: nothing more is to be waited for (K7). `by`: both or ignored."""
    _finish(q, messages, by)


def _finish(q: QueueState, done: RangeSet, by: str) -> None:
    if not done:
        return
    ranges = list(done)
    q.msgs_on_disk.subtract(ranges)
    q.msg_indices_on_disk.subtract(ranges)
    q.unconfirmed.subtract(ranges)
    q.confirmed.update(ranges)
    q.emit(ConfirmsDue("K7", q.name, by, tuple(ranges)))


def drain_confirmed(q: QueueState) -> list[Range]:
    """Hand over the messages whose confirms may be sent, and forget them (K8)."""
    if not q.confirmed.runs.total:
        return []
    ranges = list(q.confirmed)
    q.confirmed.clear()
    return ranges
