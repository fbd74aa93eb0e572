"""What others may read of a variable queue: see `engine.backing_queue.protocol`, which documents each member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.measured import IndexLoad
from engine.backing_queue.message_places import VARIABLE_QUEUE, MessagePlace
from engine.backing_queue.state_queue import StateQueue
from engine.classic_v1.lane_places import PLACES
from engine.classic_v1.queue import heads
from engine.classic_v1.queue.arrivals import alike, new_extent, takes_classes
from engine.classic_v1.queue.state import QueueState
from engine.values.extents import PERSISTENT, RAW_PERSISTENT, Extent
from engine.values.inherit import override
from engine.values.ranges import Range

LISTED = tuple(place for place in PLACES if not place.counted)
[COUNTED] = [place for place in PLACES if place.counted]


class VariableQueueReading(StateQueue[QueueState]):
    """The part of a variable queue that changes nothing but its clock."""

    kind = VARIABLE_QUEUE

    @property
    @override
    def directories(self) -> tuple[str, ...]:
        return (self.state.index.directory,)

    # --- counts ------------------------------------------------------------------------------------------------------

    @override
    def oldest_message(self) -> int | None:
        return self.state.oldest_message()

    @override
    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        for place in LISTED:
            runs = self.state.extents_of(place.name)
            if runs.total:
                for extent in runs:
                    yield place, extent

    @override
    def index_load(self) -> IndexLoad:
        return self.state.index.load()

    @override
    def store_references(self) -> list[Range]:
        return self.state.index.store_references()

    # --- the head, and how many messages may go one way at once ------------------------------------------------------

    @override
    def entry(self, arrival: Arrival) -> Extent:
        return new_extent(self.state, arrival)

    @override
    def takes_each(self) -> bool:
        return takes_classes(self.state)

    @override
    def alike(self, arrival: Arrival) -> int:
        return arrival.count if takes_classes(self.state) else alike(self.state, arrival)

    @override
    def unkept(self, arrival: Arrival) -> Extent:
        flags = 0
        if arrival.raw_persistent:
            flags = RAW_PERSISTENT | (PERSISTENT if self.state.durable else 0)
        return Extent(
            self.state.next_seq_id,
            arrival.count,
            arrival.msg_no,
            arrival.size_bytes,
            flags,
            arrival.expiry_us,
            arrival.template,
        )

    @override
    def head_extent(self) -> Extent | None:
        return heads.head_extent(self.state)

    @override
    def head_expiry_us(self) -> int:
        return heads.head_expiry_us(self.state)

    @override
    def head_stays(self) -> bool:
        return heads.head_stays(self.state)

    @override
    def unexpired(self, count: int) -> int:
        return heads.unexpired(self.state, count)

    @override
    def undisturbed(self, count: int) -> int:
        return heads.undisturbed(self.state, count)

    @override
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head."""
        return heads.steady(self.state, arrival, same_size)

    # --- looking -----------------------------------------------------------------------------------------------------

    @override
    def snapshot(self) -> dict[str, Any]:
        q = self.state
        return {
            "mode": q.mode,
            "durable": q.durable,
            "lanes": q.lanes_snapshot(),
            "counted": {COUNTED.name: q.delta},
            "counters": q.counters(),
            "own": {"reduced": q.reduced, q.index.shown_as: q.index.snapshot()},
        }

    @override
    def verify(self) -> None:
        self.state.index.verify()
