"""The queue index: the interface that the queue uses (S70-S94, S110-S117)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from engine.backing_queue.protocol import Contains, IndexLoad
from engine.classic_v1.index import recovery
from engine.classic_v1.index.actions import IndexActions, IndexConfirms, IndexJournal
from engine.classic_v1.index.port import SmallBodies
from engine.classic_v1.index.recovery import RecoveredIndex
from engine.classic_v1.index.segments import (
    MERGE,
    IndexFiles,
    IndexSegments,
    arguments,
    extent_of,
    live_entries,
)
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.transitions import (
    IndexForgotten,
    IndexRecovered,
    IndexReset,
    SegmentDeleted,
    SegmentRead,
)
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.errors import IndexCorrupt, ProcessCrash
from engine.values.extents import Extent
from engine.values.marks import ignore
from engine.values.sizes import total
from engine.values.stretches import Range, RangeSet, Stretches


def until_flush(max_journal: int, hint: int | None, dirty: int) -> tuple[int, bool]:
    """Return how many messages are published and delivered up to the next flush, and what meets it. With False, the
    deliver of the last of them flushes. With True none of them flushes, but the publish of the next message does.
    `max_journal`: actions that a deliver may bring the journal to without a flush. `hint`: the same for a publish
    where it is smaller, None for infinity. `dirty`: actions since the last flush.
    """
    publish_limit = max_journal if hint is None else min(max_journal, hint)
    by_publish = max(0, (publish_limit - dirty - 1) // 2 + 1)
    by_deliver = max(0, (max_journal - dirty - 2) // 2 + 1)
    if by_publish <= by_deliver:
        return by_publish, True
    return by_deliver + 1, False


class QueueIndex:
    """Which messages a queue holds, on disk and in RAM together.

    A new object is blank; call `start_new` for a new queue or `recover` for one with files. After `terminate`,
    `delete` or `kill` it is blank again.

    Args:
        queue: queue name, as transitions carry it.
        resource: what the broker calls it, where that is not its name.
        directory: the queue's directory, relative to the storage's root (S1).
        confirms: who waits for durable records (K5, S85).
    """

    shown_as = "index"

    def __init__(
        self,
        *,
        queue: str,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        settings: QueueSettings,
        emit: Callable[[Transition], None],
        confirms: IndexConfirms,
        resource: bytes | None = None,
    ) -> None:
        self.bodies: SmallBodies | None = None
        """Records have small bodies inside."""
        self.queue = queue
        self.resource = queue.encode() if resource is None else resource
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.size = settings.segment_entry_count
        self.flags_deliveries = settings.flags_deliveries
        self.recovery_flushes = settings.recovery_flushes
        self.emit = emit
        self.segments, self.journal = self._views(emit)
        self.confirms = confirms
        self.actions = IndexActions(
            queue=queue,
            max_journal=settings.queue_index_max_journal_entries,
            segments=self.segments,
            journal=self.journal,
            confirms=self.confirms,
            emit=emit,
        )

    def _views(self, emit: Callable[[Transition], None]) -> tuple[IndexSegments, IndexJournal]:
        """Return blank segments and a closed journal over the queue's files."""
        files = IndexFiles(
            self.queue, self.resource, self.directory, self.storage, self.codec, self.size, emit
        )
        return IndexSegments(files), IndexJournal(files)

    @property
    def cache_room(self) -> int:
        """Records that the pre-publish cache takes before it is flushed by itself (S76)."""
        room = self.size - self.actions.cached
        return room if room > 0 else 1

    @property
    def dirty(self) -> int:
        """Actions since the last flush, also those that cancelled out (S73)."""
        return self.actions.dirty

    @property
    def unconfirmed(self) -> RangeSet:
        """Store-homed messages whose publishers wait for the index (K4)."""
        return self.confirms.store_homed

    # --- publish and ack (S74-S79) ---
    def publish(self, extents: Sequence[Extent], hint: int | None) -> None:
        """Publish and deliver messages one by one, flushing exactly where single calls would (S66, S74, S75,
        S79). `extents`: the messages, in this order; one may span segments. `hint`: the queue's target RAM
        count in messages, None for infinity (S78).
        """
        actions = self.actions
        most = actions.max_journal if hint is None or hint > actions.max_journal else hint
        count = sum([each.count for each in extents])
        if actions.dirty + 2 * count <= most:  # nearly always: no flush comes near
            actions.publish(extents, with_deliver=True)
            return
        for each in extents:
            self._publish_flushing(each, hint)

    def _publish_flushing(self, extent: Extent, hint: int | None) -> None:
        actions, done = self.actions, 0
        while done < extent.count:
            whole, on_publish = until_flush(actions.max_journal, hint, actions.dirty)
            whole = min(whole, extent.count - done)
            if whole:
                actions.publish([extent.part(done, whole)], with_deliver=True)
                actions.maybe_flush(None)
                done += whole
            if on_publish and done < extent.count:
                actions.publish([extent.part(done, 1)], with_deliver=False)
                actions.maybe_flush(hint)
                actions.deliver([Range(extent.start + done, 1)])
                done += 1

    def publish_undelivered(self, extent: Extent, hint: int | None) -> None:
        """Publish messages one by one that are marked only when they are delivered (V1); else as `publish`."""
        actions = self.actions
        limit = actions.max_journal if hint is None else min(actions.max_journal, hint)
        done = 0
        while done < extent.count:
            count = min(extent.count - done, max(1, limit + 1 - actions.dirty))
            actions.publish([extent.part(done, count)], with_deliver=False)
            actions.maybe_flush(hint)
            done += count

    def pre_publish(
        self, extents: Sequence[Extent], hint: int | None, delivered: bool = True, descending: bool = False
    ) -> None:
        """Publish messages through the cache, to be delivered with it; every N of them it is flushed (S76, S77).

        Args:
            extents: the messages, in this order; one may span segments.
            hint: the queue's target RAM count in messages, None for infinity.
            delivered: whether they are marked as delivered, which 3.10 always does (S66, V1).
            descending: the last message of each extent comes first, which says at which one the cache is full.
        """
        actions, step = self.actions, -1 if descending else 1
        room = self.size - actions.cached
        fitting: list[Extent] = []
        for each in extents:
            if each.count < room:
                fitting.append(each)
                room -= each.count
                continue
            actions.cache(fitting, delivered, step)
            fitting, left = [], each
            while left.count:
                count = min(left.count, self.size - actions.cached)
                rest = left.count - count
                actions.cache([left.part(rest if descending else 0, count)], delivered, step)
                if actions.cached >= self.size:
                    actions.flush_cache(hint)
                left = left.part(0 if descending else count, rest)
            room = self.size - actions.cached
        actions.cache(fitting, delivered, step)

    def flush_pre_publish_cache(self, hint: int | None) -> None:
        """Write all cached publishes to the journal, then all their delivers (S77)."""
        self.actions.flush_cache(hint)

    def ack(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Acknowledge messages, in this order. `ranges`: seq_ids. `one_by_one`: one call for each seq_id
        instead of one call with all; a flush may come after any of them. `descending`: one call from the last
        seq_id of the last range to the first of the first.
        """
        if one_by_one:
            self._mark_singly(self.actions.ack, ranges)
        else:
            self.actions.ack(ranges, -1 if descending else 1)

    def ack_runs(self, ranges: Sequence[Range]) -> None:
        """Acknowledge runs of a log, ascending, by one call for each seq_id."""
        actions = self.actions
        if ranges and actions.dirty + sum([each.count for each in ranges]) <= actions.max_journal:
            actions.ack_many(ranges)
        else:
            self._mark_singly(actions.ack, ranges)

    def deliver(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Mark messages as delivered; arguments as for `ack` (S75, V1)."""
        if one_by_one:
            self._mark_singly(self.actions.deliver, ranges)
        elif ranges:
            self.actions.deliver(ranges, -1 if descending else 1)

    def deliver_and_ack(self, ranges: Sequence[Range]) -> None:
        """Mark each message and end it, two calls for each in turn; a flush may come after any call (V1)."""
        actions = self.actions
        for each in ranges:
            done = 0
            while done < each.count:
                free = actions.max_journal - actions.dirty
                whole = min(each.count - done, max(0, (free + 1) // 2))
                if whole:
                    actions.deliver_ack(each.part(done, whole))
                else:  # the mark flushes, and the acknowledgement comes after that
                    actions.deliver([each.part(done, 1)])
                    actions.ack([each.part(done, 1)])
                done += whole or 1

    def _mark_singly(self, mark: Callable[[Sequence[Range]], None], ranges: Sequence[Range]) -> None:
        """Mark each seq_id with its own call, batching calls without a flush in between."""
        actions = self.actions
        for each in ranges:
            if actions.dirty + each.count <= actions.max_journal:  # nearly always: it does not become full
                mark([each])
                continue
            done = 0
            while done < each.count:
                fits = max(1, actions.max_journal + 1 - actions.dirty)
                part = each.part(done, min(each.count - done, fits))
                mark([part])
                done += part.count

    # --- what fetchwhile forgets (V9) ---
    def hold(self) -> None:
        """From now on, keep what the first change replaces, for `take_back`."""
        self.actions.hold()

    def take_back(self) -> None:
        """Go back to what RAM had at the time of `hold`; what was written to files meanwhile stays there."""
        if self.actions.take_back():
            entries = tuple(recovery.entries(self.segments))
            self.emit(IndexForgotten("V9", self.queue, entries, self.journal.buffered_bytes, self.dirty))

    # --- flush and sync (S80-S85) ---
    def flush(self) -> None:
        """Move the journal into segments unless nothing happened since the last time (S80)."""
        if self.dirty:
            self.actions.flush("asked")

    def sync(self) -> None:
        """Make the journal durable and report confirms; without a handle nothing happens (S82)."""
        if self.journal.is_open:
            self.journal.sync("S82")
            self.confirms.notify()

    def needs_sync(self) -> Literal["no", "confirms", "other"]:
        """Return whether a sync is owed: "confirms" when a publisher waits, "other" for plain bytes (S83)."""
        handle = self.journal.handle
        if handle is None:
            return "no"
        if self.confirms:
            return "confirms"
        return "other" if handle.needs_sync else "no"

    # --- reading (S86-S91) ---
    def read(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end) in ascending order, file and pending together (S86)."""
        found: Stretches[Extent] = Stretches()
        if start < end:
            for segment in range(start // self.size, (end - 1) // self.size + 1):
                low = segment * self.size
                self._read_segment(segment, max(start, low), min(end, low + self.size), found)
        return list(found)

    def _read_segment(self, segment: int, start: int, end: int, found: Stretches[Extent]) -> None:
        segments = self.segments
        size_bytes = segments.file_bytes.get(segment)
        filed, _ = segments.load(segment, own=True)
        try:
            live, _ = live_entries(filed, segments.pending.overlapping(segment * self.size, self.size))
        except IndexCorrupt as error:
            raise ProcessCrash(self.queue, MERGE, arguments(error)) from error
        if segment not in segments.unacked:
            self.actions.keep()
            segments.remember(segment)
        flags = self.flags_deliveries
        found.insert_all([extent_of(slot, flags) for slot in live.overlapping(start, end - start)])
        if size_bytes is not None:
            self.emit(SegmentRead("S86", self.queue, segment, start, end, size_bytes))
            if segment not in segments.file_bytes:
                self.emit(SegmentDeleted("S90", self.queue, segment, size_bytes))

    def next_segment_boundary(self, seq_id: int) -> int:
        """Return the first seq_id of the segment after the one that holds `seq_id` (S88)."""
        return (seq_id // self.size + 1) * self.size

    def bounds(self) -> tuple[int, int]:
        """Return the seq_ids that the segments of the map cover, (0, 0) for none (S89)."""
        numbers = self.segments.unacked
        if not numbers:
            return 0, 0
        return min(numbers) * self.size, (max(numbers) + 1) * self.size

    # --- ends and beginnings (S92-S94, S110-S117) ---
    def reset(self) -> None:
        """Erase the directory and start empty; numbering goes on (S92)."""
        self._erase("S92")

    def delete(self) -> None:
        """Erase the directory for good (S93)."""
        self._erase("S93")

    def _erase(self, rule: str) -> None:
        self.actions.forget()
        self.storage.delete_directory(self.directory)
        self.emit(IndexReset(rule, self.queue))

    def terminate(self) -> list[tuple[int, int]]:
        """Close the journal, without a flush, and return (segment, unacked) for the recovery terms (S94)."""
        self.journal.close("S94")
        counts = sorted(self.segments.unacked.items())
        self.actions.forget()
        return counts

    def kill(self, kind: str = "crash") -> None:
        """Lose what was only in the process, whatever ended it (S231)."""
        self.actions.forget()

    def kill_in_flush(self) -> None:
        """Die between writing the segments and clearing the journal, which was synced before (S115)."""
        self.journal.sync("S82")
        if self.dirty:
            self.segments.flush()
        self.actions.forget()

    def start_new(self) -> None:
        """Begin as a queue without files (S5)."""
        self.actions.forget()

    def recover(
        self,
        terms: Sequence[tuple[int, int]] | None,
        store_clean: bool,
        contains: Contains,
        durable: bool = True,
        in_order: bool = False,
        refuse: bool = True,
    ) -> RecoveredIndex:
        """Begin on the files that are there (S110-S116).

        Args:
            terms: what `terminate` returned; None after an unclean stop or when the terms lack it.
            store_clean: whether the persistent store recovered cleanly (S206).
            contains: which of these message numbers the persistent store holds.
            durable: whether the queue is; after a crash nothing of another one counts as present.
            in_order: whether the queue stopped in order, where `terms` are None because nobody reads them.
            refuse: whether to raise an error for files of version 2 in the directory.
        """
        self.actions.forget()
        if refuse:
            recovery.refuse_version_2(self.storage, self.directory)
        if terms is not None and store_clean:
            self.actions.dirty = recovery.recover_clean(self.segments, self.journal, terms)
            self.report_recovered("S112", clean=True)
            return RecoveredIndex(None, None)
        found = recovery.recover_dirty(
            self.segments, self.journal, terms is not None or in_order, contains, durable
        )
        self.actions.dirty = found.added + (found.in_journal if self.recovery_flushes else 0)
        self.report_recovered("S113", clean=False)
        self.actions.journal_differs = True
        if self.recovery_flushes or found.marked:
            self.actions.flush("recovery")
        else:
            self.actions.maybe_flush(None)  # V8
        return RecoveredIndex(sum(self.segments.unacked.values()), found.size_bytes)

    def report_recovered(self, rule: str, clean: bool) -> None:
        """Report the entries and files as a start, or a conversion, left them."""
        self.emit(
            IndexRecovered(
                rule,
                self.queue,
                clean,
                tuple(recovery.entries(self.segments)),
                tuple(recovery.files(self.segments)),
                self.journal.file_bytes,
                self.dirty,
            )
        )

    # --- giving way to files of another version (W100) ---
    def forget_segment(self, seq_id: int) -> None:
        self.storage.delete(self.segments.path(seq_id // self.size))

    def forget_journal(self) -> None:
        """Delete the journal; nothing is left of the index."""
        self.journal.close("W100")
        self.storage.delete(self.journal.path)
        self.actions.forget()

    def store_references(self) -> list[Range]:
        """Return the messages in the store that live persistent entries need, from the files alone (S117)."""
        return recovery.store_references(*self._views(ignore))

    # --- the picture ---
    def load(self) -> IndexLoad:
        """Return what the memory model counts of it."""
        records = [
            (
                slot.count,
                slot.publish.embedded,
                total(slot.publish.size_bytes, slot.publish.msg_no, slot.count),
            )
            for slot in self.segments.pending
            if slot.publish is not None
        ]
        return IndexLoad(len(self.segments.file_bytes), self.size, records, bool(self.journal.buffered_bytes))

    def snapshot(self) -> dict[str, object]:
        """Return the state that folding the transitions gives too."""
        return recovery.snapshot(self.actions)

    def verify(self) -> None:
        """Compare the files with what is claimed about them; raises InvariantBroken (S253)."""
        recovery.verify_files(self.segments)
        complete = not (self.journal.buffered_bytes or self.actions.cached or self.actions.journal_differs)
        if self.journal.is_open and complete:
            recovery.verify_journal(self.segments, *self._views(ignore))
