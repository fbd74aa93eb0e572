"""The index of a queue of 3.10 with files of version 2, as the queue of version 1 asks it (W18)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from engine.backing_queue.measured import IndexLoad
from engine.classic_v1.index.recovery import RecoveredIndex
from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.index import V2Index
from engine.classic_v2.index.references import references
from engine.classic_v2.queue.entries import in_index
from engine.values.extents import INDEXED, Extent
from engine.values.ranges import Range, RangeSet
from engine.version_choice.bodies import DelayedBodies


class QueueBodies:
    """The small bodies of a queue, as its lanes ask for them."""

    def __init__(self, store: DelayedBodies) -> None:
        self.store = store

    def write(self, extent: Extent, descending: bool = False) -> None:
        """Write bodies."""
        self.store.write([extent], descending)

    def read(self, extent: Extent) -> None:
        """Read bodies one by one."""
        self.store.read(extent.start, extent.count)

    def alike(self, extent: Extent) -> int:
        """Return how many may be read and then removed: those of one segment (W121)."""
        return self.store.boundary(extent.start) - extent.start

    def remove(self, ranges: Sequence[Range]) -> None:
        """Take bodies out of the cache."""
        self.store.remove_all(ranges)


class FilesIndex:
    """Which messages a queue holds, in `.qi` and `.qs` files.

    Args:
        files: the index itself, blank.
        store: the bodies in `.qs`, which `files` has too.
        on_written: called at a sync with the messages whose publishers wait for the index (W61).
    """

    shown_as = "files"

    def __init__(self, files: V2Index, store: DelayedBodies, on_written: Callable[[RangeSet], None]) -> None:
        self.files = files
        self.store = store
        self.directory = files.directory
        self.size = files.settings.segment_entry_count
        self.bodies = QueueBodies(store)
        self._on_written = on_written

    @property
    def dirty(self) -> int:
        """Items that wait to be written."""
        return self.files.buffered

    @property
    def cache_room(self) -> int:
        """Return that any number fits: there is no cache of records (W18)."""
        return 1 << 62

    # --- entries come and go -----------------------------------------------------------------------------------------

    def publish(self, extent: Extent, hint: int | None) -> None:
        """Add entries one by one; the hint of Q16 is ignored (W18)."""
        for each in extent.equal_parts():
            self.files.publish([in_index(each).with_flags(INDEXED)], [each] if each.wants_confirm else ())

    publish_undelivered = publish

    def publish_many(self, extents: Sequence[Extent], hint: int | None) -> None:
        """Add entries of runs one by one."""
        for each in extents:
            self.publish(each, hint)

    def pre_publish(
        self, extent: Extent, hint: int | None, delivered: bool = True, descending: bool = False
    ) -> None:
        """Add entries one by one, the last one first where `descending`; a flush may come after any of them."""
        left = extent
        if descending and not isinstance(extent.size_bytes, int):
            for each in reversed(extent.equal_parts()):
                self.publish(each, hint)
            return
        while descending and left.count > 1:
            settings, files = self.files.settings, self.files
            first = max(left.start, settings.segment_of(left.end - 1) * self.size)
            count = min(left.end - first, max(1, self.size - files.buffered))
            if count == left.count:
                break
            self.publish(left.part(left.count - count, count), hint)
            left = left.part(0, left.count - count)
        self.publish(left, hint)

    def pre_publish_many(self, extents: Sequence[Extent], hint: int | None, descending: bool) -> None:
        """Add entries of runs one by one."""
        for each in extents:
            self.pre_publish(each, hint, descending=descending)

    def flush_pre_publish_cache(self, hint: int | None) -> None:
        """Do nothing."""

    def ack(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Acknowledge messages; files of segments without any are deleted (W91, W119)."""
        if not one_by_one:
            self.store.delete_segments(self.files.ack(ranges))
            return
        for each in ranges:
            self.store.delete_segments(self.files.ack_each([each]))

    def ack_runs(self, ranges: Sequence[Range]) -> None:
        """Acknowledge messages one by one."""
        self.ack(ranges, one_by_one=True)

    def deliver(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Do nothing: there are no marks of deliveries (W18)."""

    def deliver_and_ack(self, ranges: Sequence[Range]) -> None:
        """End each message."""
        self.ack(ranges, one_by_one=True)

    def hold(self) -> None:
        """Do nothing: this is a rule of 3.8 (V9)."""

    def take_back(self) -> None:
        """Do nothing (V9)."""

    # --- writing -----------------------------------------------------------------------------------------------------

    def _sync_index(self) -> None:
        done = self.files.sync()
        if done:
            self._on_written(done)

    def flush(self) -> None:
        """Write the index, then the bodies, with confirms: before a sleep and after each reduction (W62)."""
        self._sync_index()
        self.store.sync()

    def sync(self) -> None:
        """Write the bodies, then the index, with confirms (W62)."""
        self.store.sync()
        self._sync_index()

    def needs_sync(self) -> Literal["no", "confirms", "other"]:
        """Return whether publishers wait for the index (W63)."""
        return "confirms" if self.files.confirms else "no"

    # --- reading -----------------------------------------------------------------------------------------------------

    def read(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end), without bodies (W18)."""
        return self.files.read(start, end)

    def next_segment_boundary(self, seq_id: int) -> int:
        """Return the first position of the next segment."""
        return self.files.settings.boundary(seq_id)

    def bounds(self) -> tuple[int, int]:
        """Return the positions that the segments cover, (0, 0) for none (W93)."""
        return self.files.bounds(None)

    # --- ends and beginnings -----------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Erase the directory and start again (W56)."""
        self.store.terminate()
        self.store.forget()
        self.files.reset()

    def delete(self) -> None:
        """Erase the directory for good (W57)."""
        self.store.terminate()
        self.files.delete()

    def terminate(self) -> list[tuple[int, int]] | None:
        """Write everything with fsync; None where the index crashes, after which the bodies are written (W95, W200)."""
        segments: list[tuple[int, int]] | None = None
        try:
            segments = list(self.files.terminate())
        except ProcessCrashed:
            self.store.flush()
            return None
        self.store.terminate()
        return segments

    def kill(self, kind: str = "crash") -> None:
        """Lose what only the process had; where it alone crashes, the open file still gets its delayed write."""
        if kind == "crash":
            self.store.flush()

    def kill_in_flush(self) -> None:
        """Die between the index's write and that of the bodies (W62)."""
        self.files.flush()

    def start_new(self) -> None:
        """Begin with a directory of its own (W80)."""
        self.files.begin()
        self.files.report_files("W80", clean=True)

    def recover(
        self,
        terms: Sequence[tuple[int, int]] | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        durable: bool = True,
        in_order: bool = False,
    ) -> RecoveredIndex:
        """Begin on the files that are there (W96, W97); nothing of a queue that is not durable counts as there."""
        if terms is not None and store_clean:
            self.files.start_again(terms)
            return RecoveredIndex(None, None)
        count, size_bytes = self.files.recover(contains if durable else _nothing)
        return RecoveredIndex(count, size_bytes)

    def forget_segment(self, seq_id: int) -> None:
        """Delete the files of the segment that has a position: another version has its messages (W100)."""
        segment = seq_id // self.size
        self.files.files.close(segment)
        self.files.storage.delete(self.files.path(segment))
        self.store.delete_segments([segment])

    def store_references(self) -> list[Range]:
        """Return the messages of the store that the files need (W99)."""
        files = self.files
        return list(references(files.storage, files.directory, files.codec, files.settings))

    # --- the picture -------------------------------------------------------------------------------------------------

    def load(self) -> IndexLoad:
        """Return what the memory model counts."""
        buffered = [(each.count, False, 0) for each in self.files.buffer]
        return IndexLoad(len(self.files.segments), self.size, buffered, bool(self.files.buffered))

    def snapshot(self) -> dict[str, object]:
        """Return files and buffers: the fold's counterpart."""
        return self.files.snapshot()

    def verify(self) -> None:
        """Do nothing: what is claimed of the files is asked of the storage."""


def _nothing(_: Range) -> RangeSet:
    return RangeSet()
