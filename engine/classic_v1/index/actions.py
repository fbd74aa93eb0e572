"""Single actions on the index, each for a run of seq_ids between which no flush can come (S71-S80)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.classic_v1.formats.journal import RECORDS, Action, JournalRecords
from engine.classic_v1.index.before import StateBefore
from engine.classic_v1.index.confirms import IndexConfirms
from engine.classic_v1.index.journal import IndexJournal, PublishedStretches
from engine.classic_v1.index.records import publish_of
from engine.classic_v1.index.segments import IndexSegments
from engine.classic_v1.index.slots import ACK, DELIVER, JournalSlot
from engine.classic_v1.transitions.index import EntriesRecorded, JournalFlushed, StretchesRecorded
from engine.report.transitions.base import Transition, Why
from engine.values.extents import WANTS_CONFIRM, Extent
from engine.values.ranges import Range


class IndexActions:
    """Journal, segments and what is between them: the dirty count, the pre-publish cache, the waiting confirms.

    Args:
        queue: queue name, as transitions carry it.
        max_journal: actions without a flush, at most (S79).
    """

    def __init__(
        self,
        *,
        queue: str,
        max_journal: int,
        segments: IndexSegments,
        journal: IndexJournal,
        confirms: IndexConfirms,
        emit: Callable[[Transition], None],
    ) -> None:
        self.queue = queue
        self.max_journal = max_journal
        self.segments = segments
        self.journal = journal
        self.confirms = confirms
        self._emit = emit
        self.forget()

    def forget(self) -> None:
        """Lose everything that only the process has."""
        self.segments.forget_all()
        self.journal.drop()
        self.confirms.forget()
        self.dirty = 0
        """Actions since the last flush, also those that cancelled out (S73)."""
        self.cached = 0
        """Publish records in the pre-publish cache (S76)."""
        self._cache: list[JournalRecords | PublishedStretches] = []
        self._many = False
        """Whether several runs came into it at once, which are told of together."""
        self._cached_delivers: list[Range] = []
        self._cached_step = 1
        self._before: StateBefore | None = None
        self.journal_differs = False
        """Whether the journal has not what is pending, until the next flush: V8, V9."""

    @property
    def cached_delivers(self) -> int:
        """Deliver records that wait for the cached publishes (S77)."""
        return sum(each.count for each in self._cached_delivers)

    def publish(self, extent: Extent, with_deliver: bool) -> None:
        """Record messages, each followed by its deliver if `with_deliver` (S74.1-4, S66)."""
        if self._before is not None:
            self.keep()
        publish = publish_of(extent)
        self.confirms.wait(extent)
        action: Action = "publish_deliver" if with_deliver else "publish"
        journal_bytes = self.journal.append([self.journal.run(action, extent.start, extent.count, publish)])
        self.segments.publish(JournalSlot(extent.start, extent.count, publish, with_deliver))
        self.dirty += extent.count * (2 if with_deliver else 1)
        self._emit(EntriesRecorded("S74", self.queue, action, extent.start, extent.count, journal_bytes))

    def publish_many(self, extents: Sequence[Extent]) -> None:
        """Record runs, ascending, each message followed by its deliver; all are reported together (S74)."""
        if not extents:
            return
        if self._before is not None:
            self.keep()
        for extent in extents:
            if extent.flags & WANTS_CONFIRM:
                self.confirms.wait(extent)
        journal_bytes = self.journal.append_published(self.journal.published("publish_deliver", extents))
        self.segments.publish_all(
            [JournalSlot(each.start, each.count, publish_of(each), True) for each in extents]
        )
        runs = _joined(extents)
        self.dirty += 2 * sum([each.count for each in runs])
        self._recorded("S74", "publish_deliver", runs, journal_bytes)

    def _recorded(self, rule: str, action: Action, runs: Sequence[Range], journal_bytes: int) -> None:
        if len(runs) == 1:
            [run] = runs
            self._emit(EntriesRecorded(rule, self.queue, action, run.start, run.count, journal_bytes))
        else:
            pairs = tuple([(each.start, each.count) for each in runs])
            self._emit(StretchesRecorded(rule, self.queue, action, pairs, journal_bytes))

    def deliver(self, ranges: Sequence[Range], step: int = 1) -> None:
        """Make one deliver call (S75) with seq_ids in this order, or in the opposite one with step -1."""
        self._mark("deliver", ranges[::step], 0, step)

    def ack(self, ranges: Sequence[Range], step: int = 1) -> None:
        """Make one ack call (S75) with seq_ids in this order, or in the opposite one with step -1."""
        self._mark("ack", ranges[::step], 0, step)

    def ack_many(self, ranges: Sequence[Range]) -> None:
        """Make an ack call for each seq_id, in this order, of which only the last one may flush (S75)."""
        self._mark_many("ack", ranges, 0)

    def _mark_many(self, action: Action, ranges: Sequence[Range], journal_bytes: int, step: int = 1) -> None:
        """Record delivers or acks of several runs, which are reported together."""
        if self._before is not None:
            self.keep()
        journal_bytes += self.journal.append_marks(action, ranges, step)
        self.segments.mark_all(DELIVER if action == "deliver" else ACK, ranges)
        self.dirty += sum([each.count for each in ranges])
        self._recorded("S75", action, ranges, journal_bytes)
        self.maybe_flush(None)

    def deliver_ack(self, run: Range) -> None:
        """Make a deliver call and an ack call for each message in turn (V1), of which only the last one may flush."""
        self._mark("deliver_ack", [run], 0)

    def _mark(self, action: Action, ranges: Sequence[Range], journal_bytes: int, step: int = 1) -> None:
        records = RECORDS[action]
        if self._before is not None:
            self.keep()
        for each in ranges:
            journal_bytes += self.journal.append(
                [self.journal.run(action, each.start, each.count, step=step)]
            )
            if "deliver" in records:
                self.segments.deliver(each.start, each.count)
            if "ack" in records:
                self.segments.ack(each.start, each.count)
            self.dirty += each.count * len(records)
            self._emit(EntriesRecorded("S75", self.queue, action, each.start, each.count, journal_bytes))
            journal_bytes = 0
        self.maybe_flush(None)

    # --- the pre-publish cache (S76, S77) ---

    def cache(self, extent: Extent, delivered: bool = True, step: int = 1) -> None:
        """Publish messages, and deliver them unless the caller forbids it, through the cache (S76).

        Args:
            extent: the messages.
            delivered: whether they are marked as delivered.
            step: -1 where the last one comes first; so it is with all that one call of the queue caches.
        """
        publish = publish_of(extent)
        self.confirms.wait(extent)
        self._cache.append(self.journal.run("publish", extent.start, extent.count, publish, step))
        self._cached_step = step
        self.cached += extent.count
        delivers = self._cached_delivers
        if delivered and delivers and delivers[-1].end == extent.start:
            delivers[-1] = delivers[-1].merged(delivers[-1].count + extent.count)
        elif delivered:
            delivers.append(Range(extent.start, extent.count))
        self.segments.publish(JournalSlot(extent.start, extent.count, publish))
        self.dirty += extent.count
        self._emit(EntriesRecorded("S76", self.queue, "publish", extent.start, extent.count, 0))

    def cache_many(self, extents: Sequence[Extent], step: int) -> None:
        """Publish and deliver runs through the cache, which has room for them; all are reported together (S76)."""
        if not extents:
            return
        self._cached_step = step
        for extent in extents:
            if extent.flags & WANTS_CONFIRM:
                self.confirms.wait(extent)
        self._cache.append(self.journal.published("publish", extents, step))
        self.segments.publish_all([JournalSlot(each.start, each.count, publish_of(each)) for each in extents])
        runs = _joined(extents)
        count = sum([each.count for each in runs])
        self.cached += count
        self.dirty += count
        delivers = self._cached_delivers
        if delivers and delivers[-1].end == runs[0].start:
            delivers[-1] = delivers[-1].merged(delivers[-1].count + runs[0].count)
            delivers += runs[1:]
        else:
            delivers += runs
        self._many = self._many or len(runs) > 1
        self._recorded("S76", "publish", runs, 0)

    def flush_cache(self, hint: int | None) -> None:
        """Write all cached publishes to the journal, then all their delivers (S77)."""
        if self._cache:
            cached, self._cache, self.cached = self._cache, [], 0
            delivers, self._cached_delivers = self._cached_delivers, []
            many, self._many = self._many, False
            written = 0
            for each in cached:
                if isinstance(each, JournalRecords):
                    written += self.journal.append([each])
                else:
                    written += self.journal.append_published(each)
            if many:
                self._mark_many("deliver", delivers, written, self._cached_step)
            elif delivers:
                self._mark("deliver", delivers, written, self._cached_step)
            else:
                first = cached[0]
                start = first.start if isinstance(first, JournalRecords) else first.extents[0].start
                self._emit(EntriesRecorded("S77", self.queue, "publish", start, 0, written))
        self.maybe_flush(hint)

    # --- flush (S79, S80) ---

    def maybe_flush(self, hint: int | None) -> None:
        """Flush when there are more actions than the journal, or `hint` messages, allow (S79)."""
        if self.dirty > self.max_journal:
            self.flush("max_journal", hint)
        elif hint is not None and self.dirty > hint:
            self.flush("hint", hint)

    def flush(self, cause: str, hint: int | None = None) -> None:
        """Write and delete segments, clear the journal, report confirms (S80).

        Args:
            cause: max_journal, hint, asked or recovery; for the picture.
            hint: the target RAM count in messages that was compared with.
        """
        self.keep()
        self.segments.flush()
        self.journal.clear()
        self.journal_differs = False
        why: Why = {"dirty": self.dirty, "max_journal": self.max_journal, "hint": hint, "cause": cause}
        self.dirty = 0
        self._emit(JournalFlushed("S79" if cause in ("max_journal", "hint") else "S80", self.queue, why))
        self.confirms.notify()

    # --- what fetchwhile forgets (V9) ---

    def hold(self) -> None:
        """From now on, what the first change replaces is kept, for `take_back`."""
        self._before = StateBefore()

    def keep(self) -> None:
        """Keep what is about to change, if it is the first change since `hold`."""
        if self._before is not None and not self._before.kept:
            self._before.take(self.segments, self.confirms, self.journal, self.dirty)

    def take_back(self) -> bool:
        """Go back to what RAM had at the time of `hold`; return whether anything had changed (V9).

        What was written to files meanwhile stays there.
        """
        before, self._before = self._before, None
        if before is None or not before.kept:
            return False
        self.dirty = before.put_back(self.segments, self.confirms, self.journal)
        self.journal_differs = True
        return True


def _joined(extents: Sequence[Extent]) -> list[Range]:
    """Return the seq_ids of runs, in their order, in as few ranges as may be."""
    found: list[Range] = []
    low = high = 0
    for extent in extents:
        start, end = extent.start, extent.start + extent.count
        if start == high and low < high:
            high = end
        elif end == low:
            low = start
        else:
            if low < high:
                found.append(Range(low, high - low))
            low, high = start, end
    found.append(Range(low, high - low))
    return found
