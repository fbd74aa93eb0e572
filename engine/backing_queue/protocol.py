"""What a node asks of a queue: the broker's callbacks of a backing queue, and what its process needs to know of it.

A queue begins with `engine.backing_queue.plain.PlainQueue`, which leaves it the verbs of `QueueVerbs` and what others
measure (`MeasuredQueue`), and overrides of the rest what it does differently. `engine.releases` says which release has
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from engine.backing_queue.arrivals import Arrival, TakenMessages
from engine.backing_queue.measured import MeasuredQueue
from engine.backing_queue.terms import CleanTerms
from engine.values.extents import Extent
from engine.values.ranges import Range, RangeSet

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
