"""The backing-queue door: one variable queue with verbs named as the broker's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from engine.backing_queue.arrivals import Arrival, Taken
from engine.backing_queue.protocol import Drained, Message, NeedsTimeout
from engine.backing_queue.terms import Terms
from engine.classic_v1.index import QueueIndex
from engine.classic_v1.queue import confirms, lifecycle, modes, pending, publish, requeue, taking, target
from engine.classic_v1.queue.folding import fold
from engine.classic_v1.queue.invariants import check
from engine.classic_v1.queue.means import QueueMeans
from engine.classic_v1.queue.reading import Reading
from engine.classic_v1.queue.reduce import resume
from engine.classic_v1.queue.state import COUNTERS, QueueState, counters_of
from engine.report.transitions.queue import CountersChanged, TargetChanged
from engine.values.extents import Extent
from engine.values.ranges import Range, RangeSet

NEEDS: Final[dict[str, NeedsTimeout]] = {"no": "no", "confirms": "timed", "other": "idle"}


class VariableQueue(Reading):
    """One classic queue of version 1 on its index and its clients of two message stores.

    The owner sets `now_us` (virtual microseconds) before it calls a verb. After every verb the broker's invariants
    are checked and the record's changed numbers are emitted.

    Args:
        means: what it is made of.
    """

    def __init__(self, means: QueueMeans) -> None:
        index = QueueIndex(
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
        self.state = QueueState(
            name=means.name,
            durable=means.durable,
            settings=means.settings,
            codec=means.codec,
            index=index,
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
        )
        self.state.as_read = means.as_read
        self._settle = means.settle

    # --- beginning and end -------------------------------------------------------------------------------------------

    def start_new(self) -> None:
        """Begin as a queue that never existed."""
        lifecycle.start_new(self.state)

    def recover(
        self,
        terms: Terms | None,
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
        q = self.state
        segments = None if terms is None else terms.segments
        found = q.index.recover(segments, store_clean, contains, q.durable, in_order)
        lifecycle.start_again(q, terms, found.count, found.size_bytes)
        self._done()

    def terminate(self) -> Terms:
        """Stop in order and return what the next start needs (Q63)."""
        return lifecycle.terminate(self.state)

    def delete_and_terminate(self, cause: str = "deleted") -> None:
        """End for good, with all messages and files (Q64)."""
        lifecycle.delete(self.state, cause)

    def kill(self, kind: str = "crash") -> None:
        """End without cleaning up; buffers are lost (D4)."""
        lifecycle.kill(self.state, kind)

    # --- messages in and out -----------------------------------------------------------------------------------------

    def publish(self, arrival: Arrival, already_delivered: bool = False, spacing_us: int = 0) -> Range:
        """Publish one after the other, `spacing_us` apart; return the seq_ids (Q20)."""
        found = publish.publish(self.state, arrival, already_delivered, spacing_us)
        self._done()
        return found

    def batch_publish(self, arrivals: Sequence[Arrival], already_delivered: bool = False) -> Range:
        """Publish as one call; return the seq_ids (Q22)."""
        found = publish.batch_publish(self.state, arrivals, already_delivered)
        self._done()
        return found

    def publish_delivered(self, arrival: Arrival, spacing_us: int = 0) -> Range:
        """Hand messages to a consumer without queueing; return the tags (Q23). Only for an empty queue."""
        found = publish.publish_delivered(self.state, arrival, spacing_us)
        self._done()
        return found

    def batch_publish_delivered(self, arrivals: Sequence[Arrival]) -> Range:
        """Hand messages to consumers as one call; return the tags (Q22, Q23)."""
        found = publish.batch_publish_delivered(self.state, arrivals)
        self._done()
        return found

    def fetch(self, count: int, ack: bool, spacing_us: int = 0) -> list[Taken]:
        """Take up to `count` messages with their bodies, one call each (Q31)."""
        taken = taking.fetch(self.state, count, ack, True, spacing_us)
        self._done()
        return taken

    def drop(self, count: int, ack: bool) -> list[Taken]:
        """Take up to `count` messages without reading bodies, one call each (Q60)."""
        taken = taking.fetch(self.state, count, ack, False, 0)
        self._done()
        return taken

    def ack(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        """End acknowledged messages: one call with all tags, or one call for each (Q39)."""
        found = pending.ack(self.state, tags, multiple)
        self._done()
        return found

    def ackfold(self, tags: Sequence[Range]) -> list[Extent]:
        """Read pending messages with their bodies, as for dead-lettering them, and leave them as they are (Q41)."""
        found = pending.ackfold(self.state, tags)
        self._done()
        return found

    def requeue(self, tags: Sequence[Range], multiple: bool = True) -> list[Extent]:
        """Put pending messages back: one call with all tags, or one call for each (Q40)."""
        found = requeue.requeue(self.state, tags, multiple)
        self._done()
        return found

    def dropwhile(self, now_us: int) -> tuple[list[Taken], int | None]:
        """Drop expired messages at the head (Q58)."""
        found = taking.dropwhile(self.state, now_us)
        self._done()
        return found

    def fetchwhile(self, now_us: int) -> tuple[list[Taken], int | None]:
        """Fetch expired messages at the head as pending acks (Q59)."""
        found = taking.fetchwhile(self.state, now_us)
        self._done()
        return found

    def purge(self) -> int:
        """Drop every ready message; return how many (Q61)."""
        count = taking.purge(self.state)
        self._done()
        return count

    def purge_acks(self) -> None:
        """Forget every pending ack (Q41; mirrors only)."""
        pending.purge_acks(self.state)
        self._done()

    def discard(self, arrival: Arrival) -> None:
        """Keep nothing of messages that left at once (Q24)."""

    def fold(self) -> list[tuple[Extent, bool]]:
        """Return every message in seq order with its body, and whether it is unacknowledged (H53)."""
        found = fold(self.state)
        self._done()
        return found

    # --- memory ------------------------------------------------------------------------------------------------------

    def ram_duration(self) -> float | None:
        """Report how many seconds the messages in RAM would last, None for infinity (Q42)."""
        return target.ram_duration(self.state)

    def set_ram_duration_target(self, duration_s: float | None) -> int | None:
        """Turn a wanted duration into a target and reduce if it shrank (Q43)."""
        found = target.set_ram_duration_target(self.state, duration_s)
        self._done()
        return found

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

    def resume(self) -> None:
        """Reduce now (Q54)."""
        resume(self.state)
        self.state.settle()
        self._done()

    def set_queue_mode(self, mode: str) -> bool:
        """Convert to "lazy" or "default"; return whether that ever ends (Q55-Q57, V5)."""
        ends = modes.set_queue_mode(self.state, mode, self._wait_for_credit)
        self.state.settle()
        self._done()
        return ends

    # --- timers and the mailbox --------------------------------------------------------------------------------------

    def timeout(self) -> None:
        """Sync the journal (P3, S82)."""
        self.state.index.sync()
        self._done()

    def pre_hibernate(self) -> None:
        """Flush the index before sleeping (Q65)."""
        self.state.index.flush()
        self._done()

    def needs_timeout(self) -> NeedsTimeout:
        """Return which timer the process must arm (P1)."""
        return NEEDS[self.state.index.needs_sync()]

    def drain_mailbox(self) -> Drained:
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
        return Drained(bumps, resumes)

    def take_message(self, kind: str, what: Any) -> None:
        """Handle one message of the mailbox, as a process with a mailbox of its own does (K7, F5, Q52).

        Args:
            kind, what: as `take_posted` returned them.
        """
        if self._handle(kind, what):
            resume(self.state)
        self._done()

    def take_posted(self) -> list[Message]:
        """Return what stores and index sent since, for a process with a mailbox of its own."""
        posted = list(self.state.mailbox)
        self.state.mailbox.clear()
        return posted

    def let_stores_work_alone(self, alone: bool) -> None:
        """Let the stores go on at their own pace, or let them finish whenever a call ends (S166)."""
        self.state.settle = _nothing if alone else self._settle

    def answered_at_once(self, waiting: Sequence[Message], do: Callable[[], None]) -> None:
        """Do something for which the stores answer without delay, once what `waiting` names is done (Q56)."""
        self.state.mailbox.extendleft(reversed(waiting))
        self.let_stores_work_alone(False)
        do()
        self.let_stores_work_alone(True)

    def drain_confirmed(self) -> list[Range]:
        """Hand over the message numbers whose confirms may be sent (K8)."""
        found = confirms.drain_confirmed(self.state)
        self._done()
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

    def _done(self) -> None:
        """End a verb: check the invariants, then report the numbers that changed."""
        q = self.state
        check(q)
        now, before = counters_of(q), q.last_counters
        if now != before:
            q.last_counters = now
            values = zip(COUNTERS, now, before, strict=True)
            changed = {name: value for name, value, earlier in values if value != earlier}
            q.emit(CountersChanged("Q5", q.name, changed))


_NOTHING: Final = Drained(0, 0)


def _nothing() -> None:
    """Let the stores go on at their own pace."""
