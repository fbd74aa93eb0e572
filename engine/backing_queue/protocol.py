"""A backing queue: the broker's callbacks, and facts that its process needs. A new queue subclasses `BackingQueue`,
implements the members of `QueueVerbs`, and overrides what differs. `engine.releases` says which release has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from engine.backing_queue.heap import MEASURED_3_10, HeapFigures
from engine.backing_queue.message_places import MessagePlace, place_named
from engine.backing_queue.queue_numbers import QueueNumbers
from engine.values.extents import IN_RAM, Extent
from engine.values.marks import override
from engine.values.sizes import Each, at, total
from engine.values.stretches import Range, RangeSet


class Arrival(msgspec.Struct, frozen=True, gc=False):
    """Messages on their way into a queue, with consecutive message numbers and all else equal.

    Args:
        msg_no: number of the first message's id.
        size_bytes: body bytes of each: one number, or a column.
        raw_persistent: the publisher set delivery_mode 2.
        wants_confirm: the queue process asks for a disk-dependent confirm (K1).
        expiry_us: absolute wall-clock microseconds, 0 for never.
        template: exchange, routing key and properties, as registered with the codec.
        sender: the channel that sent them; mirrors keep the channels apart (H20).
        deliveries: for dead letters, how often a delivery failed before they died, else 0 (W42).
    """

    count: int
    msg_no: int
    size_bytes: Each
    raw_persistent: bool = False
    wants_confirm: bool = False
    expiry_us: int = 0
    template: int = 0
    sender: str = ""
    deliveries: int = 0

    @property
    def total_bytes(self) -> int:
        return total(self.size_bytes, self.msg_no, self.count)

    def single(self) -> Arrival:
        """Return the first message alone, with its body bytes as a number."""
        return replace(self, count=1, size_bytes=at(self.size_bytes, self.msg_no))

    def singles(self) -> list[Arrival]:
        """Return each message alone where their bodies differ, else all of them as they are."""
        if isinstance(self.size_bytes, int):
            return [self]
        return [self.part(at, 1).single() for at in range(self.count)]

    def part(self, offset: int, count: int) -> Arrival:
        """Return `count` of the messages beginning at `offset`."""
        return Arrival(
            count,
            self.msg_no + offset,
            self.size_bytes,
            self.raw_persistent,
            self.wants_confirm,
            self.expiry_us,
            self.template,
            self.sender,
            self.deliveries,
        )


DatedArrival = tuple[Arrival, int | None]
"""Messages with the expiration of their own that the publisher gave them, in milliseconds."""


class TakenMessages(msgspec.Struct, frozen=True, gc=False):
    """Messages taken from the head. `extent`: the messages as the queue keeps them now (or kept them last).
    `redelivered`: how many of them, the first ones, carry redelivered = true (Q33). `lane`: the sub-queue
    that they came from.
    """

    extent: Extent
    redelivered: int
    lane: str


class CleanTerms(msgspec.Struct, frozen=True):
    """What a clean stop saves for the next start (Q63, S128).

    Args:
        segments: (segment number, unacked) of every segment the index had; None when they were lost.
        persistent_ref: name of the queue's client at the persistent store; None for a queue that is not durable.
        next_deliver_seq_id: below it everything counts as delivered; redeliver_seq_id in 4.3 (W94).
        deliveries: (first position, how many, times) of messages whose deliveries are counted (W42).
    """

    segments: tuple[tuple[int, int], ...] | None
    next_seq_id: int
    next_deliver_seq_id: int
    persistent_ref: str | None
    persistent_count: int
    persistent_bytes: int
    parts: tuple[CleanTerms | None, ...] = ()
    deliveries: tuple[tuple[int, int, int], ...] = ()

    @property
    def persistent_refs(self) -> list[str]:
        """Names of all its clients at the persistent store."""
        own = [] if self.persistent_ref is None else [self.persistent_ref]
        return own + [ref for each in self.parts if each for ref in each.persistent_refs]


class StoreCredit(msgspec.Struct, frozen=True):
    """A queue's own count of its credit towards one message store (F4). `left`: messages that may be sent;
    None before the first write. `initial`, `more`: the first credit, and that of each grant. `blocked`:
    whether the queue waits for a grant.
    """

    left: int | None
    initial: int
    more: int
    blocked: bool


class IndexLoad(msgspec.Struct, frozen=True):
    """What a queue's index keeps in RAM.

    Args:
        segments: number of segment files.
        records: (count, whether the bodies are embedded, their total bytes) of the journal's publish records.
        buffered: whether records wait in the journal's write buffer.
        more: thousandths of a byte that a generation counts by its own figures.
    """

    segments: int
    segment_entries: int
    records: Sequence[tuple[int, bool, int]]
    buffered: bool
    more: int = 0


Message = tuple[str, Any]
"""A message from a store or an index to its queue: kind and contents, only for `take_message`."""
NeedsTimeout = Literal["no", "timed", "idle"]


class DrainedMailbox(msgspec.Struct, frozen=True):
    """What draining the mailbox did: credit messages applied and rounds of resume."""

    bumps: int
    resumes: int


Contains = Callable[[Range], RangeSet]
"""Returns which of some message numbers the persistent store holds."""
Arrivals = Sequence[Arrival]


class QueueVerbs(Protocol):
    """The members that every queue must implement; `BackingQueue` has the rest. The process sets the clock
    (`advance_clock`) before it calls a verb. The constructor of a queue gets the receiver of its transitions.
    `durable`: whether it survives a restart (D1). `kind`: its name in the tables of places, and of releases.
    """

    name: str
    durable: bool
    kind: str

    # --- beginning and end ------------------------------------------------------------------------------------------
    def start_new(self) -> None:
        """Begin as a queue that never existed."""

    def recover(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains, in_order: bool = False
    ) -> None:
        """Begin on the files that a stop left (Q62, S110).

        Args:
            terms: of a clean stop, None otherwise or for a queue that is not durable.
            store_clean: whether the persistent store recovered cleanly (S206).
            in_order: whether a broker stopped in order and its terms are not readable; marks of deliveries
                are then trusted.
        """

    def terminate(self) -> CleanTerms | None:
        """Stop in order and return the terms for the next start (Q63); None if that will find none (W200, W201)."""

    def delete_and_terminate(self, cause: str = "deleted") -> None:
        """End for good, with all messages and files (Q64)."""

    def kill(self, kind: str = "crash") -> None:
        """End without cleaning up; buffers are lost (D4)."""

    # --- messages in and out ----------------------------------------------------------------------------------------
    def publish(
        self, batch: Arrivals, already_delivered: bool = False, spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        """Publish one after the other, `spacing_us` apart, or all by one call; return the seq_ids (Q20, Q22)."""

    def publish_delivered(self, batch: Arrivals, spacing_us: int = 0, one_call: bool = False) -> Range:
        """Hand messages to a consumer without queueing; return the tags (Q22, Q23). Only for an empty queue."""

    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        """Take up to `count` messages with their bodies, one call each (Q31)."""

    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        """Take up to `count` messages without reading bodies, one call each (Q60)."""

    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        """End acknowledged messages: one call with all tags, or one call for each (Q39)."""

    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        """Read pending messages with their bodies, for dead-lettering, without changing them (Q41)."""

    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        """Put pending messages back: one call with all tags, or one call for each (Q40). `delivery_failed`:
        their channel is gone, so it counts as a failed delivery if the release counts these (W42).
        """

    # --- counts and the head ----------------------------------------------------------------------------------------
    @property
    def depth(self) -> int:
        """Ready messages."""

    @property
    def ready_bytes(self) -> int:
        """Body bytes of the ready messages."""

    @property
    def unacked(self) -> int:
        """Messages that were delivered and not acknowledged."""

    def entry(self, arrival: Arrival) -> Extent:
        """Return the entry that newly arrived messages would have in this queue (Q1, Q12)."""

    def head_extent(self) -> Extent | None:
        """Return the equal messages at the head; None where their size is known only from a file."""

    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        """Yield every entry in RAM with its place."""

    def snapshot(self) -> dict[str, Any]:
        """Return the queue's state as plain values, from its own structures (the fold's counterpart).

        Keys: mode, durable, lanes (extents by the name of each listed place), counted (RAM's record of each
            lane that is only counted, by name), counters, own (further values of this kind of queue).
        """


class BackingQueue(QueueVerbs):
    """One queue with its files, driven by its process. What follows from verbs, entries and head is here, and a usual
    answer to the rest, of a queue of which nothing leaves RAM, that no store or index sends messages, and that has no
    timers; subclasses override what differs.
    """

    queue_version: int | None = None
    """The version of its files, None if the release offers no choice (W2)."""
    _now_us = 0

    def deliveries_of(self, extent: Extent) -> list[tuple[Extent, int]]:
        """Return ready and pending messages, with how often their delivery failed (W42)."""
        return [(extent, 0)]

    @property
    def parts(self) -> Mapping[str, BackingQueue]:
        """Its parts, by the names in their transitions; empty if it has none."""
        return {}

    @property
    def directories(self) -> Sequence[str]:
        return ()

    # --- time --------------------------------------------------------------------------------------------------------
    @property
    def now_us(self) -> int:
        """Its clock, in virtual microseconds; it may run ahead of the node's."""
        return self._now_us

    def advance_clock(self, to_us: int) -> None:
        """Set the clock; it never goes back."""
        self._now_us = max(self._now_us, to_us)

    def pass_time(self, us: int) -> None:
        """Advance the clock by microseconds between two messages of one batch."""
        self._now_us += us

    # --- messages in and out -----------------------------------------------------------------------------------------
    def discard(self, arrival: Arrival) -> None:
        """Keep nothing of messages that left at once (Q24)."""

    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Drop expired messages at the head; return them and when the next one expires (Q58)."""
        return self._while_expired(now_us, lambda count: self.drop(count, ack=False))

    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Fetch expired messages at the head as pending acks; return them and when the next one expires (Q59)."""
        return self._while_expired(now_us, lambda count: self.fetch(count, ack=True))

    def _while_expired(
        self, now_us: int, take: Callable[[int], list[TakenMessages]]
    ) -> tuple[list[TakenMessages], int | None]:
        taken: list[TakenMessages] = []
        head = self.head_extent()
        while head is not None and 0 < head.expiry_us <= now_us:
            taken += take(head.count)
            head = self.head_extent()
        return taken, head.expiry_us if head is not None else None

    def purge(self) -> int:
        """Drop every ready message; return how many (Q61)."""
        count = self.depth
        self.drop(count, ack=False)
        return count

    # --- memory ------------------------------------------------------------------------------------------------------
    def ram_duration(self) -> float | None:
        """Report how many seconds the messages in RAM would last, None for infinity (Q42)."""
        return None

    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        """Turn a duration into a target, and reduce if the target shrank (Q43)."""
        return None

    def set_target(self, count: int | None) -> None:
        """Overwrite the number of messages whose bodies may be in RAM, and reduce once."""

    def set_queue_mode(self, mode: str) -> bool:
        """Convert to "lazy" or "default"; return whether that ever ends (Q55-Q57, V5)."""
        return True

    def set_queue_version(self, version: int) -> None:
        """Convert the files to version 1 or 2, if the release has both (W100)."""

    # --- timers and the mailbox --------------------------------------------------------------------------------------
    def needs_timeout(self) -> NeedsTimeout:
        """Return which timer the process must arm (P1)."""
        return "no"

    def timeout(self) -> None:
        """Sync the journal (P3, S82)."""

    def resume(self) -> None:
        """Reduce now, because there is credit again (Q54)."""

    def pre_hibernate(self) -> None:
        """Flush the index before sleeping (Q65)."""

    def drain_mailbox(self) -> DrainedMailbox:
        """Handle all messages of stores and index, until none is left (K7, F5, Q52)."""
        return DrainedMailbox(0, 0)

    def take_posted(self) -> list[Message]:
        """Return new messages of stores and index, for a process with its own mailbox."""
        return []

    def take_message(self, kind: str, what: Any) -> None:
        """Handle one of these messages (K7, F5, Q52)."""

    def drain_confirmed(self) -> list[Range]:
        """Return and forget the message numbers whose confirms may be sent (K8)."""
        return []

    def let_stores_work_alone(self, alone: bool) -> None:
        """Let the stores run at their own pace, or let them finish at the end of each call (S166)."""

    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        """Do something during which the stores answer at once, after the work in `waiting` is done (Q56)."""
        do()

    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that the index files need (S117)."""
        return []

    # --- the head, and how many messages may go one way at once ------------------------------------------------------
    def unkept(self, arrival: Arrival) -> Extent:
        """Return messages that the queue does not keep as an extent (P8.1, P8.4, Q24)."""
        return self.entry(arrival)

    def head_expiry_us(self) -> int:
        """Return when the head expires, 0 for never; the queue must not be empty."""
        head = self.head_extent()
        return head.expiry_us if head is not None else 0

    def head_stays(self) -> bool:
        """Return whether taking the head and putting it back would leave the queue as it is (P9, Q36)."""
        return not 0 < self.head_expiry_us() <= self.now_us

    def takeable(self, count: int, expiring: bool) -> int:
        """Return how many fetches may go together with the result of P10's put-back after each; at least 1.
        `count`: messages that are wanted. `expiring`: whether messages expire here, so that none behind an
        expired one counts.
        """
        return 1 if expiring else count

    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once if each drops one head; 1 if unsure.
        `same_size`: whether only heads of the arrival's size may be dropped, because bytes are limited.
        """
        return 1

    # --- measured, for monitors and listings -------------------------------------------------------------------------
    @property
    def heap(self) -> HeapFigures:
        """Bytes of RAM that it and each of its messages take."""
        return MEASURED_3_10

    @property
    def ram_bytes(self) -> int:
        return sum(each.total_bytes for _, each in self.entries() if each.flags & IN_RAM)

    @property
    def ram_count(self) -> int:
        return sum(each.count for _, each in self.entries() if each.flags & IN_RAM)

    @property
    def rates(self) -> tuple[float, float, float, float]:
        """Messages per second: in, out, acks in, acks out (Q26)."""
        return (0.0, 0.0, 0.0, 0.0)

    def oldest_message(self) -> int | None:
        """Return the lowest message number of those that RAM has entries of, None without any."""
        return min((each.msg_no for _, each in self.entries()), default=None)

    def index_load(self) -> IndexLoad:
        return IndexLoad(0, 1, [], buffered=False)

    def store_credit(self) -> Mapping[str, StoreCredit]:
        """Return the credit towards each store by its name (F3, F4)."""
        return {}

    def verify(self) -> None:
        """Compare files and tables with one another; raises InvariantBroken at the first difference (S253)."""


class MirrorVerbs(Protocol):
    """What a queue must have besides so that it can be a member of a mirrored one."""

    def purge_acks(self) -> None:
        """Forget every pending ack (Q41)."""

    def fold(self) -> list[tuple[Extent, bool]]:
        """Return every message in seq order with its body, and whether it is unacknowledged; nothing moves (H53)."""


class MirrorableQueue(BackingQueue, MirrorVerbs):
    """A queue that can be a member of a mirrored one."""


S = TypeVar("S", bound=QueueNumbers[Any])


class StateQueue(BackingQueue, Generic[S]):
    """A queue that keeps such a record."""

    state: S

    # --- time --------------------------------------------------------------------------------------------------------
    @property
    @override
    def now_us(self) -> int:
        return self.state.now_us

    @override
    def advance_clock(self, to_us: int) -> None:
        state = self.state
        state.now_us = to_us if to_us > state.now_us else state.now_us

    @override
    def pass_time(self, us: int) -> None:
        self.state.now_us += us

    # --- counts ------------------------------------------------------------------------------------------------------
    @property
    @override
    def ready_bytes(self) -> int:
        return self.state.bytes

    @property
    @override
    def ram_bytes(self) -> int:
        return self.state.ram_bytes

    @property
    @override
    def rates(self) -> tuple[float, float, float, float]:
        return self.state.rates.all

    @override
    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        for name in self.state.lanes:
            place = place_named(name)
            for extent in self.state.extents_of(name):
                yield place, extent

    @override
    def store_credit(self) -> Mapping[str, StoreCredit]:
        accounts = {side: self.state.client(side).account for side in ("persistent", "transient")}
        return {
            side: StoreCredit(each.left, each.initial, each.more, each.blocked)
            for side, each in accounts.items()
        }

    # --- what the stores send ----------------------------------------------------------------------------------------
    @override
    def take_posted(self) -> list[Message]:
        posted = list(self.state.mailbox)
        self.state.mailbox.clear()
        return posted

    @override
    def let_stores_work_alone(self, alone: bool) -> None:
        self.state.stores_alone = alone

    @override
    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        self.state.mailbox.extendleft(reversed(waiting))
        self.let_stores_work_alone(False)
        do()
        self.let_stores_work_alone(True)
