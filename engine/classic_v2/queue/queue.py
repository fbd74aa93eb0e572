"""The backing-queue door of version 2: one queue with verbs named as the broker's callbacks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from engine.backing_queue.heap import BODY_PER_BYTE, HeapFigures
from engine.backing_queue.message_places import CLASSIC_V2
from engine.backing_queue.protocol import (
    Arrival,
    Arrivals,
    CleanTerms,
    Contains,
    DrainedMailbox,
    IndexLoad,
    NeedsTimeout,
    StateQueue,
    TakenMessages,
)
from engine.classic_v2.heap import BODY_ITEM, FIGURES, INDEX_ITEM_OWN, INDEX_ITEM_SHARED
from engine.classic_v2.index.index import V2Index
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue import pending, taking
from engine.classic_v2.queue.state import (
    COUNTERS,
    LANES,
    PENDING,
    UNTAKEN,
    DeliveryCounts,
    V2Means,
    V2QueueState,
    sync,
)
from engine.classic_v2.queue.taking import asserted, load, new_extents, remove_shared
from engine.classic_v2.queue_store import QueueStore
from engine.formats.names import queue_name_text
from engine.report.transitions.base import Why
from engine.report.transitions.queue import CountersChanged, QueueStopped
from engine.values.errors import InvariantBroken, ProcessCrashed
from engine.values.extents import BLANK, IN_RAM, WANTS_CONFIRM, DeltaExtent, Extent, unexpired
from engine.values.marks import override
from engine.values.stretches import Range, RangeSet


def begin_on_index(q: V2QueueState, terms: CleanTerms | None, count: int | None, size_bytes: int) -> None:
    """Begin on an index that knows its segments. `terms`: of a clean stop, None otherwise. `count`,
    `size_bytes`: the survivors of a dirty start and their bytes; None where the terms have them.
    """
    low, high = q.index.bounds(None if terms is None else terms.next_seq_id)
    found = count or 0
    if terms is not None:
        q.next_seq_id, q.redeliver_seq_id = terms.next_seq_id, terms.next_deliver_seq_id
        found, size_bytes = terms.persistent_count, terms.persistent_bytes
        for each in terms.deliveries:
            q.deliveries.insert(DeliveryCounts(*each))
    else:
        q.next_seq_id = q.redeliver_seq_id = high
    q.tail = (
        BLANK if count is not None and not found else asserted(q, DeltaExtent(low, found, 0, q.next_seq_id))
    )
    q.transient_threshold = q.next_seq_id
    q.persistent_count = found
    q.bytes = q.persistent_bytes = size_bytes
    q.begin("W97" if terms is None else "W96", "default", q.tail)
    load(q, 1)


R = TypeVar("R")


class ClassicQueueV2(StateQueue[V2QueueState]):
    """One classic queue of version 2 on its own files and its clients of two shared stores. After every verb the
    broker's invariants are checked and the record's changed numbers are emitted. `means`: what it is made of.
    """

    kind = CLASSIC_V2

    def __init__(self, means: V2Means) -> None:
        store = QueueStore(
            means.directory, means.storage, means.codec, means.settings, means.name, means.emit
        )
        stub = queue_name_text(means.codec.vhost, means.resource or means.name.encode(), version=2)
        self.name, self.durable = means.name, means.durable
        self.state = V2QueueState(
            means,
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
        )

    @property
    @override
    def heap(self) -> HeapFigures:
        return FIGURES

    @property
    @override
    def directories(self) -> tuple[str, ...]:
        return (self.state.index.directory,)

    # --- counts ------------------------------------------------------------------------------------------------------
    @property
    @override
    def depth(self) -> int:
        return self.state.len

    @property
    @override
    def unacked(self) -> int:
        return self.state.ram_pending.total + self.state.disk_pending.total

    @override
    def oldest_message(self) -> int | None:
        runs = [self.state.extents_of(place) for place in LANES]
        runs.append(self.state.index.entries)
        return min((extent.msg_no for each in runs for extent in each), default=None)

    @override
    def index_load(self) -> IndexLoad:
        """Return what the buffers and caches of the index and of `.qs` keep in RAM (W86, W89, W114). A body that the
        head lane or a consumer has in RAM too is counted there; one whose message is gone counts nothing.
        """
        q, index, store = self.state, self.state.index, self.state.store
        more = 0
        for each in (*index.buffer, *index.cache):
            for extent in index.entries.overlapping(each.start, each.count):
                more += extent.count * (INDEX_ITEM_SHARED if extent.home_store else INDEX_ITEM_OWN)
        bodies = RangeSet(store.cache).update(store.buffer)
        more += BODY_ITEM * len(bodies)
        for lane in LANES if bodies else ():
            bodies.subtract(each for each in q.extents_of(lane) if each.flags & IN_RAM)
        for each in bodies:
            for place in store.places.overlapping(each.start, each.count):
                more += BODY_PER_BYTE * place.waiting_bytes
        return IndexLoad(0, 1, [], buffered=False, more=more)

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
    def head_extent(self) -> Extent | None:
        """Return the equal messages at the head; None where they are in the tail alone."""
        head = self.state.head
        return head.first if head.total else None

    @override
    def head_stays(self) -> bool:
        """Return whether a pass of drop_expired would leave the queue as it is (W40, W47). That is so when
        nothing is loaded for it, the head does not expire, and it has the mark of a take already.
        """
        q = self.state
        if not q.head.total:
            return False
        head = q.head.first
        return not (head.flags & UNTAKEN or 0 < head.expiry_us <= q.now_us)

    @override
    def takeable(self, count: int, expiring: bool) -> int:
        """Return how many of `count` fetches give the same at once as with a look at the head after each:
        all. The look loads what the next fetch would load, and marks what it would mark (W40, W47). Whether a
        message expires is known of the head lane alone: what is in the tail has to be loaded first.
        """
        return unexpired(self.state.head, count, self.state.now_us) if expiring else count

    # --- looking -----------------------------------------------------------------------------------------------------
    @override
    def snapshot(self) -> dict[str, Any]:
        """Return the queue's state as plain values, from its own structures (the fold's counterpart)."""
        q = self.state
        return {
            "mode": "default",
            "durable": q.durable,
            "lanes": q.lanes_snapshot(),
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
            for segment, _, count in index.settings.by_segment(extent.start, extent.count):
                live[segment] += count
        for segment, count in index.segments.items():
            if segment not in index.unread and live[segment] != count:
                raise InvariantBroken(
                    f"segment {segment} has {live[segment]} live messages, not {count} (W91)"
                )
        waiting = sum(each.place.waiting_bytes for each in q.store.buffer)
        if waiting != q.store.buffer_bytes:
            raise InvariantBroken(f"{waiting} bytes wait for .qs, not {q.store.buffer_bytes} (W114)")

    # --- beginning and end -------------------------------------------------------------------------------------------
    @override
    def start_new(self) -> None:
        self.state.index.begin()
        self.state.index.report_files("W80", clean=True)
        self.state.begin("W80", "default", self.state.tail)

    @override
    def recover(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains, in_order: bool = False
    ) -> None:
        """Begin on the files that a stop left (W96, W97, W206); `in_order` says nothing: there are no marks to
        believe.
        """
        q = self.state
        count: int | None = None
        size_bytes = 0
        if terms is not None and store_clean:
            q.index.start_again(terms.segments or ())
        else:
            count, size_bytes = q.index.recover(contains)
        begin_on_index(q, terms, count, size_bytes)
        self._done(None)

    @override
    def terminate(self) -> CleanTerms | None:
        """Stop in order (W95). None where there are no terms: the index crashed, so that the `.qs` buffer is lost
        too (W200), or they are stored under a name that the next start does not look for (W201).
        """
        q = self.state
        transient = [extent for extent in pending.pending_extents(q) if not extent.persistent]
        for place in PENDING:
            q.extents_of(place).clear()
        remove_shared(q, transient)
        q.persistent.terminate()
        q.transient.delete()
        segments = None
        try:
            segments = q.index.terminate()
        except ProcessCrashed:
            q.index_crashed = True
        if segments is not None:
            q.store.terminate()
        q.emit(QueueStopped("W95", q.name, "clean"))
        if segments is None or (q.purged and q.settings.purge_loses_terms):
            return None
        return CleanTerms(
            segments,
            q.next_seq_id,
            q.redeliver_seq_id,
            q.persistent.ref if q.durable else None,
            q.persistent_count,
            q.persistent_bytes,
            deliveries=tuple((each.start, each.count, each.times) for each in q.deliveries),
        )

    @override
    def delete_and_terminate(self, cause: str = "deleted") -> None:
        """End for good: ready messages, then pending ones, the directory and the clients of both stores go (W57)."""
        q = self.state
        taking.drop_ready(q, acknowledge=False)
        waiting = pending.pending_extents(q)
        pending.forget_pending(q)
        pending.remove_together(q, waiting, acknowledge=False)
        q.store.terminate()
        q.index.delete()
        q.persistent.delete()
        q.transient.delete()
        q.emit(QueueStopped("W57", q.name, cause))

    @override
    def kill(self, kind: str = "crash") -> None:
        """End the process at once: what it only buffered is lost (D4). `kind`: crash, kill or power, or
        kill_in_flush for a kill between the index's write and that of `.qs` (W62).
        """
        q = self.state
        if kind == "kill_in_flush":
            q.index.flush()
        q.persistent.kill()
        q.transient.kill()
        q.emit(QueueStopped("D4", q.name, kind))

    # --- messages in and out -----------------------------------------------------------------------------------------
    @override
    def publish(
        self, batch: Arrivals, already_delivered: bool = False, spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        """Publish one after the other, `spacing_us` apart; return the positions (W33). No queue of 4.x is mirrored."""
        return self._done(taking.publish(self.state, batch, already_delivered, spacing_us))

    @override
    def publish_delivered(self, batch: Arrivals, spacing_us: int = 0, one_call: bool = False) -> Range:
        return self._done(taking.publish_delivered(self.state, batch, spacing_us))

    @override
    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        return self._done(taking.fetch(self.state, count, ack, True, spacing_us))

    @override
    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        return self._done(taking.fetch(self.state, count, ack, False, 0))

    @override
    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        return self._done(pending.ack(self.state, tags, multiple))

    @override
    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        return self._done(pending.ackfold(self.state, tags, delivery_failed))

    @override
    def deliveries_of(self, extent: Extent) -> list[tuple[Extent, int]]:
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
        return self._done(pending.requeue(self.state, tags, multiple, delivery_failed))

    @override
    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._done(taking.dropwhile(self.state, now_us))

    @override
    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._done(taking.fetchwhile(self.state, now_us))

    @override
    def purge(self) -> int:
        return self._done(taking.purge(self.state))

    def fold(self) -> list[tuple[Extent, bool]]:
        """Return every message with whether it is pending, for whoever counts what is left; nothing is
        reported. Left-over transient messages do not count: the load that meets them drops them (W97).
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
        self._done(None)

    # --- memory ------------------------------------------------------------------------------------------------------
    @override
    def ram_duration(self) -> float | None:
        """Compute the rates, as the process does every five seconds; there is no RAM duration any more (W36, W70)."""
        self.state.rates.update(self.state.now_us)
        return self._done(None)

    # --- timers and the mailbox --------------------------------------------------------------------------------------
    @override
    def timeout(self) -> None:
        """Sync (W62, W63)."""
        sync(self.state)
        self._done(None)

    @override
    def resume(self) -> None:
        """Sync, as after every grant of credit (W58)."""
        self.timeout()

    @override
    def pre_hibernate(self) -> None:
        """Sync before the queue hibernates (W58)."""
        self.timeout()

    @override
    def needs_timeout(self) -> NeedsTimeout:
        return "timed" if self.state.index.confirms or self.state.unconfirmed_simple else "no"

    @override
    def drain_mailbox(self) -> DrainedMailbox:
        """Apply callbacks and credit in order; each grant is followed by a resume (K7, F5)."""
        q = self.state
        bumps = 0
        q.settle()
        while q.mailbox:
            bumps += self._handle(*q.mailbox.popleft())
            q.settle()
        return self._done(DrainedMailbox(bumps, bumps))

    @override
    def take_message(self, kind: str, what: Any) -> None:
        self._handle(kind, what)
        self._done(None)

    @override
    def drain_confirmed(self) -> list[Range]:
        return self._done(self.state.drain_confirmed())

    def _handle(self, kind: str, what: Any) -> int:
        """Apply one message; after a grant, resume. Return how many grants it was."""
        if kind == "stored":
            self.state.bodies_written("W62", what)
            return 0
        side, amount = what
        self.state.client(side).account.grant(amount)
        self.resume()
        return 1

    def _on_disk(self, messages: RangeSet, _how: str) -> None:
        self.state.mailbox.append(("stored", messages))

    def _on_credit(self, side: str, amount: int) -> None:
        self.state.mailbox.append(("credit", (side, amount)))

    def _done(self, result: R) -> R:
        """End a verb: check the invariants, then report the numbers that changed."""
        q = self.state
        q.check()
        now, before = q.counted(), q.last_counters
        if now != before:
            q.last_counters = now
            told: Why = {COUNTERS[at]: now[at] for at in range(len(COUNTERS)) if now[at] != before[at]}
            q.emit(CountersChanged("W13", q.name, told))
        return result
