"""The write buffer, cache and segments of the index (W86-W93)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.backing_queue.protocol import Contains
from engine.classic_v2.files_table import ENTRY_HEADER_BYTES, WRITTEN, KnownBodies
from engine.classic_v2.formats.qi import (
    HEADER_BYTES,
    INDEX_MAGIC,
    SLOT_BYTES,
    BlankBytes,
    BodyLocation,
    FileHeader,
    IndexSlots,
)
from engine.classic_v2.index import recovery
from engine.classic_v2.index.recovery import load, slots_of
from engine.classic_v2.index.tables import IndexTables, walked
from engine.classic_v2.queue_store import EntryPlace
from engine.classic_v2.transitions import (
    FilesFound,
    FilesReset,
    IndexFileCreated,
    IndexFileDeleted,
    IndexFlushed,
    SlotsBuffered,
    SlotsRead,
)
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Why
from engine.values.chunks import ByteChunk, RawBytes
from engine.values.errors import ProcessCrashed
from engine.values.extents import Extent, as_ranges
from engine.values.sizes import equal
from engine.values.stretches import Range, RangeSet, Stretches, pairs


def found_slots(index: IndexTables) -> tuple[RangeSet, Stretches[KnownBodies]]:
    """Return the slots whose message is there again, and where small bodies of them lie in `.qs`. Of a
    segment that no start has read (W96) transient messages are left out: the queue does not count them, and
    drops them when it comes to them.
    """
    live = RangeSet()
    bodies: Stretches[KnownBodies] = Stretches()
    size = index.settings.segment_entry_count
    for segment in sorted(index.segments):
        if segment in index.unread:
            _of_file(index, segment, live, bodies)
            continue
        for extent in index.entries.overlapping(segment * size, size):
            live.add(extent.start, extent.count)
        for place in index.store.places.overlapping(segment * size, size):
            _add(bodies, place)
    for waiting in index.store.buffer:
        bodies.remove(waiting.start, waiting.count)
    return live, bodies


def _of_file(index: IndexTables, segment: int, live: RangeSet, bodies: Stretches[KnownBodies]) -> None:
    for at, slots in slots_of(index, segment):
        if not isinstance(slots, IndexSlots) or not slots.persistent:
            continue
        live.add(at, slots.count)
        if slots.location is BodyLocation.QUEUE:
            _add(bodies, EntryPlace(at, slots.count, slots.offset, slots.term_bytes, slots.step))


def _add(bodies: Stretches[KnownBodies], place: EntryPlace) -> None:
    """Add bodies; those that lie from the last to the first are runs of one, as a file has them."""
    each = equal(place.term_bytes) + ENTRY_HEADER_BYTES
    alike = place.count if place.step > 0 else 1
    for skip in range(0, place.count, alike):
        part = place.part(skip, alike)
        bodies.insert(KnownBodies(part.start, part.count, part.offset, each, WRITTEN))


def write(tables: IndexTables, entries: RangeSet, acks: RangeSet) -> None:
    """Write slots, one call for what is consecutive (W88), into files that are opened in a map's order (W212)."""
    if not entries and not acks:
        return
    why: Why = {"entries": len(entries), "acks": len(acks), "limit": tables.settings.segment_entry_count}
    items = [(each.start, each.count, True) for each in entries]
    items += [(each.start, each.count, False) for each in acks]
    items.sort()
    at = 0
    while at < len(items):
        run = [items[at]]
        end = items[at][0] + items[at][1]
        at += 1
        while at < len(items) and items[at][0] == end:
            run.append(items[at])
            end += items[at][1]
            at += 1
        _write_run(tables, run)
    cut = tables.settings.by_segment
    segments = {number for start, count, _ in items for number, _, _ in cut(start, count)}
    for segment in walked(segments):
        tables.files.open(segment)
    sizes = tuple((segment, tables.storage.size(tables.path(segment)) or 0) for segment in sorted(segments))
    tables.emit(IndexFlushed("W87", tables.name, bool(entries) or not tables.buffer, sizes, why))


def _write_run(tables: IndexTables, run: list[tuple[int, int, bool]]) -> None:
    chunks: dict[int, list[ByteChunk]] = {}
    begin = run[0][0]
    for start, count, live in run:
        for segment, first, many in tables.settings.by_segment(start, count):
            found: list[ByteChunk] = _slots(tables, first, many) if live else [BlankBytes(many * SLOT_BYTES)]
            chunks.setdefault(segment, []).extend(found)
    for segment, slots in chunks.items():
        first = max(begin, segment * tables.settings.segment_entry_count)
        _put(tables, segment, first, slots)


def _put(tables: IndexTables, segment: int, first: int, slots: list[ByteChunk]) -> None:
    path = tables.path(segment)
    offset = HEADER_BYTES + first % tables.settings.segment_entry_count * SLOT_BYTES
    end = tables.storage.size(path) or 0
    if offset > end:
        slots = [BlankBytes(offset - end), *slots]
        offset = end
    tables.storage.write(path, offset, slots)


def _slots(tables: IndexTables, start: int, count: int) -> list[ByteChunk]:
    found: list[ByteChunk] = []
    for extent in tables.entries.overlapping(start, count):
        if extent.home_store:
            found.append(_slot(extent, tables.codec, None))
            continue
        if not extent.in_store:  # indexed as part of a batch, while its body was in RAM alone (W83)
            found.append(_slot(extent, tables.codec, None))
            continue
        for place in tables.store.places.overlapping(extent.start, extent.count):
            found.append(_slot(extent, tables.codec, place))
    return found


def _slot(extent: Extent, codec: MessageCodec, place: EntryPlace | None) -> IndexSlots:
    """Return the slots of messages: at a place in `.qs`, or in the shared store."""
    known = extent.home_store or not isinstance(extent.size_bytes, int)
    number = extent.msg_no if place is None else extent.msg_no + place.start - extent.start
    return IndexSlots(
        extent.count if place is None else place.count,
        extent.persistent,
        _location(extent),
        extent.size_bytes,
        extent.expiry_us,
        number if known else 0,
        0 if place is None else place.offset,
        0 if place is None else place.term_bytes,
        codec,
        1 if place is None else place.step,
    )


def _location(extent: Extent) -> BodyLocation:
    if extent.home_store:
        return BodyLocation.SHARED
    return BodyLocation.QUEUE if extent.in_store else BodyLocation.MEMORY


MODULE = "rabbit_classic_queue_index_v2"


class V2Index(IndexTables):
    """The index of one queue: adds, removes, writes and reads entries."""

    def begin(self) -> None:
        """Write the stub that names the queue (W80)."""
        path = f"{self.directory}/.queue_name"
        self.storage.create(path)
        self.storage.append(path, [RawBytes(self.stub)])

    @property
    def updates(self) -> int:
        """Buffered acks (W86)."""
        return len(self.buffer_acks)

    @property
    def buffered(self) -> int:
        """Items in the write buffer (W87)."""
        return len(self.buffer) + len(self.buffer_acks)

    @property
    def acks_to_flush(self) -> int:
        """How many acks of written entries are left until the next flush (W87)."""
        most = self.settings.segment_entry_count
        return max(1, min(most // 2 - self.updates, most - self.buffered))

    # --- entries come ------------------------------------------------------------------------------------------------
    def publish(self, extents: Sequence[Extent], confirms: Iterable[Extent] = ()) -> None:
        """Add entries one after the other (W86, W87). `extents`: the messages, ascending. `confirms`: those
        of them whose confirms wait for the index.
        """
        settings = self.settings
        for each in confirms:
            self.confirms.add(each.msg_no, each.count)
        left = Stretches(extents)
        for run in as_ranges(extents):
            start = run.start
            while start < run.end:
                room = settings.segment_entry_count - self.buffered
                count = min(run.end, settings.boundary(start)) - start
                count = min(count, max(1, room))
                self._enter(start, count, left.pop_head(count))
                self._flush_if_due()
                start += count

    def _enter(self, start: int, count: int, extents: Iterable[Extent]) -> None:
        """Add entries of consecutive positions of one segment to the buffer."""
        segment = self.settings.segment_of(start)
        self.entries.insert_all(extents)
        self.buffer.add(start, count)
        if segment not in self.segments:
            self.files.open(segment)
            first = segment * self.settings.segment_entry_count
            header = FileHeader(INDEX_MAGIC, first, first + self.settings.segment_entry_count)
            self.storage.write(self.path(segment), 0, [header])
            self.segments[segment] = 0
            size = self.storage.size(self.path(segment)) or 0
            self.emit(IndexFileCreated("W82", self.name, segment, size))
        self.segments[segment] += count
        self.emit(SlotsBuffered("W86", self.name, "publish", segment, start, count))

    # --- entries go --------------------------------------------------------------------------------------------------
    def ack(self, ranges: Iterable[Range]) -> list[int]:
        """Acknowledge positions in one call; return the segments that are deleted (W86, W91)."""
        ranges = list(ranges)
        if not ranges:
            return []
        deleted = self._count_down(ranges)
        for each in ranges:
            self._acknowledge(each)
        self._forget_acks(deleted)
        self._flush_if_due()
        return deleted

    def ack_each(self, ranges: Iterable[Range]) -> list[int]:
        """Acknowledge positions in one call each; return the segments that are deleted."""
        return [segment for each in ranges for segment in self._ack_each(each)]

    def _ack_each(self, each: Range) -> list[int]:
        deleted: list[int] = []
        at = each.start
        while at < each.end:
            segment = self.settings.segment_of(at)
            end = min(each.end, self.settings.boundary(at))
            live = self.segments.get(segment, 0)
            buffered = self.buffer.inside(at, end - at)
            many = end - at
            if buffered and buffered[0].start == at:
                many = buffered[0].end - at
            else:  # up to the next flush (W87)
                many = min(many, buffered[0].start - at if buffered else many, self.acks_to_flush)
            if many >= live > 1:
                many = live - 1
            deleted += self.ack([Range(at, many)])
            at += many
        return deleted

    def _count_down(self, ranges: Sequence[Range]) -> list[int]:
        deleted: list[int] = []
        for each in ranges:
            for segment, at, count in self.settings.by_segment(each.start, each.count):
                left = self.segments[segment] - count
                self.emit(SlotsBuffered("W86", self.name, "ack", segment, at, count))
                if left:
                    self.segments[segment] = left
                else:
                    del self.segments[segment]
                    deleted.append(segment)
            self.entries.remove(each.start, each.count)
            self.store.places.remove(each.start, each.count)
            self.store.unreadable.discard(each.start, each.count)
        for segment in deleted:
            self.files.close(segment)
            size = self.storage.size(self.path(segment)) or 0
            self.storage.delete(self.path(segment))
            self.unread.discard(segment)
            first = segment * self.settings.segment_entry_count
            end = first + self.settings.segment_entry_count
            self.emit(IndexFileDeleted("W91", self.name, segment, first, end, size))
        return deleted

    def _acknowledge(self, each: Range) -> None:
        """Take entries out of the buffer, or put acks there (W86)."""
        for part in RangeSet([each]).subtract(self.buffer.discard(each.start, each.count)):
            self.buffer_acks.add(part.start, part.count)
            self.cache.discard(part.start, part.count)
            self.cache_acks.discard(part.start, part.count)

    def _forget_acks(self, deleted: Iterable[int]) -> None:
        for segment in deleted:
            first = segment * self.settings.segment_entry_count
            self.buffer_acks.discard(first, self.settings.segment_entry_count)

    # --- writing -----------------------------------------------------------------------------------------------------
    def _flush_if_due(self) -> None:
        if self.updates >= self.settings.segment_entry_count // 2:
            self.flush_acks()
        elif self.buffered >= self.settings.segment_entry_count:
            self.flush()

    def flush_acks(self) -> None:
        """Write all acks and keep the entries (W87, W89)."""
        write(self, RangeSet(), self.buffer_acks)
        self.cache_acks = self.buffer_acks
        self.buffer_acks = RangeSet()

    def flush(self) -> None:
        """Write everything; it becomes the cache (W87, W89)."""
        write(self, self.buffer, self.buffer_acks)
        self.cache, self.cache_acks = self.buffer, self.buffer_acks
        self.buffer, self.buffer_acks = RangeSet(), RangeSet()

    def sync(self) -> RangeSet:
        """Write everything; return the message numbers that waited for it (W62)."""
        self.flush()
        done, self.confirms = self.confirms, RangeSet()
        return done

    # --- reading -----------------------------------------------------------------------------------------------------
    def read(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end), from buffer, cache and files (W92). Raises ProcessCrashed:
        a slot that is read is neither live nor empty (W205).
        """
        disk = RangeSet([Range(start, end - start)]) if end > start else RangeSet()
        for held in (self.buffer, self.buffer_acks, self.cache, self.cache_acks):
            disk.subtract(held.inside(start, end - start))
        for each in disk:
            for segment, at, count in self.settings.by_segment(each.start, each.count):
                if segment not in self.segments:
                    continue
                self.files.open(segment)
                self._load(segment)
                if self.odd.inside(at, count):
                    raise ProcessCrashed("case_clause", f"{MODULE}:parse_entries/4", self.path(segment))
                self.emit(SlotsRead("W92", self.name, segment, at, at + count))
        return self.entries.overlapping(start, end - start)

    def first_live(self, start: int, end: int) -> int:
        """Return the first position of [start, end) that has a live entry, or `end` if none has."""
        for segment, at, count in self.settings.by_segment(start, end - start):
            if segment in self.unread:
                return at
            found = self.entries.overlapping(at, count) if segment in self.segments else []
            if found:
                return found[0].start
        return end

    def listed(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end) as `read` does, but no broker reads anything for it."""
        for segment in sorted(self.unread):
            self._load(segment)
        return self.entries.overlapping(start, end - start)

    def _load(self, segment: int) -> None:
        if segment in self.unread:
            self.unread.discard(segment)
            load(self, segment)

    def snapshot(self) -> dict[str, Any]:
        """Return files and write buffers as plain values: the fold's counterpart."""
        store = self.store
        return {
            "segments": [
                [number, self.storage.size(self.path(number)) or 0, live]
                for number, live in sorted(self.segments.items())
            ],
            "bodies": [list(each) for each in store.files()],
            "buffered": pairs(self.buffer),
            "acks": pairs(self.buffer_acks),
            "waiting": pairs(store.buffer),
            "waiting_bytes": store.buffer_bytes,
            **store.table.parts(),
        }

    def bounds(self, next_seq: int | None) -> tuple[int, int]:
        """Return the bounds of what the index may hold (W93). `next_seq`: as the recovery terms give it, None
        without any.
        """
        if not self.segments:
            if next_seq is not None and self.settings.starts_empty_at_next:
                return next_seq, next_seq
            return 0, 0
        count = self.settings.segment_entry_count
        return min(self.segments) * count, (max(self.segments) + 1) * count

    # --- beginning and end -------------------------------------------------------------------------------------------
    def start_again(self, segments: Iterable[tuple[int, int]]) -> None:
        """Start from the recovery terms; no file is read (W96)."""
        self.begin()
        self.segments = dict(segments)
        self.unread = set(self.segments)
        self.report_files("W96", clean=True)

    def recover(self, contains: Contains) -> tuple[int, int]:
        """Begin with what the files hold; return count and bytes of the survivors (W97). `contains`: which of
        these message numbers the persistent store holds.
        """
        self.begin()
        survivors = recovery.recover(self, contains)
        self.report_files("W97", clean=False)
        return survivors

    def report_files(self, rule: str, clean: bool) -> None:
        """Report the files that a start has found."""
        segments = tuple(
            (number, self.storage.size(self.path(number)) or 0, live)
            for number, live in sorted(self.segments.items())
        )
        live, bodies = found_slots(self)
        places = tuple((run.start, run.count, run.offset, equal(run.entry_bytes)) for run in bodies)
        self.emit(FilesFound(rule, self.name, clean, segments, self.store.files(), places, tuple(live)))

    def terminate(self) -> tuple[tuple[int, int], ...]:
        """Write everything, close the files and return the recovery terms (W95). Raises ProcessCrashed: a
        file that was open had to be closed for it (W200).
        """
        opened = list(self.files)
        self.files.mark()
        self.flush()
        lost = self.files.closed
        if lost:
            raise ProcessCrashed("badmatch", f"{MODULE}:terminate/3", self.path(min(lost)))
        for segment in opened:
            self.storage.fsync(self.path(segment))
        self.files.close_all()
        return tuple(sorted(self.segments.items()))

    def delete(self) -> None:
        """Remove the queue's directory (W57)."""
        self.files.close_all()
        self.storage.delete_directory(self.directory)
        self.emit(FilesReset("W56", self.name))

    def reset(self) -> None:
        """Remove the queue's directory and start anew (W56)."""
        self.delete()
        self.forget()
        self.begin()
