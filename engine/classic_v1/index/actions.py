"""Single actions on the index, each for a run of seq_ids between which no flush can come (S71-S80)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from engine.classic_v1.formats.journal import (
    MARK_BYTES,
    PUBLISH_BYTES,
    RECORDS,
    Action,
    JournalRecords,
    decode_journal,
)
from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.index.segments import IndexFiles, IndexSegments, publish_of
from engine.classic_v1.index.slots import ACK, DELIVER, JournalSlot
from engine.classic_v1.transitions import (
    EntriesRecorded,
    JournalFlushed,
    JournalOpened,
    JournalSynced,
    StretchesRecorded,
)
from engine.formats.message import MessageCodec
from engine.formats.names import queue_name_text
from engine.report.transitions.base import Transition, Why
from engine.storage.handle import BufferedHandle
from engine.values.chunks import ByteChunk, RawBytes
from engine.values.extents import HOME_STORE, RAW_PERSISTENT, WANTS_CONFIRM, Extent
from engine.values.sizes import FRAMED
from engine.values.stretches import Range, RangeSet, Stretches

JOURNAL_NAME: Final = "journal.jif"
STUB_NAME: Final = ".queue_name"


class RecordedStretches(NamedTuple):
    """Journal records of one action on several runs, not made yet; with step -1 the last of each comes first."""

    action: Action
    runs: Sequence[Extent] | Sequence[Range]
    codec: MessageCodec
    step: int

    def chunks(self) -> list[JournalRecords]:
        """Make the records."""
        action, codec, step = self.action, self.codec, self.step
        return [
            JournalRecords(
                action,
                each.start,
                each.count,
                publish_of(each) if isinstance(each, Extent) else None,
                codec,
                None,
                step,
            )
            for each in self.runs
        ]


class IndexJournal:
    """`journal.jif` behind a buffer without limit (S21)."""

    def __init__(self, files: IndexFiles) -> None:
        self.path = f"{files.directory}/{JOURNAL_NAME}"
        self._files = files
        self._queue, self._storage, self._codec = files.queue, files.storage, files.codec
        self._emit = files.emit
        self.handle: BufferedHandle | None = None
        self.file_bytes: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether the handle exists (S70)."""
        return self.handle is not None

    @property
    def buffered_bytes(self) -> int:
        """Bytes that never left the process."""
        return self.handle.pending_bytes if self.handle is not None else 0

    def exists(self) -> bool:
        self.file_bytes = self._storage.size(self.path)
        return self.file_bytes is not None

    def open(self) -> BufferedHandle:
        """Return the handle; the first time, write the stub and make the file if it is absent (S6, S70)."""
        if self.handle is None:
            stub = f"{self._files.directory}/{STUB_NAME}"
            name = queue_name_text(self._codec.vhost, self._files.resource)
            self._storage.create(stub)
            self._storage.append(stub, [RawBytes(name)])
            if not self.exists():
                self._storage.create(self.path)
                self.file_bytes = 0
                self._emit(JournalOpened("S70", self._queue))
            self.handle = BufferedHandle(self._storage, self.path, None)
        return self.handle

    def run(
        self, action: Action, start: int, count: int, publish: PublishRecord | None = None, step: int = 1
    ) -> JournalRecords:
        """Return the records of one action on consecutive seq_ids, the highest first with step -1 (S62)."""
        return JournalRecords(action, start, count, publish, self._codec, None, step)

    def append_published(self, action: Action, extents: Sequence[Extent], step: int = 1) -> int:
        """Put publish records into the buffer and return their bytes; they are made when they leave it (S74.3)."""
        size_bytes = published_bytes(self._codec, action, extents)
        late = RecordedStretches(action, extents, self._codec, step)
        (self.handle or self.open()).append_late(late, size_bytes)
        return size_bytes

    def append_marks(self, action: Action, ranges: Sequence[Range], step: int) -> int:
        """Put delivers or acks into the buffer and return their bytes; they are made when they leave it (S75)."""
        size_bytes = MARK_BYTES * sum([each.count for each in ranges])
        late = RecordedStretches(action, ranges, self._codec, step)
        (self.handle or self.open()).append_late(late, size_bytes)
        return size_bytes

    def append(self, runs: Sequence[JournalRecords]) -> int:
        """Put records into the buffer and return their bytes (S74.3)."""
        handle = self.handle or self.open()
        before = handle.pending_bytes
        for run in runs:
            handle.append(run, None)
        return handle.pending_bytes - before  # it has no limit, so nothing has left it

    def read(self) -> Sequence[ByteChunk]:
        """Return the records of the file, up to the first that is not whole (S114)."""
        return self._storage.read(self.path, partial(decode_journal, codec=self._codec))

    def sync(self, rule: str) -> None:
        """Hand the buffer to the file and fsync it, unless nothing is owed (S23)."""
        handle = self.handle
        if handle is None or not handle.needs_sync:
            return
        written = handle.pending_bytes
        handle.sync()
        self.file_bytes = (self.file_bytes or 0) + written
        self._emit(JournalSynced(rule, self._queue, written))

    def clear(self) -> None:
        """Empty file and buffer (S26)."""
        self.open().clear()
        self.file_bytes = 0

    def close(self, rule: str) -> None:
        """Sync and close (S24)."""
        self.sync(rule)
        if self.handle is not None:
            self.handle.close()
        self.handle = None

    def lose(self) -> None:
        """Forget handle and buffer, but keep the file (V9)."""
        if self.handle is not None:
            self.handle.drop()
        self.handle = None

    def drop(self) -> None:
        """Forget everything, as when the process dies (S231)."""
        self.lose()
        self.file_bytes = None


def published_bytes(codec: MessageCodec, action: Action, extents: Sequence[Extent]) -> int:
    """Return the bytes of the publish records of runs, and of the delivers behind them where the action has them."""
    besides = PUBLISH_BYTES + (MARK_BYTES if action == "publish_deliver" else 0)
    total = 0
    for each in extents:
        count, sizes, raw = each.count, each.size_bytes, each.flags & RAW_PERSISTENT != 0
        total += besides * count
        if each.flags & HOME_STORE:
            continue
        if isinstance(sizes, int):
            total += count * codec.term_bytes(each.template, sizes, raw)
        else:
            bare = codec.term_bytes(each.template, 0, raw)
            total += bare * count + sizes.total(each.msg_no, count, FRAMED)
    return total


Report = Callable[[RangeSet], None]


class IndexConfirms:
    """The two sets of message numbers whose publishers wait, and the callbacks. `on_index_written`: called
    with the messages whose body is in the store. `on_both_written`: called with the messages whose body is
    embedded in the index.
    """

    def __init__(self, on_index_written: Report, on_both_written: Report) -> None:
        self._on_index_written = on_index_written
        self._on_both_written = on_both_written
        self.store_homed = RangeSet()
        self.embedded = RangeSet()

    def __bool__(self) -> bool:
        return self.store_homed.runs.total > 0 or self.embedded.runs.total > 0

    def wait(self, extent: Extent) -> None:
        """Remember the messages of an extent if their publisher waits (S74.2)."""
        if extent.flags & WANTS_CONFIRM:
            waiting = self.store_homed if extent.flags & HOME_STORE else self.embedded
            waiting.add(extent.msg_no, extent.count)

    def notify(self) -> None:
        """Report both sets, each unless it is empty, and empty them (S85)."""
        if self.store_homed:
            written, self.store_homed = self.store_homed, RangeSet()
            self._on_index_written(written)
        if self.embedded:
            written, self.embedded = self.embedded, RangeSet()
            self._on_both_written(written)

    def forget(self) -> None:
        self.store_homed = RangeSet()
        self.embedded = RangeSet()


class StateBefore:
    """The values of one index at one moment; empty until `take`."""

    def __init__(self) -> None:
        self.kept = False
        self._pending: Stretches[JournalSlot] = Stretches()
        self._unacked: dict[int, int] = {}
        self._waiting = RangeSet(), RangeSet()
        self._dirty = 0
        self._journal_open = False

    def take(
        self, segments: IndexSegments, confirms: IndexConfirms, journal: IndexJournal, dirty: int
    ) -> None:
        self.kept = True
        self._journal_open = journal.is_open
        self._pending = segments.pending.copy()
        self._unacked = dict(segments.unacked)
        self._waiting = confirms.store_homed.copy(), confirms.embedded.copy()
        self._dirty = dirty

    def put_back(self, segments: IndexSegments, confirms: IndexConfirms, journal: IndexJournal) -> int:
        """Restore the index's values; return the number of actions since the last flush. A journal that was
        opened meanwhile is forgotten with its buffer.
        """
        if not self._journal_open:
            journal.lose()
        segments.pending = self._pending
        segments.unacked.clear()
        for segment, unacked in self._unacked.items():
            segments.set_unacked(segment, unacked)
        for segment in segments.empty - self._unacked.keys():
            segments.empty.discard(segment)
        confirms.store_homed, confirms.embedded = self._waiting
        return self._dirty


class IndexActions:
    """Journal, segments and what is between them: the dirty count, the pre-publish cache, the waiting
    confirms. `queue`: queue name, as transitions carry it. `max_journal`: actions without a flush, at most
    (S79).
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
        self._cache: list[Sequence[Extent]] = []
        self._many = False
        """Whether several runs entered it at once, so that they are reported together."""
        self._cached_delivers: list[Range] = []
        self._cached_step = 1
        self._before: StateBefore | None = None
        self.journal_differs = False
        """Whether journal and pending entries differ until the next flush (V8, V9)."""

    def publish(self, extents: Sequence[Extent], with_deliver: bool) -> None:
        """Record messages, ascending, each followed by its deliver if `with_deliver`; one transition says it of all
        (S74.1-4, S66).
        """
        if not extents:
            return
        if self._before is not None:
            self.keep()
        action: Action = "publish_deliver" if with_deliver else "publish"
        if len(extents) == 1:  # nearly always, and quicker
            [extent] = extents
            publish = publish_of(extent)
            self.confirms.wait(extent)
            journal_bytes = self.journal.append(
                [self.journal.run(action, extent.start, extent.count, publish)]
            )
            self.segments.publish(JournalSlot(extent.start, extent.count, publish, with_deliver))
            self.dirty += extent.count * (2 if with_deliver else 1)
            self._emit(EntriesRecorded("S74", self.queue, action, extent.start, extent.count, journal_bytes))
            return
        for extent in extents:
            if extent.flags & WANTS_CONFIRM:
                self.confirms.wait(extent)
        journal_bytes = self.journal.append_published(action, extents)
        self.segments.publish_all(
            [JournalSlot(each.start, each.count, publish_of(each), with_deliver) for each in extents]
        )
        runs = _joined(extents)
        self.dirty += sum([each.count for each in runs]) * (2 if with_deliver else 1)
        self._recorded("S74", action, runs, journal_bytes)

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
    def cache(self, extents: Sequence[Extent], delivered: bool, step: int) -> None:
        """Publish messages through the cache, which has room for them; one transition says it of all (S76).
        `delivered`: whether they are marked as delivered. `step`: -1 where the last one comes first; so it is
        with all that one call of the queue caches.
        """
        if not extents:
            return
        self._cached_step = step
        for extent in extents:
            if extent.flags & WANTS_CONFIRM:
                self.confirms.wait(extent)
        self._cache.append(extents)
        self.segments.publish_all([JournalSlot(each.start, each.count, publish_of(each)) for each in extents])
        runs = _joined(extents)
        count = sum([each.count for each in runs])
        self.cached += count
        self.dirty += count
        delivers = self._cached_delivers
        if delivered and delivers and delivers[-1].end == runs[0].start:
            delivers[-1] = delivers[-1].merged(delivers[-1].count + runs[0].count)
            delivers += runs[1:]
        elif delivered:
            delivers += runs
        self._many = self._many or len(runs) > 1
        self._recorded("S76", "publish", runs, 0)

    def flush_cache(self, hint: int | None) -> None:
        """Write all cached publishes to the journal, then all their delivers (S77)."""
        if self._cache:
            cached, self._cache, self.cached = self._cache, [], 0
            delivers, self._cached_delivers = self._cached_delivers, []
            many, self._many = self._many, False
            written = sum(
                [self.journal.append_published("publish", each, self._cached_step) for each in cached]
            )
            if many:
                self._mark_many("deliver", delivers, written, self._cached_step)
            elif delivers:
                self._mark("deliver", delivers, written, self._cached_step)
            else:
                start = cached[0][0].start
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
        """Write and delete segments, clear the journal, report confirms (S80). `cause`: max_journal, hint,
        asked or recovery; for the picture. `hint`: the target RAM count in messages that was compared with.
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
        """Keep what the first change replaces, for `take_back`."""
        self._before = StateBefore()

    def keep(self) -> None:
        """Save the values before the first change since `hold`."""
        if self._before is not None and not self._before.kept:
            self._before.take(self.segments, self.confirms, self.journal, self.dirty)

    def take_back(self) -> bool:
        """Restore RAM to the time of `hold`; return whether anything had changed (V9). Files keep what was
        written meanwhile.
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
