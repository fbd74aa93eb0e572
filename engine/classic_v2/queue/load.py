"""What the buffers and caches of a queue of version 2 keep in RAM."""

from __future__ import annotations

from collections.abc import Iterator

from engine.backing_queue.heap import BODY_PER_BYTE
from engine.backing_queue.measured import IndexLoad
from engine.classic_v2.heap import BODY_ITEM, INDEX_ITEM_OWN, INDEX_ITEM_SHARED
from engine.classic_v2.queue.state import LANES, V2QueueState
from engine.values.extents import IN_RAM, Extent
from engine.values.ranges import Range, RangeSet


def load_of(q: V2QueueState) -> IndexLoad:
    """Return what the buffers and caches of the index and of `.qs` keep in RAM (W86, W89, W114).

    A body that the head lane or a consumer has in RAM too is counted there; one whose message is gone counts nothing.
    """
    index, store = q.index, q.store
    more = 0
    for each in (*index.buffer, *index.cache):
        for extent in index.entries.overlapping(each.start, each.count):
            more += extent.count * (INDEX_ITEM_SHARED if extent.home_store else INDEX_ITEM_OWN)
    bodies = RangeSet(store.cache)
    bodies.update(Range(each.start, each.count) for each in store.buffer)
    more += BODY_ITEM * len(bodies)
    if bodies:
        bodies.subtract(Range(each.start, each.count) for each in _in_ram(q))
    for each in bodies:
        for place in store.places.overlapping(each.start, each.count):
            more += BODY_PER_BYTE * place.waiting_bytes
    return IndexLoad(0, 1, [], buffered=False, more=more)


def _in_ram(q: V2QueueState) -> Iterator[Extent]:
    return (each for lane in LANES for each in q.extents_of(lane) if each.flags & IN_RAM)
