"""What others may read of a variable queue: see `engine.backing_queue.protocol`, which documents each member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.places import PLACES, VARIABLE_QUEUE, Place
from engine.backing_queue.protocol import BackingQueue, IndexLoad, StoreCredit
from engine.classic_v1.queue import heads
from engine.classic_v1.queue.arrivals import new_extent
from engine.classic_v1.queue.state import QueueState
from engine.values.extents import PERSISTENT, RAW_PERSISTENT, Extent
from engine.values.ranges import Range

LISTED = tuple(place for place in PLACES[VARIABLE_QUEUE] if not place.counted)
[COUNTED] = [place for place in PLACES[VARIABLE_QUEUE] if place.counted]
SIDES = ("persistent", "transient")


class Reading:
    """The part of a variable queue that changes nothing but its clock."""

    places = PLACES[VARIABLE_QUEUE]
    state: QueueState

    @property
    def name(self) -> str:
        """The queue's name."""
        return self.state.name

    @property
    def durable(self) -> bool:
        """Whether it survives a restart (D1)."""
        return self.state.durable

    @property
    def parts(self) -> Mapping[str, BackingQueue]:
        """The queues that it consists of: it is one itself."""
        return {}

    @property
    def directories(self) -> tuple[str, ...]:
        """Where its files are."""
        return (self.state.index.directory,)

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Its clock, in virtual microseconds."""
        return self.state.now_us

    def advance_clock(self, to_us: int) -> None:
        """Set the clock; it never goes back."""
        self.state.now_us = max(self.state.now_us, to_us)

    def pass_time(self, us: int) -> None:
        """Let microseconds pass between two messages of one batch."""
        self.state.now_us += us

    # --- counts ------------------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Ready messages."""
        return self.state.len

    @property
    def ready_bytes(self) -> int:
        """Body bytes of the ready messages."""
        return self.state.bytes

    @property
    def unacked(self) -> int:
        """Messages that were delivered and not acknowledged."""
        return self.state.pending_count

    @property
    def ram_bytes(self) -> int:
        """Body bytes in RAM."""
        return self.state.ram_bytes

    @property
    def rates(self) -> tuple[float, float, float, float]:
        """Messages per second: in, out, acks in, acks out (Q26)."""
        return self.state.rates.all

    def oldest_message(self) -> int | None:
        """Return the lowest message number of those that RAM has entries of, None without any."""
        return self.state.oldest_message()

    def entries(self) -> Iterator[tuple[Place, Extent]]:
        """Yield every entry in RAM with its place."""
        for place in LISTED:
            runs = self.state.extents_of(place.name)
            if runs.total:
                for extent in runs:
                    yield place, extent

    def index_load(self) -> IndexLoad:
        """Return what the index keeps in RAM."""
        index = self.state.index
        records = [
            (slot.count, slot.publish.embedded, slot.publish.size_bytes)
            for slot in index.segments.pending
            if slot.publish is not None
        ]
        return IndexLoad(
            len(index.segments.file_bytes), index.size, records, bool(index.journal.buffered_bytes)
        )

    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that the index files need (S117)."""
        return self.state.index.store_references()

    def store_credit(self) -> Mapping[str, StoreCredit]:
        """Return the credit towards each store by its name (F3, F4)."""
        initial, more = self.state.settings.msg_store_credit_disc_bound
        clients = {side: self.state.client(side) for side in SIDES}
        return {side: StoreCredit(each.credit, initial, more, each.blocked) for side, each in clients.items()}

    # --- the head, and how many messages may go one way at once ------------------------------------------------------

    def entry(self, arrival: Arrival) -> Extent:
        """Return what newly arrived messages would be in this queue (Q1, Q12)."""
        return new_extent(self.state, arrival)

    def unkept(self, arrival: Arrival) -> Extent:
        """Return messages that the queue does not keep as an extent (P8.1, P8.4, Q24)."""
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

    def head_extent(self) -> Extent | None:
        """Return the equal messages at the head; None where their size is known only from a file."""
        return heads.head_extent(self.state)

    def head_expiry_us(self) -> int:
        """Return when the head expires, 0 for never."""
        return heads.head_expiry_us(self.state)

    def head_stays(self) -> bool:
        """Return whether taking the head and putting it back would leave the queue as it is (P9, Q36)."""
        return heads.head_stays(self.state)

    def unexpired(self, count: int) -> int:
        """Return how many of `count` messages may be taken before one that has expired (P10); at least 1."""
        return heads.unexpired(self.state, count)

    def undisturbed(self, count: int) -> int:
        """Return how many of `count` fetches give the same at once as with P10's put-back after each."""
        return heads.undisturbed(self.state, count)

    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head."""
        return heads.steady(self.state, arrival, same_size)

    # --- looking -----------------------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the queue's state as plain values, from its own structures (the fold's counterpart)."""
        q = self.state
        return {
            "mode": q.mode,
            "durable": q.durable,
            "lanes": q.lanes_snapshot(),
            "counted": {COUNTED.name: q.delta},
            "counters": q.counters(),
            "own": {"reduced": q.reduced, "index": q.index.snapshot()},
        }

    def verify(self) -> None:
        """Compare files and tables with one another; raises InvariantBroken at the first difference (S253)."""
        self.state.index.verify()
