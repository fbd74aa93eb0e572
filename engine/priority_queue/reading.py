"""What others may read of a priority queue: sums over its parts, and the head of the highest that has messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.heap import HeapFigures
from engine.backing_queue.measured import IndexLoad, StoreCredit
from engine.backing_queue.message_places import PRIORITY_QUEUE, MessagePlace, register
from engine.backing_queue.plain import PlainQueue
from engine.backing_queue.protocol import BackingQueue
from engine.priority_queue.tags import tagged
from engine.report.transitions.base import Why
from engine.values.extents import Extent
from engine.values.inherit import override
from engine.values.ranges import Range

register(PRIORITY_QUEUE, ())


class PriorityReading(PlainQueue):
    """The part of a priority queue that changes nothing but its clock.

    The members are those of `engine.backing_queue.protocol`, which documents them.
    """

    kind = PRIORITY_QUEUE
    name: str
    durable: bool
    mode: str
    by_number: dict[int, BackingQueue]
    """The parts by their priority, the highest first."""
    priority_of: Callable[[int], int]
    """Returns the priority of the messages of a template, as the queue takes it."""

    @property
    @override
    def parts(self) -> Mapping[str, BackingQueue]:
        """The queues of the priorities by name, the highest first."""
        return {part.name: part for part in self.by_number.values()}

    @property
    @override
    def directories(self) -> tuple[str, ...]:
        return tuple(each for part in self.by_number.values() for each in part.directories)

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    @override
    def now_us(self) -> int:
        return max(part.now_us for part in self.by_number.values())

    @override
    def advance_clock(self, to_us: int) -> None:
        for part in self.by_number.values():
            part.advance_clock(to_us)

    @override
    def pass_time(self, us: int) -> None:
        self.advance_clock(self.now_us + us)

    # --- counts ------------------------------------------------------------------------------------------------------

    @property
    @override
    def heap(self) -> HeapFigures:
        return next(iter(self.by_number.values())).heap

    @property
    @override
    def depth(self) -> int:
        return sum(part.depth for part in self.by_number.values())

    @property
    @override
    def ready_bytes(self) -> int:
        return sum(part.ready_bytes for part in self.by_number.values())

    @property
    @override
    def unacked(self) -> int:
        return sum(part.unacked for part in self.by_number.values())

    @property
    @override
    def ram_bytes(self) -> int:
        return sum(part.ram_bytes for part in self.by_number.values())

    @property
    @override
    def rates(self) -> tuple[float, float, float, float]:
        each = [part.rates for part in self.by_number.values()]
        into, out, acks_in, acks_out = (sum(rates) for rates in zip(*each, strict=True))
        return into, out, acks_in, acks_out

    def counters(self) -> Why:
        """Return what is shown of the whole; the rest is shown of each part."""
        return {
            "len": self.depth,
            "bytes": self.ready_bytes,
            "unacked": self.unacked,
            "ram_bytes": self.ram_bytes,
        }

    @override
    def oldest_message(self) -> int | None:
        each = [part.oldest_message() for part in self.by_number.values()]
        return min((number for number in each if number is not None), default=None)

    @override
    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        for part in self.by_number.values():
            yield from part.entries()

    @override
    def index_load(self) -> IndexLoad:
        each = [part.index_load() for part in self.by_number.values()]
        return IndexLoad(
            sum(load.segments for load in each),
            each[0].segment_entries,
            [record for load in each for record in load.records],
            any(load.buffered for load in each),
            sum(load.more for load in each),
        )

    @override
    def store_references(self) -> list[Range]:
        return [each for part in self.by_number.values() for each in part.store_references()]

    @override
    def store_credit(self) -> Mapping[str, StoreCredit]:
        return self._any.store_credit()

    # --- the head, and how many messages may go one way at once ------------------------------------------------------

    @property
    def _any(self) -> BackingQueue:
        return next(iter(self.by_number.values()))

    @property
    def _head(self) -> BackingQueue:
        """The part whose head is delivered next: the highest priority that has messages."""
        return next((part for part in self.by_number.values() if part.depth), self._any)

    def part_of(self, arrival: Arrival) -> BackingQueue:
        """Return the part that takes new messages."""
        return self.by_number[self.priority_of(arrival.template)]

    @override
    def entry(self, arrival: Arrival) -> Extent:
        return tagged(self.part_of(arrival).entry(arrival), self.priority_of(arrival.template))

    @override
    def unkept(self, arrival: Arrival) -> Extent:
        return self.part_of(arrival).unkept(arrival)

    @override
    def head_extent(self) -> Extent | None:
        return self._head.head_extent()

    @override
    def head_expiry_us(self) -> int:
        return self._head.head_expiry_us()

    @override
    def head_stays(self) -> bool:
        return self._head.head_stays()

    @override
    def unexpired(self, count: int) -> int:
        return self._head.unexpired(min(count, max(1, self._head.depth)))

    @override
    def undisturbed(self, count: int) -> int:
        return self._head.undisturbed(min(count, self._head.depth))

    @override
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head."""
        part = self.part_of(arrival)
        return part.steady(arrival, same_size) if part.depth == self.depth else 1

    # --- looking -----------------------------------------------------------------------------------------------------

    @override
    def snapshot(self) -> dict[str, Any]:
        """Return the whole's state as plain values; the parts have snapshots of their own."""
        return {
            "mode": self.mode,
            "durable": self.durable,
            "lanes": {},
            "counted": {},
            "counters": self.counters(),
            "own": {},
        }

    @override
    def verify(self) -> None:
        for part in self.by_number.values():
            part.verify()
