"""The entry that an arrival becomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.backing_queue.arrivals import Arrival
from engine.classic_v1.queue.state import QueueState
from engine.values.extents import HOME_STORE, IN_RAM, PERSISTENT, RAW_PERSISTENT, WANTS_CONFIRM, Extent


def border_of(q: QueueState, template: int) -> int:
    """Return from how many body bytes on a message belongs to a store (Q12)."""
    return q.settings.queue_index_embed_msgs_below - q.codec.estimated_bytes(template)


def alike(q: QueueState, arrival: Arrival) -> int:
    """Return how many of the arrivals, from the first on, have the same home."""
    sizes = arrival.size_bytes
    if isinstance(sizes, int):
        return arrival.count
    return sizes.alike(arrival.msg_no, arrival.count, border_of(q, arrival.template))


def homes(q: QueueState, arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
    """Yield the same messages, as many at once as have the same home."""
    for arrival in arrivals:
        done = 0
        while done < arrival.count:
            rest = arrival.part(done, arrival.count - done) if done else arrival
            count = alike(q, rest)
            yield rest if count == rest.count else rest.part(0, count)
            done += count


def takes_classes(q: QueueState) -> bool:
    """Return whether messages of several homes and modes go one way at once: in files of version 1, by late rules."""
    return q.mode == "default" and q.index.bodies is None and not q.settings.flags_deliveries


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
