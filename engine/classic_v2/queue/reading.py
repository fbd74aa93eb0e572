"""What others may read of a queue of version 2: see `engine.backing_queue.protocol`, which documents each member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.heap import HeapFigures
from engine.backing_queue.measured import IndexLoad
from engine.backing_queue.message_places import CLASSIC_V2, MessagePlace
from engine.backing_queue.state_queue import StateQueue
from engine.classic_v2.heap import FIGURES
from engine.classic_v2.index.references import references
from engine.classic_v2.lane_places import PLACES
from engine.classic_v2.queue import heads
from engine.classic_v2.queue.load import load_of
from engine.classic_v2.queue.publish import new_extents
from engine.classic_v2.queue.state import LANES, V2QueueState
from engine.values.errors import InvariantBroken
from engine.values.extents import IN_RAM, WANTS_CONFIRM, Extent
from engine.values.inherit import override
from engine.values.ranges import Range

LISTED = tuple(place for place in PLACES if not place.counted)


class V2Reading(StateQueue[V2QueueState]):
    """The part of a queue of version 2 that changes nothing but its clock."""

    kind = CLASSIC_V2

    @property
    @override
    def heap(self) -> HeapFigures:
        return FIGURES

    @property
    @override
    def directories(self) -> tuple[str, ...]:
        return (self.state.index.directory,)

    # --- counts ------------------------------------------------------------------------------------------------------

    @override
    def oldest_message(self) -> int | None:
        runs = [self.state.extents_of(place) for place in LANES]
        runs.append(self.state.index.entries)
        return min((extent.msg_no for each in runs for extent in each), default=None)

    @override
    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        for place in LISTED:
            for extent in self.state.extents_of(place.name):
                yield place, extent

    @override
    def index_load(self) -> IndexLoad:
        return load_of(self.state)

    @override
    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that the index files need (W99)."""
        index = self.state.index
        return list(references(index.storage, index.directory, index.codec, index.settings))

    # --- the head, and how many messages may go one way at once ------------------------------------------------------

    @override
    def entry(self, arrival: Arrival) -> Extent:
        """Return what newly arrived messages would be in this queue (W30, W31)."""
        return new_extents(self.state, (arrival.part(0, 1),))[0].merged(arrival.count)

    @override
    def unkept(self, arrival: Arrival) -> Extent:
        return self.entry(arrival).with_flags(clear=IN_RAM | WANTS_CONFIRM)

    @override
    def takes_each(self) -> bool:
        """Return that messages which differ may enter as one step."""
        return True

    @override
    def alike(self, arrival: Arrival) -> int:
        """Return how many of newly arrived messages, whose bodies differ, may enter at once: all."""
        return arrival.count

    @override
    def head_extent(self) -> Extent | None:
        """Return the equal messages at the head; None where they are in the tail alone."""
        return heads.head_extent(self.state)

    @override
    def head_expiry_us(self) -> int:
        """Return when the head expires, 0 for never."""
        return heads.head_expiry_us(self.state)

    @override
    def head_stays(self) -> bool:
        """Return whether taking the head and putting it back would leave the queue as it is (W40, W47)."""
        return heads.head_stays(self.state)

    @override
    def unexpired(self, count: int) -> int:
        """Return how many of `count` messages may be taken before one that has expired; at least 1."""
        return heads.unexpired(self.state, count)

    @override
    def undisturbed(self, count: int) -> int:
        """Return how many of `count` fetches give the same at once as with a look at the head after each: all.

        The look loads what the next fetch would load, and marks what it would mark (W40, W47).
        """
        return count

    @override
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head: one."""
        return 1

    # --- looking -----------------------------------------------------------------------------------------------------

    @override
    def snapshot(self) -> dict[str, Any]:
        """Return the queue's state as plain values, from its own structures (the fold's counterpart)."""
        q = self.state
        return {
            "mode": "default",
            "durable": q.durable,
            "lanes": {place: list(q.extents_of(place)) for place in LANES},
            "counted": {"tail": q.tail},
            "counters": q.counters(),
            "own": {"files": q.index.snapshot()},
        }

    @override
    def verify(self) -> None:
        """Compare tables with one another; raises InvariantBroken at the first difference (S253)."""
        q = self.state
        q.check()
        index = q.index
        live = dict.fromkeys(index.segments, 0)
        for extent in index.entries:
            at = extent.start
            while at < extent.end:
                end = min(extent.end, index.settings.boundary(at))
                live[index.settings.segment_of(at)] += end - at
                at = end
        for segment, count in index.segments.items():
            if segment not in index.unread and live[segment] != count:
                raise InvariantBroken(
                    f"segment {segment} has {live[segment]} live messages, not {count} (W91)"
                )
        waiting = sum(each.place.waiting_bytes for each in q.store.buffer)
        if waiting != q.store.buffer_bytes:
            raise InvariantBroken(f"{waiting} bytes wait for .qs, not {q.store.buffer_bytes} (W114)")
