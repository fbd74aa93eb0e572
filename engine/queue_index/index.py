"""The queue index: the interface that the queue uses, with the broker's exact flush points (S70-S94)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.extents import HOME_STORE, WANTS_CONFIRM, Extent
from engine.formats.journal import Action, JournalRun
from engine.formats.message import MessageCodec
from engine.queue_index import picture, recovery
from engine.queue_index.combine import live_entries
from engine.queue_index.journal import Journal
from engine.queue_index.pace import Pace
from engine.queue_index.records import extent_of, publish_of
from engine.queue_index.recovery import Recovered, refuse_version_2
from engine.queue_index.segments import Segments
from engine.queue_index.slots import Slot
from engine.ranges import Range, RangeSet
from engine.runs import Runs
from engine.settings import QueueSettings
from engine.storage.port import Storage
from engine.transitions import (
    EntriesRecorded,
    IndexRecovered,
    IndexReset,
    JournalFlushed,
    SegmentRead,
    Transition,
    Why,
)


class QueueIndex:
    """Which messages a queue holds, on disk and in RAM together.

    A new object is blank; call `start_new` for a new queue or `recover` for one with files. After `terminate`,
    `delete` or `kill` it is blank again.

    Args:
        queue: queue name, as transitions and the stub file carry it.
        directory: the queue's directory, relative to the storage's root (S1).
        storage: where the files are.
        codec: message numbers, ids and terms.
        settings: entries per segment and journal limit.
        emit: receives every transition.
        on_index_written: told the store-homed messages whose records are durable (K5, S85).
        on_both_written: told the embedded messages whose records are durable (K5, S85).
    """

    def __init__(
        self,
        *,
        queue: str,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        settings: QueueSettings,
        emit: Callable[[Transition], None],
        on_index_written: Callable[[RangeSet], None],
        on_both_written: Callable[[RangeSet], None],
    ) -> None:
        self.queue = queue
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.size = settings.segment_entry_count
        self.max_journal = settings.queue_index_max_journal_entries
        self.emit = emit
        self._on_index_written = on_index_written
        self._on_both_written = on_both_written
        self.segments = Segments(
            queue=queue, directory=directory, storage=storage, codec=codec, size=self.size, emit=emit
        )
        self.journal = Journal(queue=queue, directory=directory, storage=storage, codec=codec, emit=emit)
        self._forget()

    def _forget(self) -> None:
        self.segments.forget_all()
        self.journal.drop()
        self.dirty = 0
        """Actions since the last flush, also those that cancelled out (S73)."""
        self.unconfirmed = RangeSet()
        self.unconfirmed_embedded = RangeSet()
        self._cached: list[JournalRun] = []
        self.cached = 0
        """Publish records in the pre-publish cache (S76)."""
        self._cached_delivers: list[Range] = []

    # --- publish (S74-S77) ---

    def publish(self, extent: Extent, hint: int | None) -> None:
        """Publish and deliver messages one by one, flushing exactly where single calls would (S66, S74, S75, S79).

        Args:
            extent: the messages; it may span segments.
            hint: the queue's target RAM count in messages, None for infinity (S78).
        """
        pace = Pace(self.max_journal, hint)
        done = 0
        while done < extent.count:
            whole, on_publish = pace.until_flush(self.dirty)
            whole = min(whole, extent.count - done)
            if whole:
                self._publish(extent.part(done, whole), with_deliver=True)
                done += whole
                self._maybe_flush(None)
            if on_publish and done < extent.count:
                self._publish(extent.part(done, 1), with_deliver=False)
                self._maybe_flush(hint)
                self._deliver([Range(extent.start + done, 1)])
                done += 1

    def _publish(self, extent: Extent, with_deliver: bool) -> None:
        publish = publish_of(extent)
        self._await_confirm(extent)
        action: Action = "publish_deliver" if with_deliver else "publish"
        run = self.journal.run(action, extent.start, extent.count, publish)
        journal_bytes = self.journal.append([run])
        self.segments.publish(Slot(extent.start, extent.count, publish, with_deliver))
        self.dirty += extent.count * (1 + with_deliver)
        self.emit(EntriesRecorded("S74", self.queue, action, extent.start, extent.count, journal_bytes))

    def _deliver(self, ranges: Sequence[Range], cached_bytes: int = 0) -> None:
        """Issue one deliver call (S75); `cached_bytes` entered the journal just before, unreported."""
        for each in ranges:
            journal_bytes = self.journal.append([self.journal.run("deliver", each.start, each.count)])
            self.segments.deliver(each.start, each.count)
            self.dirty += each.count
            self.emit(
                EntriesRecorded(
                    "S75", self.queue, "deliver", each.start, each.count, cached_bytes + journal_bytes
                )
            )
            cached_bytes = 0
        self._maybe_flush(None)

    def pre_publish(self, extent: Extent, hint: int | None) -> None:
        """Publish messages through the cache, to be delivered with it; every N of them it is flushed (S76, S77).

        Args:
            extent: the messages; it may span segments.
            hint: the queue's target RAM count in messages, None for infinity.
        """
        done = 0
        while done < extent.count:
            part = extent.part(done, min(extent.count - done, self.size - self.cached))
            done += part.count
            publish = publish_of(part)
            self._await_confirm(part)
            self._cached.append(self.journal.run("publish", part.start, part.count, publish))
            self.cached += part.count
            self._cache_deliver(part.start, part.count)
            self.segments.publish(Slot(part.start, part.count, publish))
            self.dirty += part.count
            self.emit(EntriesRecorded("S76", self.queue, "publish", part.start, part.count, 0))
            if self.cached >= self.size:
                self.flush_pre_publish_cache(hint)

    def _cache_deliver(self, start: int, count: int) -> None:
        cached = self._cached_delivers
        if cached and cached[-1].end == start:
            cached[-1] = cached[-1].merged(cached[-1].count + count)
        else:
            cached.append(Range(start, count))

    def flush_pre_publish_cache(self, hint: int | None) -> None:
        """Write all cached publishes to the journal, then all their delivers (S77)."""
        if self._cached:
            cached, self._cached, self.cached = self._cached, [], 0
            delivers, self._cached_delivers = self._cached_delivers, []
            self._deliver(delivers, self.journal.append(cached))
        self._maybe_flush(hint)

    def _await_confirm(self, extent: Extent) -> None:
        if extent.flags & WANTS_CONFIRM:
            waiting = self.unconfirmed if extent.flags & HOME_STORE else self.unconfirmed_embedded
            waiting.add(extent.msg_no, extent.count)

    # --- ack (S75) ---

    def ack(self, ranges: Sequence[Range], one_by_one: bool = False) -> None:
        """Acknowledge messages, in this order.

        Args:
            ranges: seq_ids.
            one_by_one: one call for each seq_id instead of one call with all; a flush may come after any of them.
        """
        if one_by_one:
            for each in ranges:
                done = 0
                while done < each.count:
                    part = each.part(done, min(each.count - done, max(1, self.max_journal + 1 - self.dirty)))
                    done += part.count
                    self._ack(part)
                    self._maybe_flush(None)
        elif ranges:
            for each in ranges:
                self._ack(each)
            self._maybe_flush(None)

    def _ack(self, seq_ids: Range) -> None:
        journal_bytes = self.journal.append([self.journal.run("ack", seq_ids.start, seq_ids.count)])
        self.segments.ack(seq_ids.start, seq_ids.count)
        self.dirty += seq_ids.count
        self.emit(EntriesRecorded("S75", self.queue, "ack", seq_ids.start, seq_ids.count, journal_bytes))

    # --- flush and sync (S79-S85) ---

    def _maybe_flush(self, hint: int | None) -> None:
        if self.dirty > self.max_journal:
            self.flush_journal("max_journal", hint)
        elif hint is not None and self.dirty > hint:
            self.flush_journal("hint", hint)

    def flush(self) -> None:
        """Move the journal into segments unless nothing happened since the last time (S80)."""
        if self.dirty:
            self.flush_journal("asked", None)

    def flush_journal(self, cause: str, hint: int | None) -> None:
        """Write and delete segments, clear the journal, report confirms (S80).

        Args:
            cause: max_journal, hint, asked or recovery, for the picture.
            hint: the target RAM count in messages that was compared with.
        """
        self.segments.flush()
        self.journal.clear()
        why: Why = {"dirty": self.dirty, "max_journal": self.max_journal, "hint": hint, "cause": cause}
        self.dirty = 0
        self.emit(JournalFlushed("S79" if cause in ("max_journal", "hint") else "S80", self.queue, why))
        self._notify()

    def sync(self) -> None:
        """Make the journal durable and report confirms; without a handle nothing happens (S82)."""
        if self.journal.is_open:
            self.journal.sync("S82")
            self._notify()

    def _notify(self) -> None:
        if self.unconfirmed:
            written, self.unconfirmed = self.unconfirmed, RangeSet()
            self._on_index_written(written)
        if self.unconfirmed_embedded:
            written, self.unconfirmed_embedded = self.unconfirmed_embedded, RangeSet()
            self._on_both_written(written)

    def needs_sync(self) -> str:
        """Tell whether a sync is owed: "confirms" when a publisher waits, "other" for plain bytes, "no" (S83)."""
        if not self.journal.is_open:
            return "no"
        if self.unconfirmed or self.unconfirmed_embedded:
            return "confirms"
        return "other" if self.journal.needs_sync else "no"

    # --- reading (S86-S91) ---

    def read(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end) in ascending order, file and pending together (S86)."""
        found: Runs[Extent] = Runs()
        if start >= end:
            return []
        for segment in range(start // self.size, (end - 1) // self.size + 1):
            low, high = segment * self.size, (segment + 1) * self.size
            filed, _ = self.segments.load(segment)
            live, _ = live_entries(filed, self.segments.pending.overlapping(low, self.size))
            self.segments.remember(segment)
            low, high = max(low, start), min(high, end)
            for slot in live.overlapping(low, high - low):
                found.insert(extent_of(slot))
            size_bytes = self.segments.file_bytes.get(segment)
            if size_bytes is not None:
                self.emit(SegmentRead("S86", self.queue, segment, low, high, size_bytes))
        return list(found)

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
        self._forget()
        self.storage.delete_directory(self.directory)
        self.emit(IndexReset(rule, self.queue))

    def terminate(self) -> list[tuple[int, int]]:
        """Close the journal, without a flush, and return (segment, unacked) for the recovery terms (S94)."""
        self.journal.close("S94")
        counts = sorted(self.segments.unacked.items())
        self._forget()
        return counts

    def kill(self) -> None:
        """Lose what only the process knew (S231)."""
        self._forget()

    def kill_in_flush(self) -> None:
        """Die between writing the segments and clearing the journal, which was synced before (S115)."""
        self.journal.sync("S82")
        if self.dirty:
            self.segments.flush()
        self._forget()

    def start_new(self) -> None:
        """Begin as a queue without files (S5)."""
        self._forget()

    def recover(
        self,
        terms: Sequence[tuple[int, int]] | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        durable: bool = True,
    ) -> Recovered:
        """Begin on the files that are there (S110-S116).

        Args:
            terms: what `terminate` returned; None after an unclean stop or when the terms lack it.
            store_clean: whether the persistent store recovered cleanly (S206).
            contains: which of these message numbers the persistent store holds.
            durable: whether the queue is; after a crash nothing of another one counts as present.
        """
        self._forget()
        refuse_version_2(self.storage, self.directory)
        if terms is not None and store_clean:
            self.dirty = recovery.recover_clean(self.segments, self.journal, terms)
            self._recovered("S112", clean=True)
            return Recovered(None, None)
        self.dirty, size_bytes = recovery.recover_dirty(
            self.segments, self.journal, terms is not None, contains, durable
        )
        self._recovered("S113", clean=False)
        self.flush_journal("recovery", None)
        return Recovered(sum(self.segments.unacked.values()), size_bytes)

    def _recovered(self, rule: str, clean: bool) -> None:
        self.emit(
            IndexRecovered(
                rule,
                self.queue,
                clean,
                tuple(picture.entries(self.segments)),
                tuple(picture.files(self.segments)),
                self.journal.file_bytes,
                self.dirty,
            )
        )

    def store_references(self) -> list[Range]:
        """Return the messages in the store that live persistent entries need, from the files alone (S117)."""
        return recovery.store_references(*self._scratch())

    def _scratch(self) -> tuple[Segments, Journal]:
        """Return a second, blank view of the same files that reports nothing."""
        segments = Segments(
            queue=self.queue,
            directory=self.directory,
            storage=self.storage,
            codec=self.codec,
            size=self.size,
            emit=_ignore,
        )
        journal = Journal(
            queue=self.queue, directory=self.directory, storage=self.storage, codec=self.codec, emit=_ignore
        )
        return segments, journal

    # --- the picture ---

    def facts(self) -> dict[str, object]:
        """Return what a golden trace records of an index."""
        return {
            "files": [list(row) for row in picture.files(self.segments)],
            "segments": [list(row) for row in picture.segment_rows(self.segments)],
            "dirty": self.dirty,
            "journal": [self.journal.file_bytes, self.journal.buffered_bytes],
            "cache": self.cached,
            "unconfirmed": [len(self.unconfirmed), len(self.unconfirmed_embedded)],
        }

    def snapshot(self) -> dict[str, object]:
        """Return the state that folding the transitions gives too."""
        return {
            "entries": [list(row) for row in picture.entries(self.segments)],
            "segments": [list(row) for row in picture.files(self.segments)],
            "journal_bytes": self.journal.file_bytes,
            "buffered_bytes": self.journal.buffered_bytes,
            "dirty": self.dirty,
        }

    def verify(self) -> None:
        """Compare the files with what is claimed about them; raises InvariantBroken (S253)."""
        picture.verify_files(self.segments)
        if self.journal.is_open and not (self.journal.buffered_bytes or self.cached):
            picture.verify_journal(self.segments, *self._scratch())


def _ignore(_: Transition) -> None:
    pass
