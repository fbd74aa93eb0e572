"""Write buffer, cache and segments of the index (W86-W93)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.backing_queue.means import as_it_is
from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.formats.blank import Blank
from engine.classic_v2.formats.header import HEADER_BYTES, INDEX_MAGIC, FileHeader
from engine.classic_v2.formats.qi import SLOT_BYTES, IndexSlots, Location
from engine.classic_v2.index import found, loading, recovery
from engine.classic_v2.index.handles import OpenFiles
from engine.classic_v2.queue_store import EntryPlace, QueueStore
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.transitions.files import (
    FilesFound,
    FilesReset,
    IndexFileCreated,
    IndexFileDeleted,
    IndexFlushed,
    SlotsBuffered,
    SlotsRead,
)
from engine.formats.chunks import RawBytes
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Why
from engine.storage.port import Chunk, Storage
from engine.values.erlang_maps import walked
from engine.values.extents import Extent
from engine.values.ranges import Range, RangeSet
from engine.values.sizes import equal
from engine.values.stretches import Stretches, pairs

MODULE = "rabbit_classic_queue_index_v2"


class V2Index:
    """The index of one queue.

    Args:
        directory: the queue's directory inside `storage`.
        storage: where its files are.
        codec: gives the ids.
        settings: sizes and capabilities.
        store: the queue's own store, which has the places of small bodies.
        stub: content of `.queue_name` (W80).
        as_read: what messages of a shared store are that a file names: with all that they carry.
    """

    def __init__(
        self,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        settings: V2Settings,
        store: QueueStore,
        stub: bytes,
        as_read: Callable[[Extent], Sequence[Extent]] = as_it_is,
    ) -> None:
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.settings = settings
        self.store = store
        self._stub = stub
        self.as_read = as_read
        self._name = store.name
        self._emit = store.emit
        self._forget()

    def _forget(self) -> None:
        self.segments: dict[int, int] = {}
        """Live messages of each segment (W91)."""
        self.entries: Stretches[Extent] = Stretches()
        """Every live entry, in memory or on disk, of segments that are not `unread`."""
        self.unread: set[int] = set()
        """Segments of which nothing but the number of live messages is known, after a clean start (W96)."""
        self.buffer = RangeSet()
        self.buffer_acks = RangeSet()
        self.cache = RangeSet()
        self.cache_acks = RangeSet()
        self.confirms = RangeSet()
        """Message numbers whose confirm waits for the index (W61)."""
        self.files = OpenFiles()

    def path(self, segment: int) -> str:
        """Return the path of a segment's file (W80)."""
        return f"{self.directory}/{segment}.qi"

    def begin(self) -> None:
        """Write the stub that names the queue (W80)."""
        path = f"{self.directory}/.queue_name"
        self.storage.create(path)
        self.storage.append(path, [RawBytes(self._stub)])

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
        """How many acks of entries that are written lead to the next flush (W87)."""
        most = self.settings.segment_entry_count
        return max(1, min(most // 2 - self.updates, most - self.buffered))

    # --- entries come ------------------------------------------------------------------------------------------------

    def publish(self, extent: Extent, confirm: bool) -> None:
        """Add entries one after the other (W86, W87).

        Args:
            extent: the messages.
            confirm: their confirms wait for the index.
        """
        settings = self.settings
        if confirm:
            self.confirms.add(extent.msg_no, extent.count)
        done = 0
        while done < extent.count:
            seq = extent.start + done
            room = settings.segment_entry_count - self.buffered
            count = min(extent.count - done, settings.boundary(seq) - seq, max(1, room))
            self._enter(extent.part(done, count))
            self._flush_if_due()
            done += count

    def _enter(self, extent: Extent) -> None:
        segment = self.settings.segment_of(extent.start)
        self.entries.insert(extent)
        self.buffer.add(extent.start, extent.count)
        if segment in self.segments:
            self._count_up(segment, extent)
            return
        self.files.open(segment)
        first = segment * self.settings.segment_entry_count
        header = FileHeader(INDEX_MAGIC, first, first + self.settings.segment_entry_count)
        self.storage.write(self.path(segment), 0, [header])
        self.segments[segment] = 0
        self._emit(IndexFileCreated("W82", self._name, segment, self.storage.size(self.path(segment)) or 0))
        self._count_up(segment, extent)

    def _count_up(self, segment: int, extent: Extent) -> None:
        self.segments[segment] += extent.count
        self._emit(SlotsBuffered("W86", self._name, "publish", segment, extent.start, extent.count))

    # --- entries go --------------------------------------------------------------------------------------------------

    def ack(self, ranges: Iterable[Range]) -> list[int]:
        """Acknowledge positions as one call; return the segments that are deleted (W86, W91)."""
        ranges = list(ranges)
        if not ranges:
            return []
        deleted = self._count_down(ranges)
        for each in ranges:
            self._acknowledge(each)
        self._forget_acks(deleted)
        self._flush_if_due()
        return deleted

    def ack_each(self, each: Range) -> list[int]:
        """Acknowledge positions by a call for each; return the segments that are deleted."""
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
            at = each.start
            while at < each.end:
                segment = self.settings.segment_of(at)
                count = min(each.end, self.settings.boundary(at)) - at
                left = self.segments[segment] - count
                self._emit(SlotsBuffered("W86", self._name, "ack", segment, at, count))
                if left:
                    self.segments[segment] = left
                else:
                    del self.segments[segment]
                    deleted.append(segment)
                at += count
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
            self._emit(IndexFileDeleted("W91", self._name, segment, first, end, size))
        return deleted

    def _acknowledge(self, each: Range) -> None:
        """Take entries out of the buffer, or put acks there (W86)."""
        rest = RangeSet([each])
        for gone in self.buffer.discard(each.start, each.count):
            rest.discard(gone.start, gone.count)
        for part in rest:
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
        self._write(RangeSet(), self.buffer_acks)
        self.cache_acks = self.buffer_acks
        self.buffer_acks = RangeSet()

    def flush(self) -> None:
        """Write everything; it becomes the cache (W87, W89)."""
        self._write(self.buffer, self.buffer_acks)
        self.cache, self.cache_acks = self.buffer, self.buffer_acks
        self.buffer, self.buffer_acks = RangeSet(), RangeSet()

    def sync(self) -> RangeSet:
        """Write everything; return the message numbers that waited for it (W62)."""
        self.flush()
        done, self.confirms = self.confirms, RangeSet()
        return done

    def _write(self, entries: RangeSet, acks: RangeSet) -> None:
        """Write slots, one call for what is consecutive (W88), into files that are opened in a map's order (W212)."""
        if not entries and not acks:
            return
        why: Why = {
            "entries": len(entries),
            "acks": len(acks),
            "limit": self.settings.segment_entry_count,
        }
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
            self._write_run(run)
        segments = self._segments_of(entries, acks)
        for segment in walked(segments):
            self.files.open(segment)
        sizes = tuple((segment, self.storage.size(self.path(segment)) or 0) for segment in sorted(segments))
        self._emit(IndexFlushed("W87", self._name, bool(entries) or not self.buffer, sizes, why))

    def _segments_of(self, *written: RangeSet) -> set[int]:
        of = self.settings.segment_of
        return {
            segment
            for ranges in written
            for each in ranges
            for segment in range(of(each.start), of(each.end - 1) + 1)
        }

    def _write_run(self, run: list[tuple[int, int, bool]]) -> None:
        chunks: dict[int, list[Chunk]] = {}
        begin = run[0][0]
        for start, count, live in run:
            first = start
            while first < start + count:
                segment = self.settings.segment_of(first)
                many = min(start + count, self.settings.boundary(first)) - first
                found = self._slots(first, many) if live else [Blank(many * SLOT_BYTES)]
                chunks.setdefault(segment, []).extend(found)
                first += many
        for segment, slots in chunks.items():
            first = max(begin, segment * self.settings.segment_entry_count)
            self._put(segment, first, slots)

    def _put(self, segment: int, first: int, slots: list[Chunk]) -> None:
        path = self.path(segment)
        offset = HEADER_BYTES + first % self.settings.segment_entry_count * SLOT_BYTES
        end = self.storage.size(path) or 0
        if offset > end:
            slots = [Blank(offset - end), *slots]
            offset = end
        self.storage.write(path, offset, slots)

    def _slots(self, start: int, count: int) -> list[Chunk]:
        found: list[Chunk] = []
        for extent in self.entries.overlapping(start, count):
            if extent.home_store:
                found.append(_slot(extent, self.codec, None))
                continue
            if not extent.in_store:  # indexed as part of a batch, while its body was in RAM alone (W83)
                found.append(_slot(extent, self.codec, None))
                continue
            for place in self.store.places.overlapping(extent.start, extent.count):
                found.append(_slot(extent, self.codec, place))
        return found

    # --- reading -----------------------------------------------------------------------------------------------------

    def read(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end), from buffer, cache and files (W92)."""
        disk = RangeSet([Range(start, end - start)]) if end > start else RangeSet()
        for held in (self.buffer, self.buffer_acks, self.cache, self.cache_acks):
            for each in held.inside(start, end - start):
                disk.discard(each.start, each.count)
        for each in disk:
            at = each.start
            while at < each.end:
                segment = self.settings.segment_of(at)
                if segment in self.segments:
                    self.files.open(segment)
                    self._load(segment)
                    stop = min(each.end, self.settings.boundary(at))
                    self._emit(SlotsRead("W92", self._name, segment, at, stop))
                at = self.settings.boundary(at)
        return self.entries.overlapping(start, end - start)

    def first_live(self, start: int, end: int) -> int:
        """Return the first position of [start, end) that has a live entry, `end` without one."""
        at = start
        while at < end:
            segment = self.settings.segment_of(at)
            stop = min(end, self.settings.boundary(at))
            if segment in self.segments:
                if segment in self.unread:
                    return at
                found = self.entries.overlapping(at, stop - at)
                if found:
                    return found[0].start
            at = stop
        return end

    def listed(self, start: int, end: int) -> list[Extent]:
        """Return the live entries of [start, end) as `read` does, but no broker reads anything for it."""
        for segment in sorted(self.unread):
            self._load(segment)
        return self.entries.overlapping(start, end - start)

    def _load(self, segment: int) -> None:
        if segment in self.unread:
            self.unread.discard(segment)
            loading.load(self, segment)

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
        """Return the bounds of what the index may hold (W93).

        Args:
            next_seq: as the recovery terms give it, None without any.
        """
        if not self.segments:
            if next_seq is not None and self.settings.starts_empty_at_next:
                return next_seq, next_seq
            return 0, 0
        count = self.settings.segment_entry_count
        return min(self.segments) * count, (max(self.segments) + 1) * count

    # --- beginning and end -------------------------------------------------------------------------------------------

    def start_again(self, segments: Iterable[tuple[int, int]]) -> None:
        """Begin with what the recovery terms say; no file is read (W96)."""
        self.begin()
        self.segments = dict(segments)
        self.unread = set(self.segments)
        self.report_files("W96", clean=True)

    def recover(self, contains: Callable[[Range], RangeSet]) -> tuple[int, int]:
        """Begin with what the files hold; return count and bytes of the survivors (W97).

        Args:
            contains: which of these message numbers the persistent store holds.
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
        live, bodies = found.found_slots(self)
        places = tuple((run.start, run.count, run.offset, run.entry_bytes) for run in bodies)
        self._emit(FilesFound(rule, self._name, clean, segments, self.store.files(), places, tuple(live)))

    def terminate(self) -> tuple[tuple[int, int], ...]:
        """Write everything, close the files and return the recovery terms (W95).

        Raises:
            ProcessCrashed: a file that was open had to be closed for it (W200).
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
        self._emit(FilesReset("W56", self._name))

    def reset(self) -> None:
        """Remove the queue's directory and begin anew (W56)."""
        self.delete()
        self._forget()
        self.begin()


def _slot(extent: Extent, codec: MessageCodec, place: EntryPlace | None) -> IndexSlots:
    """Return the slots of messages: at a place in `.qs`, or in the shared store."""
    return IndexSlots(
        extent.count if place is None else place.count,
        extent.persistent,
        _location(extent),
        equal(extent.size_bytes),
        extent.expiry_us,
        extent.msg_no if extent.home_store else 0,
        0 if place is None else place.offset,
        0 if place is None else place.term_bytes,
        codec,
        1 if place is None else place.step,
    )


def _location(extent: Extent) -> Location:
    if extent.home_store:
        return Location.SHARED
    return Location.QUEUE if extent.in_store else Location.MEMORY
