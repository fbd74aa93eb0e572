"""The entry that an arrival becomes."""

from __future__ import annotations

from engine.backing_queue.arrivals import Arrival
from engine.classic_v1.queue.state import QueueState
from engine.values.extents import HOME_STORE, IN_RAM, PERSISTENT, RAW_PERSISTENT, WANTS_CONFIRM, Extent


def alike(q: QueueState, arrival: Arrival) -> int:
    """Return how many of the arrivals, from the first on, have the same home."""
    sizes = arrival.size_bytes
    if isinstance(sizes, int):
        return arrival.count
    border = q.settings.queue_index_embed_msgs_below - q.codec.estimated_bytes(arrival.template)
    return sizes.alike(arrival.msg_no, arrival.count, border)


def new_extent(q: QueueState, arrival: Arrival) -> Extent:
    """Make the entries for newly arrived messages, all with one home (Q1, Q12)."""
    flags = IN_RAM
    if arrival.raw_persistent:
        flags |= RAW_PERSISTENT | (PERSISTENT if q.durable else 0)
    if arrival.wants_confirm:
        flags |= WANTS_CONFIRM
    size = arrival.size_bytes
    first = size if isinstance(size, int) else size.at(arrival.msg_no)
    if first + q.codec.estimated_bytes(arrival.template) >= q.settings.queue_index_embed_msgs_below:
        flags |= HOME_STORE
    return Extent(
        q.next_seq_id, arrival.count, arrival.msg_no, size, flags, arrival.expiry_us, arrival.template
    )
