"""The index of a queue of 3.10 with files of version 2, as the queue of version 1 asks it (W18)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from engine.backing_queue.protocol import Contains, IndexLoad
from engine.classic_v1.index.recovery import RecoveredIndex
from engine.classic_v2.formats.qi import HEADER_BYTES, STORE_MAGIC, FileHeader
from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES
from engine.classic_v2.index.index import V2Index
from engine.classic_v2.index.recovery import references
from engine.classic_v2.queue.state import in_index
from engine.classic_v2.queue_store import BufferedEntries, EntryPlace, QueueStore
from engine.classic_v2.transitions import BodiesBuffered, BodiesForgotten, BodiesWritten, BodyFileDeleted
from engine.values.chunks import ByteChunk
from engine.values.errors import ProcessCrashed
from engine.values.extents import INDEXED, Extent
from engine.values.sizes import equal
from engine.values.stretches import Range, RangeSet, Stretches, StretchRecord

DELAYED_BYTES = 512_000
"""What the open file keeps back; more is written at once."""
READS = "rabbit_classic_queue_store_v2:read_from_disk/3"


class CachedBody(StretchRecord, frozen=True, array_like=True, gc=False):
    """Consecutive positions whose bodies are in the cache, each with so many bytes of term."""

    term_bytes: int


class DelayedBodies(QueueStore):
    """The small bodies of one queue. Its write buffer is the delayed write of the file that is open."""

    held: Stretches[CachedBody]
    held_bytes: int
    confirms: RangeSet
    on_written: Callable[[RangeSet], None]

    def begin(self, on_written: Callable[[RangeSet], None]) -> DelayedBodies:
        """Begin with an empty cache. `on_written`: called at a sync with the messages whose publishers wait."""
        self.held, self.held_bytes = Stretches(), 0
        self.confirms = RangeSet()
        self.on_written = on_written
        self._header_waits = False
        return self

    # --- writing -----------------------------------------------------------------------------------------------------
    def write(self, extents: Sequence[Extent], descending: bool = False) -> None:
        """Write bodies, the last one first where `descending` (W113, W121)."""
        for extent in reversed(extents) if descending else extents:
            parts = extent.equal_parts()
            for each in reversed(parts) if descending else parts:
                self._write(each, descending and len(parts) == 1)

    def _write(self, extent: Extent, descending: bool) -> None:
        size = self._codec.term_bytes(extent.template, equal(extent.size_bytes), extent.raw_persistent)
        if extent.wants_confirm:
            self.confirms.add(extent.msg_no, extent.count)
        pieces = list(self._settings.by_segment(extent.start, extent.count))
        for segment, start, count in reversed(pieces) if descending else pieces:
            part = extent.part(start - extent.start, count)
            self._open_to_write(segment)
            self._append(part, size, -1 if descending else 1)
            self._keep(part, size, descending)

    def _open_to_write(self, segment: int) -> None:
        """Open a segment's file at its end unless it is open; the one before is written and closed (W113)."""
        if segment == self.write_segment:
            return
        self.flush()
        self.write_segment = segment
        path = self.path(segment)
        self.write_offset = self._storage.size(path) or HEADER_BYTES
        if not self._storage.size(path):
            self._storage.create(path)
            self.emit(BodiesWritten("W121", self.name, False, ((segment, 0),)))
            self._header_waits = True

    def _append(self, part: Extent, size: int, step: int) -> None:
        """Append bodies of one segment, and write whenever enough are waiting."""
        entry = size + ENTRY_HEADER_BYTES
        segment = self._settings.segment_of(part.start)
        left = part
        while True:
            free = DELAYED_BYTES - self._waiting_bytes
            count = min(left.count, max(1, -(-free // entry)))
            first = 0 if step > 0 else left.count - count
            run = left.part(first, count)
            offset = self.write_offset if step > 0 else self.write_offset + (count - 1) * entry
            place = EntryPlace(run.start, count, offset, size, step)
            self.write_offset += count * entry
            # a converted body is written again (W100)
            if not self.places.overlapping(place.start, place.count):
                self.places.insert(place)
            self.buffer.insert(BufferedEntries(place, run))
            self.buffer_bytes += count * size
            low = place.low
            self.emit(BodiesBuffered("W121", self.name, segment, run.start, count, low, count * size))
            if self._waiting_bytes >= DELAYED_BYTES:
                self.flush()
            if count == left.count:
                return
            left = left.part(count if step > 0 else 0, left.count - count)

    @property
    def _waiting_bytes(self) -> int:
        """Bytes that the open file keeps back."""
        return (
            self.buffer_bytes
            + self.buffer.total * ENTRY_HEADER_BYTES
            + (HEADER_BYTES if self._header_waits else 0)
        )

    def _keep(self, part: Extent, size: int, descending: bool) -> None:
        """Put what fits into the cache, in the order in which it is written (W121)."""
        count = min(part.count, (self._settings.store_max_cache_size - self.held_bytes) // size)
        if count > 0:
            first = part.count - count if descending else 0
            # a converted body is cached, and counted, again (W100)
            self.held.remove(part.start + first, count)
            self.held.insert(CachedBody(part.start + first, count, size))
            self.held_bytes += count * size

    def flush(self, fsync: bool = False) -> None:
        """Write what the open file keeps back (W121)."""
        if self.write_segment is None:
            return
        path = self.path(self.write_segment)
        if self._header_waits or self.buffer:
            chunks: list[ByteChunk] = []
            if self._header_waits:
                first = self.write_segment * self._settings.segment_entry_count
                chunks.append(FileHeader(STORE_MAGIC, first, first + self._settings.segment_entry_count))
            for each in sorted(self.buffer, key=lambda waiting: waiting.place.low):
                entries = self._entries(each.extent)
                chunks.append(entries if each.place.step > 0 else entries.turned())
            self._storage.append(path, chunks)
            self.buffer.clear()
            self.buffer_bytes, self._header_waits = 0, False
            size = self._storage.size(path) or 0
            self.emit(BodiesWritten("W121", self.name, fsync, ((self.write_segment, size),)))
        if fsync:
            self._storage.fsync(path)

    def sync(self) -> None:
        """Write everything and report whose bodies are there (W62)."""
        self.flush()
        if self.confirms:
            written, self.confirms = self.confirms, RangeSet()
            self.on_written(written)

    def boundary(self, seq: int) -> int:
        """Return the first position of the next segment: up to it bodies may be read together (W121)."""
        return self._settings.boundary(seq)

    # --- removing ----------------------------------------------------------------------------------------------------
    def remove_all(self, ranges: Sequence[Range]) -> None:
        """Take bodies out of the cache; in files they stay (W121)."""
        for each in ranges:
            for gone in self.held.remove(each.start, each.count):
                self.held_bytes -= gone.count * gone.term_bytes

    def delete_segments(self, segments: Sequence[int]) -> None:
        """Delete files; the cache loses everything up to the highest of them, and one more (W119, W121)."""
        if not segments:
            return
        for segment in segments:
            if segment == self.write_segment:
                self._close_unwritten()
            if segment == self.read_segment:
                self.read_segment = None
            size = self._storage.size(self.path(segment))
            self._storage.delete(self.path(segment))
            if size is not None:
                self.emit(BodyFileDeleted("W119", self.name, segment, size))
        low = self.held.first.start if self.held else 0
        high = (max(segments) + 1) * self._settings.segment_entry_count
        if low <= high:
            self.remove_all([Range(low, high + 1 - low)])

    def _close_unwritten(self) -> None:
        """Close the file that is open to be written, which is deleted."""
        for each in list(self.buffer):
            size = each.place.waiting_bytes
            self.emit(BodiesForgotten("W119", self.name, each.start, each.count, size))
        self.buffer.clear()
        self.buffer_bytes, self._header_waits = 0, False
        self.write_segment, self.write_offset = None, HEADER_BYTES

    def terminate(self) -> None:
        """Write and fsync the file that is open, and close everything (W95)."""
        self.flush(fsync=True)
        self.write_segment, self.write_offset = None, HEADER_BYTES
        self.read_segment = None

    # --- reading -----------------------------------------------------------------------------------------------------
    def read(self, start: int, count: int) -> None:
        """Read bodies one by one: from the cache, else from the file, which is written up to then (W121)."""
        for each in RangeSet([Range(start, count)]).subtract(self.held.overlapping(start, count)):
            for segment, at, many in self._settings.by_segment(each.start, each.count):
                if segment == self.write_segment:
                    self.flush()
                self._open(segment, READS)
                self._read_places(segment, Range(at, many), READS)


class FilesIndex:
    """Which messages a queue holds, in `.qi` and `.qs` files. `files`: the index itself, blank. `store`: the
    bodies in `.qs`, which `files` has too. `on_written`: called at a sync with the messages whose publishers
    wait for the index (W61).
    """

    shown_as = "files"

    def __init__(self, files: V2Index, store: DelayedBodies, on_written: Callable[[RangeSet], None]) -> None:
        self.files = files
        self.store = store
        self.directory = files.directory
        self.size = files.settings.segment_entry_count
        self.bodies = store
        self._on_written = on_written

    @property
    def dirty(self) -> int:
        return self.files.buffered

    @property
    def cache_room(self) -> int:
        """Return that any number fits: there is no cache of records (W18)."""
        return 1 << 62

    # --- entries come and go -----------------------------------------------------------------------------------------
    def publish(self, extents: Sequence[Extent], hint: int | None) -> None:
        """Add entries one by one; the hint of Q16 is ignored (W18)."""
        for extent in extents:
            self.publish_undelivered(extent, hint)

    def publish_undelivered(self, extent: Extent, hint: int | None) -> None:
        for each in extent.equal_parts():
            self.files.publish([in_index(each).with_flags(INDEXED)], [each] if each.wants_confirm else ())

    def pre_publish(
        self, extents: Sequence[Extent], hint: int | None, delivered: bool = True, descending: bool = False
    ) -> None:
        """Add entries one by one, the last one first where `descending`; a flush may come after any of them."""
        for each in extents:
            self._pre_publish(each, hint, descending)

    def _pre_publish(self, extent: Extent, hint: int | None, descending: bool) -> None:
        left = extent
        if descending and not isinstance(extent.size_bytes, int):
            self.publish(extent.equal_parts()[::-1], hint)
            return
        while descending and left.count > 1:
            settings, files = self.files.settings, self.files
            first = max(left.start, settings.segment_of(left.end - 1) * self.size)
            count = min(left.end - first, max(1, self.size - files.buffered))
            if count == left.count:
                break
            self.publish([left.part(left.count - count, count)], hint)
            left = left.part(0, left.count - count)
        self.publish([left], hint)

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
        self.ack(ranges, one_by_one=True)

    def deliver(self, ranges: Sequence[Range], one_by_one: bool = False, descending: bool = False) -> None:
        """Do nothing: there are no marks of deliveries (W18)."""

    def deliver_and_ack(self, ranges: Sequence[Range]) -> None:
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
        contains: Contains,
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
        buffered = [(each.count, False, 0) for each in self.files.buffer]
        return IndexLoad(len(self.files.segments), self.size, buffered, bool(self.files.buffered))

    def snapshot(self) -> dict[str, object]:
        """Return files and buffers: the fold's counterpart."""
        return self.files.snapshot()

    def verify(self) -> None:
        """Do nothing: what is claimed of the files is asked of the storage."""


def _nothing(_: Range) -> RangeSet:
    return RangeSet()
