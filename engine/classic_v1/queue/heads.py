"""What lies at the head, and how many messages may go one way at once with the same result as one by one."""

from __future__ import annotations

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.rates import UPDATE_ABOVE
from engine.classic_v1.queue.arrivals import new_extent
from engine.classic_v1.queue.reduce import until_reduction
from engine.classic_v1.queue.state import QueueState
from engine.values.extents import Extent
from engine.values.stretches import Stretches


def _head_lane(q: QueueState) -> Stretches[Extent]:
    return q.q4 if q.mode == "default" and q.q4.total else q.q3


def head_extent(q: QueueState) -> Extent | None:
    """Return the equal messages at the head; None for a lazy queue, whose q3 may be empty."""
    return (q.q4 or q.q3).first if q.mode == "default" else None


def head_expiry_us(q: QueueState) -> int:
    """Return when the head expires, 0 for never."""
    return _head_lane(q).first.expiry_us


def head_stays(q: QueueState) -> bool:
    """Return whether a pass of drop_expired would leave the queue as it is: the head returns to where it was (Q36).

    That is so when it does not expire, taking it brings no refill, and it lies where the put-back puts it: in q4, or
    in q3 without its body and with q4 empty; in a lazy queue in q3.
    """
    if q.mode == "default" and q.q4.total:
        return not 0 < q.q4.first.expiry_us <= q.now_us
    if q.q3.total < 2:
        return False
    head = q.q3.first
    if 0 < head.expiry_us <= q.now_us:
        return False
    return q.mode == "lazy" or not head.in_ram


def unexpired(q: QueueState, count: int) -> int:
    """Return how many of `count` messages may be taken before one that a pass of drop_expired would drop (P10)."""
    ahead = 0
    for extent in _head_lane(q):
        if ahead >= count or 0 < extent.expiry_us <= q.now_us:
            break
        ahead += extent.count
    return max(1, min(count, ahead))


def undisturbed(q: QueueState, count: int) -> int:
    """Return how many of `count` fetches give the same result at once as with P10's put-back after each.

    The put-back moves a q3 head with its body in RAM to q4, and may bring a refill one fetch earlier; both only
    matter where the last messages of q3 are near.
    """
    if q.mode == "lazy":
        return min(count, max(1, q.q3.total - 1))
    if q.q4.total > 1:
        return min(count, q.q4.total - 1)
    return min(count, max(1, q.q3.total + q.q4.total - 2))


def steady(q: QueueState, arrival: Arrival, same_size: bool) -> int:
    """Return how many messages may enter a full queue at once, each of which drops one head; 1 where that is unsure.

    They may all enter at once as long as each dropped head comes from q4, only the journal is written, and there is
    neither a reduction, nor a flush of the journal, nor an update of the rates before the last of them.
    """
    new = new_extent(q, arrival)
    if q.mode != "default" or q.q4.total < 2 or (new.persistent and new.home_store):
        return 1
    head = q.q4.first
    count = min(arrival.count, q.q4.total - 1, head.count)
    if head.in_store or (head.expiry_us and head.expiry_us <= q.now_us):
        return 1
    if q.bodies and (head.indexed or new.persistent):
        return 1
    if same_size and head.size_bytes != arrival.size_bytes:
        return 1
    if head.indexed or new.persistent:
        if q.target_ram_count is not None:
            return 1
        count = min(count, (q.settings.queue_index_max_journal_entries - q.index.dirty) // 3)
    counted = q.rates.counters[0] + q.rates.counters[1]
    count = min(count, (UPDATE_ABOVE - counted) // 2, until_reduction(q) - 1)
    return max(1, count)
