"""The backing-queue door: one variable queue with verbs named as the broker's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from engine.backing_queue.arrivals import Arrival, TakenMessages
from engine.backing_queue.protocol import DrainedMailbox, MirrorableQueue, NeedsTimeout
from engine.backing_queue.terms import CleanTerms
from engine.classic_v1.index import QueueIndex
from engine.classic_v1.index.port import IndexPort
from engine.classic_v1.queue import confirms, lifecycle, modes, pending, publish, requeue, taking, target
from engine.classic_v1.queue.folding import fold
from engine.classic_v1.queue.invariants import check
from engine.classic_v1.queue.means import QueueMeans
from engine.classic_v1.queue.reading import VariableQueueReading
from engine.classic_v1.queue.reduce import resume
from engine.classic_v1.queue.state import QueueState, counters_of, differing
from engine.report.transitions.queue import CountersChanged, TargetChanged
from engine.values.extents import Extent
from engine.values.inherit import override
from engine.values.ranges import Range, RangeSet

NEEDS: Final[dict[str, NeedsTimeout]] = {"no": "no", "confirms": "timed", "other": "idle"}


class VariableQueue(VariableQueueReading, MirrorableQueue):
    """One classic queue of version 1 on its index and its clients of two message stores.

    The owner sets `now_us` (virtual microseconds) before it calls a verb. After every verb the broker's invariants
    are checked and the record's changed numbers are emitted.

    Args:
        means: what it is made of.
    """

    def __init__(self, means: QueueMeans) -> None:
        self.name, self.durable = means.name, means.durable
        self.state = QueueState(
            name=means.name,
            durable=means.durable,
            settings=means.settings,
            codec=means.codec,
            index=self._index(means),
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
            emit=means.emit,
            settle=means.settle,
            as_read=means.as_read,
        )

    def _index(self, means: QueueMeans) -> IndexPort:
        """Return a blank index over the queue's files."""
        return QueueIndex(
            queue=means.name,
            directory=means.directory,
            storage=means.storage,
            codec=means.codec,
            settings=means.settings,
            emit=means.emit,
            on_index_written=partial(self._post, "index"),
            on_both_written=partial(self._post, "both"),
            resource=means.resource,
        )

    # --- beginning and end -------------------------------------------------------------------------------------------

    @override
    def start_new(self) -> None:
        lifecycle.start_new(self.state)

    @override
    def recover(
        self,
        terms: CleanTerms | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        in_order: bool = False,
    ) -> None:
        q = self.state
        segments = None if terms is None else terms.segments
        found = q.index.recover(segments, store_clean, contains, q.durable, in_order)
        lifecycle.start_again(q, terms, found.count, found.size_bytes)
        self._done()

    @override
    def terminate(self) -> CleanTerms | None:
        return lifecycle.terminate(self.state)

    @override
    def delete_and_terminate(self, cause: str = "deleted") -> None:
        lifecycle.delete(self.state, cause)

    @override
    def kill(self, kind: str = "crash") -> None:
        lifecycle.kill(self.state, kind)

    # --- messages in and out -----------------------------------------------------------------------------------------

    @override
    def publish(self, arrival: Arrival, already_delivered: bool = False, spacing_us: int = 0) -> Range:
        found = publish.publish(self.state, arrival, already_delivered, spacing_us)
        self._done()
        return found

    @override
    def publish_each(self, arrivals: Sequence[Arrival], spacing_us: int = 0) -> Range:
        found = publish.publish_each(self.state, arrivals, spacing_us)
        self._done()
        return found

    @override
    def batch_publish(self, arrivals: Sequence[Arrival], already_delivered: bool = False) -> Range:
        found = publish.batch_publish(self.state, arrivals, already_delivered)
        self._done()
        return found

    @override
    def publish_delivered(self, arrival: Arrival, spacing_us: int = 0) -> Range:
        found = publish.publish_delivered(self.state, arrival, spacing_us)
        self._done()
        return found

    @override
    def batch_publish_delivered(self, arrivals: Sequence[Arrival]) -> Range:
        found = publish.batch_publish_delivered(self.state, arrivals)
        self._done()
        return found

    @override
    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[TakenMessages]:
        taken = taking.fetch(self.state, count, ack, True, spacing_us)
        self._done()
        return taken

    @override
    def drop(self, count: int, ack: bool) -> list[TakenMessages]:
        taken = taking.fetch(self.state, count, ack, False, 0)
        self._done()
        return taken

    @override
    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        found = pending.ack(self.state, tags, multiple)
        self._done()
        return found

    @override
    def ackfold(self, tags: Sequence[Range], delivery_failed: bool = False) -> list[Extent]:
        found = pending.ackfold(self.state, tags)
        self._done()
        return found

    @override
    def requeue(
        self, tags: Sequence[Range], multiple: bool = True, delivery_failed: bool = True
    ) -> list[Extent]:
        found = requeue.requeue(self.state, tags, multiple)
        self._done()
        return found

    @override
    def dropwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        found = taking.dropwhile(self.state, now_us)
        self._done()
        return found

    @override
    def fetchwhile(self, now_us: int) -> tuple[list[TakenMessages], int | None]:
        found = taking.fetchwhile(self.state, now_us)
        self._done()
        return found

    @override
    def purge(self) -> int:
        count = taking.purge(self.state)
        self._done()
        return count

    @override
    def purge_acks(self) -> None:
        pending.purge_acks(self.state)
        self._done()

    @override
    def fold(self) -> list[tuple[Extent, bool]]:
        found = fold(self.state)
        self._done()
        return found

    # --- memory ------------------------------------------------------------------------------------------------------

    @override
    def ram_duration(self) -> float | None:
        return target.ram_duration(self.state)

    @override
    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        found = target.set_ram_duration_target(self.state, duration_s)
        self._done()
        return found

    @override
    def set_target(self, count: int | None) -> None:
        """Overwrite target_ram_count and reduce once, as the golden traces and the fence do."""
        q = self.state
        if count != q.target_ram_count:
            q.emit(
                TargetChanged("Q43", q.name, count, {"old": q.target_ram_count, "pinned": count is not None})
            )
        q.target_ram_count = count
        resume(q)
        q.settle()
        self._done()

    @override
    def resume(self) -> None:
        """Reduce now (Q54)."""
        resume(self.state)
        self.state.settle()
        self._done()

    @override
    def set_queue_mode(self, mode: str) -> bool:
        ends = modes.set_queue_mode(self.state, mode, self._wait_for_credit)
        self.state.settle()
        self._done()
        return ends

    # --- timers and the mailbox --------------------------------------------------------------------------------------

    @override
    def timeout(self) -> None:
        self.state.index.sync()
        self._done()

    @override
    def pre_hibernate(self) -> None:
        self.state.index.flush()
        self._done()

    @override
    def needs_timeout(self) -> NeedsTimeout:
        return NEEDS[self.state.index.needs_sync()]

    @override
    def drain_mailbox(self) -> DrainedMailbox:
        """Apply callbacks and credit, resume once a round if credit or a bump came, until quiet (K7, F5, Q52)."""
        q = self.state
        bumps = resumes = 0
        q.settle()
        if not q.mailbox:  # nearly always
            return _NOTHING
        while q.mailbox:
            wake = False
            while q.mailbox:
                kind, what = q.mailbox.popleft()
                if kind == "credit":
                    bumps += 1
                wake = self._handle(kind, what) or wake
            if wake:
                resumes += 1
                resume(q)
            q.settle()
        self._done()
        return DrainedMailbox(bumps, resumes)

    @override
    def take_message(self, kind: str, what: Any) -> None:
        """Handle one message of the mailbox, as a process with a mailbox of its own does (K7, F5, Q52).

        Args:
            kind, what: as `take_posted` returned them.
        """
        if self._handle(kind, what):
            resume(self.state)
        self._done()

    @override
    def drain_confirmed(self) -> list[Range]:
        found = confirms.drain_confirmed(self.state)
        self._done(changed=bool(found))
        return found

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
            q.client(side).grant(amount)
            return True
        if kind == "close":
            q.client(what).close_marked()
            return False
        if kind == "bump":
            q.waiting_bump = False
            return True
        if kind == "index":
            confirms.index_written(q, what)
        elif kind == "store":
            confirms.messages_written(q, what)
        else:
            confirms.both_written(q, what, kind)
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

    def _done(self, changed: bool = True) -> None:
        """End a verb: check the invariants, then report the numbers that changed.

        Args:
            changed: whether it did anything; if not, credit may still be another one, which queues may share.
        """
        q = self.state
        now, before = counters_of(q), q.last_counters
        if changed:
            check(q, now)
        if now != before:
            q.last_counters = now
            q.emit(CountersChanged("Q5", q.name, differing(now, before)))


_NOTHING: Final = DrainedMailbox(0, 0)
