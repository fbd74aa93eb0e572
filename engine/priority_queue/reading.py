"""What others may read of a priority queue: sums over its parts, and the head of the highest that has messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.places import PLACES, PRIORITY_QUEUE, Place
from engine.backing_queue.protocol import BackingQueue, IndexLoad, StoreCredit
from engine.priority_queue.tags import tagged
from engine.report.transitions.base import Why
from engine.values.extents import Extent
from engine.values.ranges import Range


class Reading:
    """The part of a priority queue that changes nothing but its clock.

    The members are those of `engine.backing_queue.protocol`, which documents them.
    """

    places: tuple[Place, ...] = PLACES[PRIORITY_QUEUE]
    name: str
    durable: bool
    mode: str
    by_number: dict[int, BackingQueue]
    """The parts by their priority, the highest first."""
    priority_of: Callable[[int], int]
    """Returns the priority of the messages of a template, as the queue takes it."""

    @property
    def parts(self) -> Mapping[str, BackingQueue]:
        """The queues of the priorities by name, the highest first."""
        return {part.name: part for part in self.by_number.values()}

    @property
    def directories(self) -> tuple[str, ...]:
        """Where the files of all parts are."""
        return tuple(each for part in self.by_number.values() for each in part.directories)

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Its clock, in virtual microseconds."""
        return max(part.now_us for part in self.by_number.values())

    def discard(self, arrival: Arrival) -> None:
        """Keep nothing of messages that left at once (Q24)."""

    def advance_clock(self, to_us: int) -> None:
        """Set the clock; it never goes back."""
        for part in self.by_number.values():
            part.advance_clock(to_us)

    def pass_time(self, us: int) -> None:
        """Let microseconds pass between two messages of one batch."""
        self.advance_clock(self.now_us + us)

    # --- counts ------------------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Ready messages."""
        return sum(part.depth for part in self.by_number.values())

    @property
    def ready_bytes(self) -> int:
        """Body bytes of the ready messages."""
        return sum(part.ready_bytes for part in self.by_number.values())

    @property
    def unacked(self) -> int:
        """Messages that were delivered and not acknowledged."""
        return sum(part.unacked for part in self.by_number.values())

    @property
    def ram_bytes(self) -> int:
        """Body bytes in RAM."""
        return sum(part.ram_bytes for part in self.by_number.values())

    @property
    def rates(self) -> tuple[float, float, float, float]:
        """Messages per second: in, out, acks in, acks out (Q26)."""
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

    def oldest_message(self) -> int | None:
        """Return the lowest message number of those that RAM has entries of, None without any."""
        each = [part.oldest_message() for part in self.by_number.values()]
        return min((number for number in each if number is not None), default=None)

    def entries(self) -> Iterator[tuple[Place, Extent]]:
        """Yield every entry in RAM with its place."""
        for part in self.by_number.values():
            yield from part.entries()

    def index_load(self) -> IndexLoad:
        """Return what the indexes keep in RAM."""
        each = [part.index_load() for part in self.by_number.values()]
        return IndexLoad(
            sum(load.segments for load in each),
            each[0].segment_entries,
            [record for load in each for record in load.records],
            any(load.buffered for load in each),
        )

    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that the index files need (S117)."""
        return [each for part in self.by_number.values() for each in part.store_references()]

    def store_credit(self) -> Mapping[str, StoreCredit]:
        """Return the credit towards each store by its name, which all parts share (F3, F4)."""
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

    def entry(self, arrival: Arrival) -> Extent:
        """Return what newly arrived messages would be in this queue (Q1, Q12)."""
        return tagged(self.part_of(arrival).entry(arrival), self.priority_of(arrival.template))

    def unkept(self, arrival: Arrival) -> Extent:
        """Return messages that the queue does not keep as an extent (P8.1, P8.4, Q24)."""
        return self.part_of(arrival).unkept(arrival)

    def head_extent(self) -> Extent | None:
        """Return the equal messages at the head; None where their size is known only from a file."""
        return self._head.head_extent()

    def head_expiry_us(self) -> int:
        """Return when the head expires, 0 for never."""
        return self._head.head_expiry_us()

    def head_stays(self) -> bool:
        """Return whether taking the head and putting it back would leave the queue as it is (P9, Q36)."""
        return self._head.head_stays()

    def unexpired(self, count: int) -> int:
        """Return how many of `count` messages may be taken before one that has expired (P10); at least 1."""
        return self._head.unexpired(min(count, max(1, self._head.depth)))

    def undisturbed(self, count: int) -> int:
        """Return how many of `count` fetches give the same at once as with P10's put-back after each."""
        return self._head.undisturbed(min(count, self._head.depth))

    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head."""
        part = self.part_of(arrival)
        return part.steady(arrival, same_size) if part.depth == self.depth else 1

    # --- looking -----------------------------------------------------------------------------------------------------

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

    def verify(self) -> None:
        """Compare files and tables with one another; raises InvariantBroken at the first difference (S253)."""
        for part in self.by_number.values():
            part.verify()
