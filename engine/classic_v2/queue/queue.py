"""The backing-queue door of version 2: one queue with verbs named as the broker's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from engine.backing_queue.arrivals import Arrival, TakenMessages
from engine.backing_queue.protocol import DrainedMailbox, NeedsTimeout
from engine.backing_queue.queue_config import as_it_is
from engine.backing_queue.terms import CleanTerms
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.index import V2Index
from engine.classic_v2.queue import confirms, lifecycle, pending, publish, taking
from engine.classic_v2.queue.reading import V2Reading
from engine.classic_v2.queue.state import V2QueueState
from engine.classic_v2.queue_store import QueueStore
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store import SharedStore, V2ClientAccount
from engine.classic_v2.store.server import unreported
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.extents import Extent
from engine.values.inherit import override
from engine.values.ranges import Range, RangeSet


class V2Means(msgspec.Struct, frozen=True, kw_only=True):
    """Everything from which a blank queue is made.

    Args:
        name, durable, arguments: as declared.
        vhost: name of the virtual host.
        settings, codec: of the virtual host.
        storage, directory: where the queue's own files are.
        persistent, transient: the shared stores of the virtual host, which run already.
        ref: name of the queue at the stores.
        emit: receives every transition.
        as_read: what messages of a shared store are that the index names after a start: with all that they carry.
        settle: lets the stores handle what was sent; called where a call of the broker's interface ends.
        accounts: the credit towards each store that it shares with other queues of its process; its own without them.
        resource: what the broker calls the queue in its files, where that is not its name.
    """

    name: str
    durable: bool
    arguments: Mapping[str, Any] = {}
    vhost: str
    settings: V2Settings
    codec: McCodec
    storage: Storage
    directory: str
    persistent: SharedStore
    transient: SharedStore
    ref: str
    emit: Callable[[Transition], None] = unreported
    as_read: Callable[[Extent], Sequence[Extent]] = as_it_is
    settle: Callable[[], None]
    accounts: Mapping[str, V2ClientAccount] = {}
    resource: bytes | None = None


class ClassicQueueV2(V2Reading):
    """One classic queue of version 2 on its own files and its clients of two shared stores.

    The owner sets its clock before it calls a verb. After every verb the broker's invariants are checked and the
    record's changed numbers are emitted.

    Args:
        means: what it is made of.
    """

    def __init__(self, means: V2Means) -> None:
        store = QueueStore(
            means.directory, means.storage, means.codec, means.settings, means.name, means.emit
        )
        called = means.name.encode() if means.resource is None else means.resource
        stub = b"VHOST: %s\nQUEUE: %s\nINDEX: v2\n" % (means.vhost.encode(), called)
        self.name, self.durable = means.name, means.durable
        self.state = V2QueueState(
            name=means.name,
            durable=means.durable,
            settings=means.settings,
            codec=means.codec,
            index=V2Index(
                means.directory, means.storage, means.codec, means.settings, store, stub, means.as_read
            ),
            store=store,
            persistent=means.persistent.client(
                means.ref,
                self._on_disk,
                partial(self._on_credit, "persistent"),
                account=means.accounts.get("persistent"),
                stays=means.durable,
            ),
            transient=means.transient.client(
                means.ref,
                None,
                partial(self._on_credit, "transient"),
                account=means.accounts.get("transient"),
            ),
            emit=means.emit,
            settle=means.settle,
        )

    # --- beginning and end -------------------------------------------------------------------------------------------

    @override
    def start_new(self) -> None:
        """Begin as a queue that never existed (W80)."""
        lifecycle.start_new(self.state)

    @override
    def recover(
        self,
        terms: CleanTerms | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        in_order: bool = False,
    ) -> None:
        """Begin on the files that a stop left (W96, W97); `in_order` says nothing: there are no marks to believe."""
        lifecycle.start_again(self.state, terms, store_clean, contains)
        self._done()

    @override
    def terminate(self) -> CleanTerms | None:
        """Stop in order and return what the next start needs, None where it will find nothing (W95, W200, W201)."""
        return lifecycle.terminate(self.state)

    @override
    def delete_and_terminate(self, cause: str = "deleted") -> None:
        """End for good, with all messages and files (W57)."""
        lifecycle.delete(self.state, cause)

    @override
    def kill(self, kind: str = "crash") -> None:
        lifecycle.kill(self.state, kind)

    # --- messages in and out -----------------------------------------------------------------------------------------

    @override
    def publish(self, arrival: Arrival, already_delivered: bool = False, spacing_us: int = 0) -> Range:
        """Publish one after the other, `spacing_us` apart; return the positions (W33)."""
        found = publish.publish(self.state, (arrival,), already_delivered, spacing_us)
        self._done()
        return found

    @override
    def publish_each(self, arrivals: Sequence[Arrival], spacing_us: int = 0) -> Range:
        """Publish messages that differ, `spacing_us` apart; return the positions (W33)."""
        found = publish.publish(self.state, arrivals, False, spacing_us)
        self._done()
        return found

    @override
    def publish_delivered(self, arrival: Arrival, spacing_us: int = 0) -> Range:
        """Hand messages to a consumer without queueing; return the tags (W37)."""
        found = publish.publish_delivered(self.state, arrival, spacing_us)
        self._done()
        return found

    @override
    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        """Take up to `count` messages with their bodies, one call each (W43)."""
        taken = taking.fetch(self.state, count, ack, True, spacing_us)
        self._done()
        return taken

    @override
    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        """Take up to `count` messages without reading bodies, one call each (W47)."""
        taken = taking.fetch(self.state, count, ack, False, 0)
        self._done()
        return taken

    @override
    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        """End acknowledged messages: one call with all tags, or one call for each (W50, W51)."""
        found = pending.ack(self.state, tags, multiple)
        self._done()
        return found

    @override
    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        """Read pending messages with their bodies, and leave them as they are (Q41)."""
        found = pending.ackfold(self.state, tags, delivery_failed)
        self._done()
        return found

    @override
    def deliveries_of(self, extent: Extent) -> list[tuple[Extent, int]]:
        """Return messages with how often delivering them has failed (W42)."""
        if not self.state.settings.counts_deliveries:
            return [(extent, 0)]
        found, done = [], 0
        for times, count in taking.times_delivered(self.state, extent.start, extent.count):
            found.append((extent.part(done, count), times))
            done += count
        return found

    @override
    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        """Put pending messages back: one call with all tags, or one call for each (W55)."""
        found = pending.requeue(self.state, tags, multiple, delivery_failed)
        self._done()
        return found

    @override
    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Drop expired messages at the head (W47)."""
        found = taking.dropwhile(self.state, now_us)
        self._done()
        return found

    @override
    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        """Fetch expired messages at the head as pending ones (W47)."""
        found = taking.fetchwhile(self.state, now_us)
        self._done()
        return found

    @override
    def purge(self) -> int:
        """Drop every ready message; return how many (W56)."""
        count = taking.purge(self.state)
        self._done()
        return count

    def fold(self) -> list[tuple[Extent, bool]]:
        """Return every message with whether it is pending, for whoever counts what is left; nothing is reported.

        Left-over transient messages do not count: the load that meets them drops them (W97).
        """
        q = self.state
        found = [(extent, False) for extent in q.head]
        found += [(extent, True) for place in (q.ram_pending, q.disk_pending) for extent in place]
        if q.tail.start is not None and q.tail.end is not None:
            listed = q.index.listed(q.tail.start, q.tail.end)
            found += [
                (each, False) for each in listed if each.persistent or each.start >= q.transient_threshold
            ]
        return found

    def purge_acks(self) -> None:
        """Forget every pending ack (Q41)."""
        pending.purge_acks(self.state)
        self._done()

    @override
    def discard(self, arrival: Arrival) -> None:
        """Keep nothing of messages that left at once (Q24)."""

    # --- memory ------------------------------------------------------------------------------------------------------

    @override
    def ram_duration(self) -> float | None:
        """Compute the rates, as the process does every five seconds; there is no RAM duration any more (W36, W70)."""
        self.state.rates.update(self.state.now_us)
        self._done()
        return None

    @override
    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        """Take no notice: nothing is paged (W70)."""
        return None

    @override
    def set_target(self, count: int | None) -> None:
        """Take no notice: there is no target (W70)."""

    @override
    def set_queue_mode(self, mode: str) -> bool:
        """Take no notice: a mode has no effect (W39)."""
        return True

    # --- timers and the mailbox --------------------------------------------------------------------------------------

    @override
    def timeout(self) -> None:
        """Sync (W62, W63)."""
        confirms.sync(self.state)
        self._done()

    resume = timeout
    """A grant of credit is answered with a sync (W58)."""
    pre_hibernate = timeout
    """Before it sleeps the queue syncs (W58)."""

    @override
    def needs_timeout(self) -> NeedsTimeout:
        """Return which timer the process must arm (W63)."""
        return "timed" if self.state.index.confirms or self.state.unconfirmed_simple else "no"

    @override
    def drain_mailbox(self) -> DrainedMailbox:
        """Apply callbacks and credit in order; each grant is followed by a resume (K7, F5)."""
        q = self.state
        bumps = 0
        q.settle()
        while q.mailbox:
            kind, what = q.mailbox.popleft()
            if self._handle(kind, what):
                bumps += 1
                self.resume()
            q.settle()
        self._done()
        return DrainedMailbox(bumps, bumps)

    @override
    def drain_confirmed(self) -> list[Range]:
        found = confirms.drain(self.state)
        self._done()
        return found

    @override
    def take_message(self, kind: str, what: Any) -> None:
        """Handle one message of the mailbox, as a process with a mailbox of its own does (K7, F5).

        Args:
            kind, what: as `take_posted` returned them.
        """
        if self._handle(kind, what):
            self.resume()
        self._done()

    def _done(self) -> None:
        """End a verb: check the invariants, then report the numbers that changed."""
        self.state.check()
        self.state.report()

    def _handle(self, kind: str, what: Any) -> bool:
        """Apply one message; return whether the queue must resume afterwards."""
        q = self.state
        if kind == "stored":
            confirms.stored(q, what)
            return False
        side, amount = what
        (q.persistent if side == "persistent" else q.transient).grant(amount)
        return True

    def _on_disk(self, messages: RangeSet) -> None:
        self.state.mailbox.append(("stored", messages))

    def _on_credit(self, side: str, amount: int) -> None:
        self.state.mailbox.append(("credit", (side, amount)))
