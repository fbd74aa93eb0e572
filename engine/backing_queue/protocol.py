"""What a node asks of a queue: the broker's callbacks of a backing queue, and what its process needs to know of it.

A queue begins with `engine.backing_queue.plain.PlainQueue`, which leaves it the verbs of `QueueVerbs` and what others
measure (`MeasuredQueue`), and overrides of the rest what it does differently. `engine.releases` says which release has
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec
from msgspec.structs import replace

from engine.backing_queue.heap import HeapFigures
from engine.backing_queue.message_places import MessagePlace
from engine.values.each import Each
from engine.values.extents import Extent
from engine.values.sizes import at, total
from engine.values.stretches import Range, RangeSet


class Arrival(msgspec.Struct, frozen=True, gc=False):
    """Messages on their way into a queue: consecutive message numbers, all else equal.

    Args:
        count: number of messages.
        msg_no: number of the first message's id.
        size_bytes: body bytes of each: one number, or a column.
        raw_persistent: the publisher set delivery_mode 2.
        wants_confirm: the queue process asks for a disk-dependent confirm (K1).
        expiry_us: absolute wall-clock microseconds, 0 for never.
        template: exchange, routing key and properties, as registered with the codec.
        sender: the channel that sent them; mirrors keep apart what came from each (H20).
        deliveries: how often delivering them has failed where they died, 0 for messages that never did (W42).
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
        """Body bytes of all messages."""
        return total(self.size_bytes, self.msg_no, self.count)

    def single(self) -> Arrival:
        """Return the first message alone, with its body bytes as a number."""
        return replace(self, count=1, size_bytes=at(self.size_bytes, self.msg_no))

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


class TakenMessages(msgspec.Struct, frozen=True, gc=False):
    """Messages taken from the head.

    Args:
        extent: the messages as the queue keeps them now (or kept them last).
        redelivered: how many of them, the first ones, carry redelivered = true (Q33).
        lane: the sub-queue they came from.
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
        parts: those of the queues that it consists of, which have the other fields then.
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
    """Credit towards one message store, which the queue itself counts (F4).

    Args:
        left: messages that may be sent; None before the first write.
        initial, more: what it begins with, and what each grant gives.
        blocked: whether the queue waits for a grant.
    """

    left: int | None
    initial: int
    more: int
    blocked: bool


class IndexLoad(msgspec.Struct, frozen=True):
    """What a queue's index keeps in RAM.

    Args:
        segments: segment files that it has.
        segment_entries: entries of a segment.
        records: (count, whether the bodies are embedded, their bytes together) of the journal's publish records.
        buffered: whether records wait in the journal's write buffer.
        more: thousandths of a byte of what a generation counts by figures of its own.
    """

    segments: int
    segment_entries: int
    records: Sequence[tuple[int, bool, int]]
    buffered: bool
    more: int = 0


class MeasuredQueue(Protocol):
    """What may be read of a queue at any time; nothing of it changes the queue."""

    @property
    def heap(self) -> HeapFigures:
        """Bytes of RAM that it and each of its messages take."""

    @property
    def ram_bytes(self) -> int:
        """Body bytes in RAM."""

    @property
    def rates(self) -> tuple[float, float, float, float]:
        """Messages per second: in, out, acks in, acks out (Q26)."""

    def oldest_message(self) -> int | None:
        """Return the lowest message number of those that RAM has entries of, None without any."""

    def entries(self) -> Iterator[tuple[MessagePlace, Extent]]:
        """Yield every entry in RAM with its place."""

    def index_load(self) -> IndexLoad:
        """Return what the index keeps in RAM."""

    def store_credit(self) -> Mapping[str, StoreCredit]:
        """Return the credit towards each store by its name (F3, F4)."""

    def snapshot(self) -> dict[str, Any]:
        """Return the queue's state as plain values, from its own structures (the fold's counterpart).

        Keys: mode, durable, lanes (extents by the name of each listed place), counted (what RAM keeps of each lane
        that it only counts, by name), counters, own (what this kind of queue shows besides, by names of its own).
        """

    def verify(self) -> None:
        """Compare files and tables with one another; raises InvariantBroken at the first difference (S253)."""


Message = tuple[str, Any]
"""What a store or an index sent to its queue: kind and contents, only for `take_message`."""
NeedsTimeout = Literal["no", "timed", "idle"]


class DrainedMailbox(msgspec.Struct, frozen=True):
    """What draining the mailbox did: credit messages applied and rounds of resume."""

    bumps: int
    resumes: int


class QueueVerbs(Protocol):
    """What every queue must do itself; `engine.backing_queue.plain` has the rest for a queue of the simplest kind.

    The process sets the clock (`advance_clock`) before it calls a verb. The implementation gets the receiver of its
    transitions when it is made.

    Args:
        name: of the queue.
        durable: whether it survives a restart (D1).
        kind: its name in the tables of places, and of releases.
    """

    name: str
    durable: bool
    kind: str

    # --- beginning and end ------------------------------------------------------------------------------------------

    def start_new(self) -> None:
        """Begin as a queue that never existed."""

    def recover(
        self,
        terms: CleanTerms | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        in_order: bool = False,
    ) -> None:
        """Begin on the files that a stop left (Q62, S110).

        Args:
            terms: of a clean stop, None otherwise or for a queue that is not durable.
            store_clean: whether the persistent store recovered cleanly (S206).
            contains: which of these message numbers the persistent store holds.
            in_order: whether a broker stopped in order whose terms nobody reads; marks of deliveries are believed then.
        """

    def terminate(self) -> CleanTerms | None:
        """Stop in order and return what the next start needs (Q63), None where it will find nothing (W200, W201)."""

    def delete_and_terminate(self, cause: str = "deleted") -> None:
        """End for good, with all messages and files (Q64)."""

    def kill(self, kind: str = "crash") -> None:
        """End without cleaning up; buffers are lost (D4)."""

    # --- messages in and out ----------------------------------------------------------------------------------------

    def publish(self, arrival: Arrival, already_delivered: bool = False, spacing_us: int = 0) -> Range:
        """Publish one after the other, `spacing_us` apart; return the seq_ids (Q20)."""

    def publish_delivered(self, arrival: Arrival, spacing_us: int = 0) -> Range:
        """Hand messages to a consumer without queueing; return the tags (Q23). Only for an empty queue."""

    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        """Take up to `count` messages with their bodies, one call each (Q31)."""

    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        """Take up to `count` messages without reading bodies, one call each (Q60)."""

    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        """End acknowledged messages: one call with all tags, or one call for each (Q39)."""

    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        """Read pending messages with their bodies, as for dead-lettering them, and leave them as they are (Q41)."""

    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        """Put pending messages back: one call with all tags, or one call for each (Q40).

        Args:
            delivery_failed: their channel is gone, so that this counts where deliveries are counted (W42).
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
        """Return what newly arrived messages would be in this queue (Q1, Q12)."""

    def head_extent(self) -> Extent | None:
        """Return the equal messages at the head; None where their size is known only from a file."""


class BackingQueue(QueueVerbs, MeasuredQueue, Protocol):
    """One queue with its files, driven by its process: its verbs, what is measured, and what most queues share."""

    def deliveries_of(self, extent: Extent) -> list[tuple[Extent, int]]:
        """Return messages that are there or pending, with how often delivering them has failed (W42)."""

    @property
    def parts(self) -> Mapping[str, BackingQueue]:
        """The queues that it consists of, by the names in their transitions; empty where it is one itself."""

    @property
    def directories(self) -> Sequence[str]:
        """Where its files are."""

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Its clock, in virtual microseconds; it may run ahead of the node's."""

    def advance_clock(self, to_us: int) -> None:
        """Set the clock; it never goes back."""

    def pass_time(self, us: int) -> None:
        """Let microseconds pass between two messages of one batch."""

    # --- messages in and out -----------------------------------------------------------------------------------------

    def takes_each(self) -> bool:
        """Return whether messages that differ in all but their channel may enter as one step, by `publish_each`."""

    def publish_each(self, arrivals: Sequence[Arrival], spacing_us: int = 0) -> Range:
        """Publish messages that differ, one call each, `spacing_us` apart; return the seq_ids (Q20)."""

    def discard(self, arrival: Arrival) -> None:
        """Keep nothing of messages that left at once (Q24)."""

    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Drop expired messages at the head; return them and when the next one expires (Q58)."""

    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Fetch expired messages at the head as pending acks; return them and when the next one expires (Q59)."""

    def purge(self) -> int:
        """Drop every ready message; return how many (Q61)."""

    # --- memory ------------------------------------------------------------------------------------------------------

    def ram_duration(self) -> float | None:
        """Report how many seconds the messages in RAM would last, None for infinity (Q42)."""

    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        """Turn a wanted duration into a target and reduce if it shrank (Q43)."""

    def set_target(self, count: int | None) -> None:
        """Overwrite the number of messages whose bodies may be in RAM, and reduce once."""

    def set_queue_mode(self, mode: str) -> bool:
        """Convert to "lazy" or "default"; return whether that ever ends (Q55-Q57, V5)."""

    @property
    def queue_version(self) -> int | None:
        """The version of its files, None where a release leaves no choice (W2)."""

    def set_queue_version(self, version: int) -> None:
        """Convert the files to version 1 or 2, where the release has both (W100)."""

    # --- timers and the mailbox --------------------------------------------------------------------------------------

    def needs_timeout(self) -> NeedsTimeout:
        """Return which timer the process must arm (P1)."""

    def timeout(self) -> None:
        """Sync the journal (P3, S82)."""

    def resume(self) -> None:
        """Reduce now: there is credit again (Q54)."""

    def pre_hibernate(self) -> None:
        """Flush the index before sleeping (Q65)."""

    def drain_mailbox(self) -> DrainedMailbox:
        """Handle everything that stores and index sent, until quiet (K7, F5, Q52)."""

    def take_posted(self) -> list[Message]:
        """Return what stores and index sent since, for a process with a mailbox of its own."""

    def take_message(self, kind: str, what: Any) -> None:
        """Handle one message of those (K7, F5, Q52)."""

    def drain_confirmed(self) -> list[Range]:
        """Hand over the message numbers whose confirms may be sent (K8)."""

    def let_stores_work_alone(self, alone: bool) -> None:
        """Let the stores go on at their own pace, or let them finish whenever a call ends (S166)."""

    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        """Do something for which the stores answer without delay, once what `waiting` names is done (Q56)."""

    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that the index files need (S117)."""

    # --- the head, and how many messages may go one way at once ------------------------------------------------------

    def unkept(self, arrival: Arrival) -> Extent:
        """Return messages that the queue does not keep as an extent (P8.1, P8.4, Q24)."""

    def alike(self, arrival: Arrival) -> int:
        """Return how many of newly arrived messages, whose bodies differ, may enter at once; 1 is always right."""

    def head_expiry_us(self) -> int:
        """Return when the head expires, 0 for never; only for a queue that is not empty."""

    def head_stays(self) -> bool:
        """Return whether taking the head and putting it back would leave the queue as it is (P9, Q36)."""

    def unexpired(self, count: int) -> int:
        """Return how many of `count` messages may be taken before one that has expired (P10); at least 1."""

    def undisturbed(self, count: int) -> int:
        """Return how many of `count` fetches, the first at least, give the same at once as with P10's put-backs."""

    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head; 1 where unsure.

        Args:
            arrival: what enters.
            same_size: whether only heads of the arrival's size may go, because bytes are limited.
        """


class MirrorableQueue(BackingQueue, Protocol):
    """A queue that can be a member of a mirrored one."""

    def batch_publish(self, arrivals: Sequence[Arrival], already_delivered: bool = False) -> Range:
        """Publish as one call; return the seq_ids (Q22)."""

    def batch_publish_delivered(self, arrivals: Sequence[Arrival]) -> Range:
        """Hand messages to consumers as one call; return the tags (Q22, Q23)."""

    def purge_acks(self) -> None:
        """Forget every pending ack (Q41)."""

    def fold(self) -> list[tuple[Extent, bool]]:
        """Return every message in seq order with its body, and whether it is unacknowledged; nothing moves (H53)."""
