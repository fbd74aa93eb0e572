"""Small bodies in `.qs` as 3.10 writes them: one open file with a delayed write, and a cache of its own (W121)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from engine.classic_v2.formats.header import HEADER_BYTES, STORE_MAGIC, FileHeader
from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES
from engine.classic_v2.queue_store import EntryPlace, QueueStore
from engine.classic_v2.queue_store.body_places import BufferedEntries
from engine.classic_v2.transitions.files import (
    BodiesBuffered,
    BodiesForgotten,
    BodiesWritten,
    BodyFileDeleted,
)
from engine.storage.port import ByteChunk
from engine.values.extents import Extent
from engine.values.ranges import Range, RangeSet
from engine.values.sizes import equal
from engine.values.stretches import Stretches

DELAYED_BYTES = 512_000
"""What the open file keeps back; more is written at once."""
READS = "rabbit_classic_queue_store_v2:read_from_disk/3"


class CachedBody(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Consecutive positions whose bodies are in the cache, each with so many bytes of term."""

    start: int
    count: int
    term_bytes: int

    def part(self, offset: int, count: int) -> CachedBody:
        """Return `count` positions beginning `offset` positions on."""
        return CachedBody(self.start + offset, count, self.term_bytes)

    def continued_by(self, after: CachedBody) -> bool:
        """Return whether they are alike."""
        return self.term_bytes == after.term_bytes

    def merged(self, count: int) -> CachedBody:
        """Return this run with `count` positions."""
        return CachedBody(self.start, count, self.term_bytes)


class DelayedBodies(QueueStore):
    """The small bodies of one queue. Its write buffer is the delayed write of the file that is open."""

    held: Stretches[CachedBody]
    held_bytes: int
    confirms: RangeSet
    on_written: Callable[[RangeSet], None]

    def begin(self, on_written: Callable[[RangeSet], None]) -> DelayedBodies:
        """Begin with an empty cache.

        Args:
            on_written: called at a sync with the messages whose publishers wait.
        """
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
        """Write bodies of one size."""
        size = self._codec.term_bytes(extent.template, equal(extent.size_bytes), extent.raw_persistent)
        if extent.wants_confirm:
            self.confirms.add(extent.msg_no, extent.count)
        for part in self._by_segments(extent, descending):
            self._open_to_write(self._settings.segment_of(part.start))
            self._append(part, size, -1 if descending else 1)
            self._keep(part, size, descending)

    def _by_segments(self, extent: Extent, descending: bool) -> Iterator[Extent]:
        """Yield the messages of each segment, in the order in which they are written."""
        parts: list[Extent] = []
        done = 0
        while done < extent.count:
            seq = extent.start + done
            count = min(extent.count - done, self._settings.boundary(seq) - seq)
            parts.append(extent.part(done, count))
            done += count
        yield from reversed(parts) if descending else parts

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
        """Put bodies of one segment after the others, and write whenever enough wait."""
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
            if not self.places.overlapping(
                place.start, place.count
            ):  # a converted body is written again (W100)
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
            self.held.remove(
                part.start + first, count
            )  # a converted body is cached, and counted, again (W100)
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
        """Return the first position of the next segment."""
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
        disk = RangeSet([Range(start, count)])
        for held in self.held.overlapping(start, count):
            disk.discard(held.start, held.count)
        for each in disk:
            seq = each.start
            while seq < each.end:
                end = min(each.end, self._settings.boundary(seq))
                segment = self._settings.segment_of(seq)
                if segment == self.write_segment:
                    self.flush()
                self._open(segment, READS)
                self._read_places(segment, Range(seq, end - seq), READS)
                seq = end
