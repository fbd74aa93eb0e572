"""What lies at the head, and how many messages may go one way at once with the same result as one by one."""

from __future__ import annotations

from engine.classic_v2.queue.entries import UNTAKEN
from engine.classic_v2.queue.state import V2QueueState
from engine.values.extents import Extent


def head_extent(q: V2QueueState) -> Extent | None:
    """Return the equal messages at the head; None where they are in the tail alone."""
    return q.head.first if q.head else None


def head_expiry_us(q: V2QueueState) -> int:
    """Return when the head expires, 0 for never; it is known for what the head lane holds."""
    return q.head.first.expiry_us if q.head else 0


def head_stays(q: V2QueueState) -> bool:
    """Return whether a pass of drop_expired would leave the queue as it is (W40, W47).

    That is so when nothing is loaded for it, the head does not expire, and it has the mark of a take already.
    """
    if not q.head:
        return False
    head = q.head.first
    return not (head.flags & UNTAKEN or 0 < head.expiry_us <= q.now_us)


def unexpired(q: V2QueueState, count: int) -> int:
    """Return how many of `count` messages may be taken before one that has expired; at least 1.

    What is in the tail has to be loaded before it is known.
    """
    ahead = 0
    for extent in q.head:
        if ahead >= count or 0 < extent.expiry_us <= q.now_us:
            break
        ahead += extent.count
    return max(1, min(count, ahead))
