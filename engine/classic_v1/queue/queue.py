"""The backing-queue door: one variable queue with verbs named as the broker's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from engine.backing_queue.heap import LAZY_3_10, MEASURED_3_10, HeapFigures
from engine.backing_queue.message_places import VARIABLE_QUEUE
from engine.backing_queue.protocol import (
    Arrival,
    Arrivals,
    CleanTerms,
    Contains,
    DrainedMailbox,
    IndexLoad,
    MirrorableQueue,
    NeedsTimeout,
    StateQueue,
    TakenMessages,
)
from engine.backing_queue.queue_numbers import UPDATE_ABOVE
from engine.classic_v1.index.actions import IndexConfirms
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.index.port import IndexPort
from engine.classic_v1.queue import pending, publish, taking
from engine.classic_v1.queue.pending import end_messages
from engine.classic_v1.queue.publish import Way
from engine.classic_v1.queue.reduce import (
    ram_duration,
    reduce,
    set_queue_mode,
    set_ram_duration_target,
    until_reduction,
)
from engine.classic_v1.queue.state import COUNTERS, PENDING, QueueState, V1Means, check, new_extents
from engine.classic_v1.queue.taking import load_delta
from engine.classic_v1.status import PLACES
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.queue import (
    CountersChanged,
    PendingPurged,
    QueueStopped,
    TargetChanged,
)
from engine.values.extents import BLANK, PERSISTENT, RAW_PERSISTENT, DeltaExtent, Extent, unexpired
from engine.values.marks import override
from engine.values.stretches import Range, RangeSet, Stretches


def start_again(q: QueueState, terms: CleanTerms | None, count: int | None, size_bytes: int | None) -> None:
    """Start on the files of a restart, after the index has recovered (Q62). `terms`: of a clean stop, None
    otherwise. `count`, `size_bytes`: persistent live messages and their bodies, when the index had to scan
    for them.
    """
    low, high = q.index.bounds()
    if terms is not None:
        q.next_seq_id = high if q.settings.starts_at_a_boundary else terms.next_seq_id  # V2
        q.next_deliver_seq_id = terms.next_deliver_seq_id
        found, found_bytes = terms.persistent_count, terms.persistent_bytes
    else:
        q.next_seq_id = q.next_deliver_seq_id = high
        found, found_bytes = count or 0, size_bytes or 0
    scanned_nothing = count is not None and found == 0
    q.delta = BLANK if scanned_nothing else DeltaExtent(low, found, 0, q.next_seq_id).asserted(q.name)
    q.len = q.persistent_count = found
    q.bytes = q.persistent_bytes = found_bytes
    q.transient_threshold = q.next_seq_id
    q.begin("Q62", q.mode, q.delta)
    load_delta(q)


def _head_lane(q: QueueState) -> Stretches[Extent]:
    return q.q4 if q.mode == "default" and q.q4.total else q.q3


[COUNTED] = [place for place in PLACES if place.counted]
NEEDS: Final[dict[str, NeedsTimeout]] = {"no": "no", "confirms": "timed", "other": "idle"}
NOTHING: Final = DrainedMailbox(0, 0)
R = TypeVar("R")


class VariableQueue(StateQueue[QueueState], MirrorableQueue):
    """One classic queue of version 1 on its index and its clients of two message stores. After every verb the
    broker's invariants are checked and the record's changed numbers are emitted. `means`: what it is made of.
    """

    kind = VARIABLE_QUEUE

    def __init__(self, means: V1Means) -> None:
        self.name, self.durable = means.name, means.durable
        self.state = QueueState(
            means,
            self._index(means),
            persistent=means.persistent.client(
                means.ref,
                self._on_disk,
                partial(self._post_credit, "persistent"),
                partial(self._post, "close", "persistent"),
                means.accounts.get("persistent"),
                stays=means.durable,
            ),
            transient=means.transient.client(
                means.ref,
                None,
                partial(self._post_credit, "transient"),
                partial(self._post, "close", "transient"),
                means.accounts.get("transient"),
            ),
        )

    def _index(self, means: V1Means) -> IndexPort:
        """Return a blank index over the queue's files."""
        return self._own_index(means, means.emit)

    def _own_index(self, means: V1Means, emit: Callable[[Transition], None]) -> QueueIndex:
        return QueueIndex(
            queue=means.name,
            directory=means.directory,
            storage=means.storage,
            codec=means.codec,
            settings=means.settings,
            emit=emit,
            confirms=IndexConfirms(partial(self._post, "index"), partial(self._post, "both")),
            resource=means.resource,
        )

    @property
    @override
    def heap(self) -> HeapFigures:
        return MEASURED_3_10 if self.state.mode == "default" else LAZY_3_10

    @property
    @override
    def ram_count(self) -> int:
        q = self.state
        return q.ram_msg_count + q.ram_pending.total + q.index_pending.total

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
        return self.state.ram_pending.total + self.state.disk_pending.total + self.state.index_pending.total

    @override
    def oldest_message(self) -> int | None:
        places = [self.state.extents_of(place) for place in QueueState.lanes]
        return min((extent.msg_no for runs in places for extent in runs), default=None)

    @override
    def index_load(self) -> IndexLoad:
        return self.state.index.load()

    @override
    def store_references(self) -> list[Range]:
        return self.state.index.store_references()

    # --- the head, and how many messages may go one way at once ------------------------------------------------------
    @override
    def entry(self, arrival: Arrival) -> Extent:
        return new_extents(self.state, (arrival.part(0, 1),))[0].merged(arrival.count)

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
        """Return the equal messages at the head; None for a lazy queue, whose q3 may be empty."""
        q = self.state
        return (q.q4 or q.q3).first if q.mode == "default" else None

    @override
    def head_expiry_us(self) -> int:
        return _head_lane(self.state).first.expiry_us

    @override
    def head_stays(self) -> bool:
        """Return whether a pass of drop_expired would leave the queue as it is: the head returns to where it
        was (Q36). That is so when it does not expire, taking it brings no refill, and it lies where the
        put-back puts it: in q4, or in q3 without its body and with q4 empty; in a lazy queue in q3.
        """
        q = self.state
        if q.mode == "default" and q.q4.total:
            return not 0 < q.q4.first.expiry_us <= q.now_us
        if q.q3.total < 2:
            return False
        head = q.q3.first
        if 0 < head.expiry_us <= q.now_us:
            return False
        return q.mode == "lazy" or not head.in_ram

    @override
    def takeable(self, count: int, expiring: bool) -> int:
        """Return how many of `count` fetches give the same result at once as with P10's put-back after each.
        The put-back moves a q3 head with its body in RAM to q4, and may bring a refill one fetch earlier;
        both only matter where the last messages of q3 are near.
        """
        q = self.state
        if q.mode != "lazy" and q.q4.total > 1:
            near = q.q4.total - 1
        else:
            near = q.q3.total - 1 if q.mode == "lazy" else q.q3.total + q.q4.total - 2
        count = min(count, max(1, near))
        return unexpired(_head_lane(q), count, q.now_us) if expiring else count

    @override
    def steady(self, arrival: Arrival, same_size: bool) -> int:
        """Return how many messages may enter a full queue at once, each of which drops one head; 1 if unsure.

        They may all enter at once as long as each dropped head comes from q4, only the journal is written, and there is
        neither a reduction, nor a flush of the journal, nor an update of the rates before the last of them.
        """
        q = self.state
        [new] = new_extents(q, (arrival.part(0, 1),))
        if q.mode != "default" or q.q4.total < 2 or (new.persistent and new.home_store):
            return 1
        head = q.q4.first
        count = min(arrival.count, q.q4.total - 1, head.count)
        if head.in_store or (head.expiry_us and head.expiry_us <= q.now_us):
            return 1
        if q.bodies and (head.indexed or new.persistent):
            return 1
        if same_size and head.size_bytes != arrival.size_bytes:
            return 1
        if head.indexed or new.persistent:
            if q.target_ram_count is not None:
                return 1
            count = min(count, (q.settings.queue_index_max_journal_entries - q.index.dirty) // 3)
        counted = q.rates.counters[0] + q.rates.counters[1]
        count = min(count, (UPDATE_ABOVE - counted) // 2, until_reduction(q) - 1)
        return max(1, count)

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

    # --- beginning and end -------------------------------------------------------------------------------------------
    @override
    def start_new(self) -> None:
        q = self.state
        q.index.start_new()
        q.begin("Q5", q.mode, q.delta)

    @override
    def recover(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains, in_order: bool = False
    ) -> None:
        q = self.state
        segments = None if terms is None else terms.segments
        found = q.index.recover(segments, store_clean, contains, q.durable, in_order)
        start_again(q, terms, found.count, found.size_bytes)
        self._done(None)

    @override
    def terminate(self) -> CleanTerms | None:
        """Stop in order: transient unacked bodies leave their store, the index is closed, terms are returned
        (Q63). None where the index crashes, so that the next start finds no terms (W200).
        """
        q = self.state
        for place in PENDING:
            transient = [e for e in q.extents_of(place) if e.in_store and not e.persistent]
            end_messages(q, transient, one_by_one=False, acknowledge=False)
        q.persistent.terminate()
        q.transient.delete()
        segments = q.index.terminate()
        q.emit(QueueStopped("Q63", q.name, "clean"))
        if segments is None:
            return None
        return CleanTerms(
            tuple(segments),
            q.next_seq_id,
            q.next_deliver_seq_id,
            q.persistent.ref if q.durable else None,
            q.persistent_count,
            q.persistent_bytes,
        )

    @override
    def delete_and_terminate(self, cause: str = "deleted") -> None:
        q = self.state
        taking.drop_ready(q, reset=True)
        for place in PENDING:
            extents = tuple(q.extents_of(place))
            if extents:
                q.extents_of(place).clear()
                q.emit(PendingPurged("Q64", q.name, place, None, extents))
                end_messages(q, extents, one_by_one=False, acknowledge=False)
        q.index.delete()
        q.persistent.delete()
        q.transient.delete()
        q.emit(QueueStopped("Q64", q.name, cause))

    @override
    def kill(self, kind: str = "crash") -> None:
        """End the process without cleaning up; buffers are lost (D4). `kind`: crash, kill or power, or
        kill_in_flush for a kill in a flush before the journal is truncated (S115).
        """
        q = self.state
        if kind == "kill_in_flush":
            q.index.kill_in_flush()
            kind = "kill"
        else:
            q.index.kill(kind)
        q.persistent.kill()
        q.transient.kill()
        q.emit(QueueStopped("D4", q.name, kind))

    # --- messages in and out -----------------------------------------------------------------------------------------
    @override
    def publish(
        self, batch: Arrivals, already_delivered: bool = False, spacing_us: int = 0, one_call: bool = False
    ) -> Range:
        way: Way = "again" if already_delivered else "new"
        return self._done(publish.publish(self.state, batch, way, spacing_us, one_call))

    @override
    def publish_delivered(self, batch: Arrivals, spacing_us: int = 0, one_call: bool = False) -> Range:
        return self._done(publish.publish(self.state, batch, "out", spacing_us, one_call))

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
        return self._done(pending.ackfold(self.state, tags))

    @override
    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        return self._done(publish.requeue(self.state, tags, multiple))

    @override
    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._done(taking.dropwhile(self.state, now_us))

    @override
    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        return self._done(taking.fetchwhile(self.state, now_us))

    @override
    def purge(self) -> int:
        return self._done(taking.purge(self.state))

    @override
    def purge_acks(self) -> None:
        pending.purge_acks(self.state)
        self._done(None)

    @override
    def fold(self) -> list[tuple[Extent, bool]]:
        return self._done(pending.fold(self.state))

    # --- memory ------------------------------------------------------------------------------------------------------
    @override
    def ram_duration(self) -> float | None:
        return ram_duration(self.state)

    @override
    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        return self._done(set_ram_duration_target(self.state, duration_s))

    @override
    def set_target(self, count: int | None) -> None:
        """Overwrite target_ram_count and reduce once, as the golden traces and the fence do."""
        q = self.state
        if count != q.target_ram_count:
            q.emit(
                TargetChanged("Q43", q.name, count, {"old": q.target_ram_count, "pinned": count is not None})
            )
        q.target_ram_count = count
        self.resume()

    @override
    def resume(self) -> None:
        """Reduce now: credit came back or a bump arrived (Q54)."""
        reduce(self.state)
        self.state.settle()
        self._done(None)

    @override
    def set_queue_mode(self, mode: str) -> bool:
        ends = set_queue_mode(self.state, mode, self._wait_for_credit)
        self.state.settle()
        return self._done(ends)

    # --- timers and the mailbox --------------------------------------------------------------------------------------
    @override
    def timeout(self) -> None:
        self.state.index.sync()
        self._done(None)

    @override
    def pre_hibernate(self) -> None:
        self.state.index.flush()
        self._done(None)

    @override
    def needs_timeout(self) -> NeedsTimeout:
        return NEEDS[self.state.index.needs_sync()]

    @override
    def drain_mailbox(self) -> DrainedMailbox:
        """Apply callbacks and credit until none is left; resume once a round after credit or a bump (K7, F5, Q52)."""
        q = self.state
        bumps = resumes = 0
        q.settle()
        if not q.mailbox:  # nearly always
            return NOTHING
        while q.mailbox:
            wake = False
            while q.mailbox:
                kind, what = q.mailbox.popleft()
                if kind == "credit":
                    bumps += 1
                wake = self._handle(kind, what) or wake
            if wake:
                resumes += 1
                reduce(q)
            q.settle()
        return self._done(DrainedMailbox(bumps, resumes))

    @override
    def take_message(self, kind: str, what: Any) -> None:
        if self._handle(kind, what):
            reduce(self.state)
        self._done(None)

    @override
    def drain_confirmed(self) -> list[Range]:
        found = self.state.drain_confirmed() if self.state.confirmed.runs.total else []
        return self._done(found, changed=bool(found))

    def _post_credit(self, side: str, amount: int) -> None:
        self._post("credit", (side, amount))

    def _post(self, kind: str, what: object) -> None:
        self.state.mailbox.append((kind, what))

    def _on_disk(self, messages: RangeSet, how: str) -> None:
        self._post("store" if how == "written" else "ignored", messages)

    def _handle(self, kind: str, what: Any) -> bool:
        """Apply one message; return whether the queue must resume afterwards."""
        q = self.state
        if kind == "credit":
            side, amount = what
            q.client(side).account.grant(amount)
            return True
        if kind == "bump":
            q.waiting_bump = False
            return True
        if kind == "close":
            q.client(what).close_marked()
        elif kind == "index":
            q.index_written("K7", what)
        elif kind == "store":
            q.bodies_written("K7", what)
        else:
            q.confirm("K7", kind, what)
        return False

    def _wait_for_credit(self) -> None:
        """Let the stores work and apply the first grant that comes (Q56)."""
        q = self.state
        q.settle()
        for message in q.mailbox:
            if message[0] == "credit":
                q.mailbox.remove(message)
                self._handle(*message)
                return

    def _done(self, result: R, changed: bool = True) -> R:
        """End a verb: check the invariants, then report the numbers that changed. `changed`: whether the verb
        did anything; if not, only shared credit may have changed.
        """
        q = self.state
        now, before = q.counted(), q.last_counters
        if changed:
            check(q, now)
        if now != before:
            q.last_counters = now
            # By indexes, as this is done after every verb; `zip` would make a tuple for each counter.
            told: Why = {COUNTERS[at]: now[at] for at in range(len(COUNTERS)) if now[at] != before[at]}
            q.emit(CountersChanged("Q5", q.name, told))
        return result
