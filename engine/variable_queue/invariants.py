"""The broker's own assertions, checked after every verb (Q2, Q6-Q8)."""

from __future__ import annotations

from operator import attrgetter

from engine.errors import InvariantBroken
from engine.variable_queue.state import QueueState

NOT_NEGATIVE = (
    "len",
    "bytes",
    "unacked_bytes",
    "persistent_count",
    "persistent_bytes",
    "ram_msg_count",
    "ram_bytes",
)
_amounts = attrgetter(*NOT_NEGATIVE)


def check(q: QueueState) -> None:
    """Raise InvariantBroken when the queue's record contradicts itself (Q6, Q7, Q8)."""
    if q.mode == "default":
        _require(not q.q1 or bool(q.q3), "Q6: q1 holds messages while q3 is empty", q)
        _require(not q.q2 or q.delta.count > 0, "Q6: q2 holds messages while delta is empty", q)
        _require(q.delta.count == 0 or bool(q.q3), "Q6: delta holds messages while q3 is empty", q)
        _require((q.len == 0) == (not q.q3 and not q.q4), "Q6: len disagrees with q3 and q4", q)
    else:
        _require(not q.q1 and not q.q2 and not q.q4, "Q7: a lazy queue uses q1, q2 or q4", q)
        _require(q.delta.count + q.q3.total == q.len, "Q7: len differs from delta and q3", q)
    if min(_amounts(q)) < 0:
        for name in NOT_NEGATIVE:
            _require(getattr(q, name) >= 0, f"Q8: {name} is negative", q)
    _require(q.ram_msg_count <= q.len, "Q8: more bodies in RAM than messages", q)
    _require(q.ram_bytes <= q.bytes + q.unacked_bytes, "Q8: more bytes in RAM than there are", q)
    lanes = q.q1.total + q.q2.total + q.q3.total + q.q4.total
    _require(lanes + q.delta.count == q.len, "Q5: len differs from the sub-queues' sum", q)


def _require(holds: bool, what: str, q: QueueState) -> None:
    if not holds:
        lengths = f"q1={q.q1.total} q2={q.q2.total} delta={q.delta} q3={q.q3.total} q4={q.q4.total}"
        raise InvariantBroken(f"{what} ({q.name}: len={q.len} {lengths})")
