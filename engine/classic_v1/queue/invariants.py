"""The broker's own assertions, checked after every verb (Q2, Q6-Q8)."""

from __future__ import annotations

from typing import Any

from engine.classic_v1.queue.state import COUNTERS, QueueState
from engine.values.errors import InvariantBroken

AMOUNTS = slice(COUNTERS.index("len"), COUNTERS.index("ram_bytes") + 1)
"""Those of the counters that are never negative."""


def _broken(q: QueueState, what: str) -> InvariantBroken:
    """Return the error of a record that contradicts itself."""
    lengths = f"q1={q.q1.total} q2={q.q2.total} delta={q.delta} q3={q.q3.total} q4={q.q4.total}"
    return InvariantBroken(f"{what} ({q.name}: len={q.len} {lengths})")


def check(q: QueueState, counters: tuple[Any, ...]) -> None:
    """Raise InvariantBroken when the queue's record contradicts itself (Q6, Q7, Q8).

    It is asked after every verb, so no call is made for what holds.

    Args:
        counters: the record's numbers, as `counters_of` returns them.
    """
    q1, q2, delta, q3, q4 = q.q1.total, q.q2.total, q.delta.count, q.q3.total, q.q4.total
    if q.mode == "default":
        if q1 and not q3:
            raise _broken(q, "Q6: q1 holds messages while q3 is empty")
        if q2 and not delta > 0:
            raise _broken(q, "Q6: q2 holds messages while delta is empty")
        if delta != 0 and not q3:
            raise _broken(q, "Q6: delta holds messages while q3 is empty")
        if (q.len == 0) != (not q3 and not q4):
            raise _broken(q, "Q6: len disagrees with q3 and q4")
    else:
        if q1 or q2 or q4:
            raise _broken(q, "Q7: a lazy queue uses q1, q2 or q4")
        if delta + q3 != q.len:
            raise _broken(q, "Q7: len differs from delta and q3")
    amounts = counters[AMOUNTS]
    if min(amounts) < 0:
        raise _broken(q, f"Q8: {COUNTERS[AMOUNTS][amounts.index(min(amounts))]} is negative")
    if q.ram_msg_count > q.len:
        raise _broken(q, "Q8: more bodies in RAM than messages")
    if q.ram_bytes > q.bytes + q.unacked_bytes:
        raise _broken(q, "Q8: more bytes in RAM than there are")
    if q1 + q2 + q3 + q4 + delta != q.len:
        raise _broken(q, "Q5: len differs from the sub-queues' sum")
