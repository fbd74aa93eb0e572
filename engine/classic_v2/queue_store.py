"""Where bodies lie in `.qs` files, and what waits to be written there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from engine.classic_v2.files_table import FilesTable
from engine.classic_v2.formats.qi import HEADER_BYTES, STORE_MAGIC, BlankBytes, FileHeader, read_header
from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES, EntryDamaged, StoreEntries, read_entries
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.transitions import (
    BodiesBuffered,
    BodiesForgotten,
    BodiesRead,
    BodiesWritten,
    BodyFileDeleted,
    StretchesBuffered,
)
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk
from engine.values.errors import ProcessCrashed
from engine.values.extents import Extent
from engine.values.sizes import Length, equal, reach, total
from engine.values.stretches import Range, RangeSet, Stretch, Stretches, StretchRecord


class EntryPlace(StretchRecord, frozen=True, array_like=True, gc=False):
    """Entries of consecutive positions that lie back to back in one file (W112).

    Args:
        start: first position.
        offset: of the first entry's header.
        term_bytes: bytes of each term: one number, or lengths that differ.
        step: -1 where the last position was written first, as when 3.10 pages out from a lane's tail.
        msg_no: number of the first message, by which lengths are found; 0 where all are alike.
    """

    offset: int
    term_bytes: Length
    step: int = 1
    msg_no: int = 0

    def offset_of(self, skip: int) -> int:
        """Return where the entry `skip` positions on begins."""
        each = self.term_bytes
        if isinstance(each, int):
            return self.offset + skip * self.step * (each + ENTRY_HEADER_BYTES)
        return self.offset + each.total(self.msg_no, skip) + skip * ENTRY_HEADER_BYTES

    @property
    def low(self) -> int:
        """Where the first of the entries in the file begins."""
        return self.offset if self.step > 0 else self.offset_of(self.count - 1)

    @property
    def waiting_bytes(self) -> int:
        """Bytes of all terms, as a write buffer counts them (W114)."""
        return total(self.term_bytes, self.msg_no, self.count)

    @property
    def size_bytes(self) -> int:
        return self.waiting_bytes + self.count * ENTRY_HEADER_BYTES

    def equal_parts(self) -> list[EntryPlace]:
        """Return the same entries by runs of one size: one by one where lengths differ."""
        each = self.term_bytes
        if isinstance(each, int):
            return [self]
        return [
            EntryPlace(self.start + skip, 1, self.offset_of(skip), each.at(self.msg_no + skip))
            for skip in range(self.count)
        ]

    def part(self, offset: int, count: int) -> EntryPlace:
        number = 0 if isinstance(self.term_bytes, int) else self.msg_no + offset
        return EntryPlace(
            self.start + offset, count, self.offset_of(offset), self.term_bytes, self.step, number
        )

    def continued_by(self, after: EntryPlace) -> bool:
        """Return whether the entries that follow can be the same run."""
        return (
            self.term_bytes == after.term_bytes
            and self.step == after.step
            and self.offset_of(self.count) == after.offset
            and (isinstance(self.term_bytes, int) or self.msg_no + self.count == after.msg_no)
        )


Places = Stretches[EntryPlace]


class BufferedEntries(msgspec.Struct, frozen=True, gc=False):
    """Entries in the write buffer: their future places, and the messages (W114)."""

    place: EntryPlace
    extent: Extent

    @property
    def start(self) -> int:
        return self.place.start

    @property
    def count(self) -> int:
        return self.place.count

    def part(self, offset: int, count: int) -> BufferedEntries:
        return BufferedEntries(self.place.part(offset, count), self.extent.part(offset, count))

    def continued_by(self, after: BufferedEntries) -> bool:
        """Return whether the entries that follow can be the same run."""
        return self.place.continued_by(after.place) and self.extent.continued_by(after.extent)

    def merged(self, count: int) -> BufferedEntries:
        return BufferedEntries(self.place.merged(count), self.extent.merged(count))


MODULE = "rabbit_classic_queue_store_v2"


class QueueStore:
    """The small bodies of one queue. `name`: of the queue, as transitions carry it."""

    def __init__(
        self,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        settings: V2Settings,
        name: str,
        emit: Callable[[Transition], None],
    ) -> None:
        self.directory = directory
        self.name = name
        self._emit = emit
        self.table = FilesTable()
        """What the queue's files show, by what was reported of them."""
        self._storage = storage
        self._codec = codec
        self._settings = settings
        self.places: Places = Stretches()
        """Where the body of each indexed message lies, as far as the index was read."""
        self.unreadable = RangeSet()
        """Positions whose entry is damaged; reading one crashes the process (W117)."""
        self.buffer: Stretches[BufferedEntries] = Stretches()
        self.buffer_bytes = 0
        self.cache = RangeSet()
        self.write_segment: int | None = None
        self.write_offset = HEADER_BYTES
        self.read_segment: int | None = None

    def path(self, segment: int) -> str:
        """Return the path of a segment's file (W110)."""
        return f"{self.directory}/{segment}.qs"

    def emit(self, transition: Transition) -> None:
        """Report a change of the queue's files."""
        self.table.follow(transition)
        self._emit(transition)

    # --- writing -----------------------------------------------------------------------------------------------------
    def write(self, extents: Sequence[Extent]) -> None:
        """Put bodies into the write buffer, one after the other (W113, W114)."""
        settings, most = self._settings, self._settings.store_max_cache_size
        entered: list[EntryPlace] = []
        for extent in extents:
            each = self._codec.term_length(extent.template, extent.size_bytes, extent.raw_persistent)
            numbered = not isinstance(each, int)
            done = 0
            while done < extent.count:
                seq, number = extent.start + done, extent.msg_no + done
                segment = settings.segment_of(seq)
                count = min(extent.count - done, settings.boundary(seq) - seq)
                count = reach(each, number, count, 1, most - self.buffer_bytes)
                if entered and (segment != self.write_segment or entered[0].term_bytes != each):
                    self._report(entered)
                place = EntryPlace(seq, count, self._offset(segment), each, 1, number if numbered else 0)
                self.write_offset = place.offset_of(count)
                self.places.insert(place)
                part = extent if count == extent.count else extent.part(done, count)
                self.buffer.insert(BufferedEntries(place, part))
                self.buffer_bytes += place.waiting_bytes
                entered.append(place)
                if not numbered:
                    self._report(entered)
                if self.buffer_bytes >= most:
                    self._report(entered)
                    self.flush()
                done += count
        self._report(entered)

    def _report(self, entered: list[EntryPlace]) -> None:
        """Report places of one segment that have entered the buffer, and forget them."""
        if not entered:
            return
        first = entered[0]
        segment = self._settings.segment_of(first.start)
        if isinstance(first.term_bytes, int):
            size = first.waiting_bytes
            told: Transition = BodiesBuffered(
                "W114", self.name, segment, first.start, first.count, first.offset, size
            )
        else:
            runs = tuple([(each.start, each.count, each.msg_no) for each in entered])
            told = StretchesBuffered("W114", self.name, segment, first.offset, first.term_bytes, runs)
        entered.clear()
        self.emit(told)

    def _offset(self, segment: int) -> int:
        """Return where the next entry of a segment lies (W113)."""
        if self.write_segment is None:
            self.write_segment = segment
            return self._storage.size(self.path(segment)) or HEADER_BYTES
        if segment > self.write_segment:
            self.write_segment = segment
            return HEADER_BYTES
        return self.write_offset

    def flush(self, fsync: bool = False) -> None:
        """Write the buffer; it becomes the cache (W114, W115)."""
        if not self.buffer_bytes:
            return
        written = list(self.buffer)
        self.buffer.clear()
        self.buffer_bytes = 0
        self.cache = RangeSet(Range(each.start, each.count) for each in written)
        by_segment = self._by_segment(written)
        for segment, runs in by_segment.items():
            path = self.path(segment)
            if not self._storage.size(path):
                first = segment * self._settings.segment_entry_count
                header = FileHeader(STORE_MAGIC, first, first + self._settings.segment_entry_count)
                self._storage.write(path, 0, [header])
            self._write_runs(path, runs)
            if fsync:
                self._storage.fsync(path)
        sizes = tuple((segment, self._storage.size(self.path(segment)) or 0) for segment in by_segment)
        self.emit(BodiesWritten("W95" if fsync else "W114", self.name, fsync, sizes))

    def _by_segment(self, waiting: list[BufferedEntries]) -> dict[int, list[BufferedEntries]]:
        found: dict[int, list[BufferedEntries]] = {}
        for each in waiting:
            found.setdefault(self._settings.segment_of(each.start), []).append(each)
        return found

    def _write_runs(self, path: str, runs: list[BufferedEntries]) -> None:
        """Write runs, with zeros in place of what was removed before it was written (W113, W116)."""
        at = first = min(self._storage.size(path) or 0, runs[0].place.offset)
        chunks: list[ByteChunk] = []
        for run in runs:
            if run.place.offset > at:
                chunks.append(BlankBytes(run.place.offset - at))
            chunks.append(self._entries(run.extent))
            at = run.place.offset_of(run.count)
        self._storage.write(path, first, chunks)

    def _entries(self, extent: Extent) -> StoreEntries:
        return StoreEntries(
            extent.msg_no,
            extent.count,
            extent.size_bytes,
            extent.raw_persistent,
            extent.template,
            self._settings.check_crc32,
            self._codec,
        )

    def written_by(self, codec: MessageCodec) -> MessageCodec:
        """Let another codec encode what is written from now on; return the one before."""
        before, self._codec = self._codec, codec
        return before

    # --- removing ----------------------------------------------------------------------------------------------------
    def remove(self, ranges: Iterable[Stretch]) -> None:
        """Drop bodies from the write buffer; on disk they stay (W116)."""
        for each in ranges:
            for gone in self.buffer.remove(each.start, each.count):
                size = gone.place.waiting_bytes
                self.buffer_bytes -= size
                self.emit(BodiesForgotten("W116", self.name, gone.start, gone.count, size))

    def delete_segments(self, segments: Sequence[int]) -> None:
        """Delete files, with what the buffer holds for them (W119)."""
        for segment in segments:
            if segment == self.read_segment:
                self.read_segment = None
            size = self._storage.size(self.path(segment))
            self._storage.delete(self.path(segment))
            if size is not None:
                self.emit(BodyFileDeleted("W119", self.name, segment, size))
            first = segment * self._settings.segment_entry_count
            self.remove([Range(first, self._settings.segment_entry_count)])

    def terminate(self) -> None:
        """Write the buffer with fsync and close everything (W95)."""
        self.flush(fsync=True)
        self.write_segment = None
        self.write_offset = HEADER_BYTES
        self.cache = RangeSet()
        self.read_segment = None

    def forget(self) -> None:
        """Forget what lies in files, which are gone (W56)."""
        self.places.clear()
        self.unreadable = RangeSet()

    # --- reading -----------------------------------------------------------------------------------------------------
    def read(self, start: int, count: int) -> None:
        """Read bodies one by one: from buffer, cache or file (W117)."""
        disk = RangeSet([Range(start, count)]).subtract(self.buffer.overlapping(start, count))
        where = f"{MODULE}:read_from_disk/3"
        for each in disk.subtract(self.cache.inside(start, count)):
            for segment, at, many in self._settings.by_segment(each.start, each.count):
                self._open(segment, where)
                self._read_places(segment, Range(at, many), where)

    def read_many(self, wanted: Sequence[Range]) -> None:
        """Read bodies in one go: the newest from memory, all older ones from files (W118, W202). `wanted`:
        positions, ascending.
        """
        left = _without_newest(wanted, self.buffer.overlapping)
        if self.cache:
            left = _without_newest(left, self.cache.inside)
        if not left:
            return
        count = self._settings.segment_entry_count
        where = f"{MODULE}:parse_many_from_disk/4"
        for segment in range((left[-1].end - 1) // count, left[0].start // count - 1, -1):
            self._open(segment, f"{MODULE}:-read_many_from_disk/3-fun-0-/3")
            first = segment * count
            inside = [
                Range(max(each.start, first), min(each.end, first + count) - max(each.start, first))
                for each in left
                if each.start < first + count and each.end > first
            ]
            if not inside:
                raise ProcessCrashed("function_clause", where, self.path(segment))
            for each in inside:
                self._read_places(segment, each, where)

    def _read_places(self, segment: int, wanted: Range, where: str) -> None:
        """Read entries from the open file. Raises ProcessCrashed: one of them is damaged (W117)."""
        for place in self.places.overlapping(wanted.start, wanted.count):
            self.entries_at(segment, place)
        self.emit(BodiesRead("W118", self.name, segment, wanted.start, wanted.count))
        if self.unreadable.inside(wanted.start, wanted.count):
            raise ProcessCrashed("badmatch", where, self.path(segment))

    def _open(self, segment: int, where: str) -> None:
        """Open a file for reading unless it is the open one, and look at its header (W120)."""
        if segment == self.read_segment:
            return
        self.read_segment = None
        if self._header(segment) is None:
            raise ProcessCrashed("badmatch", where, self.path(segment))
        self.read_segment = segment

    def _header(self, segment: int) -> FileHeader | None:
        """Return a file's header, None without a file or with an empty one; else the process crashes (W205)."""
        path = self.path(segment)
        if not self._storage.size(path):
            return None
        header = read_header(self._storage.read_bytes(path, 0, HEADER_BYTES), STORE_MAGIC)
        if header is None:
            raise ProcessCrashed("case_clause", f"{MODULE}:get_read_fd/2", path)
        return header

    def entries_at(self, segment: int, place: EntryPlace) -> list[StoreEntries | None]:
        """Return what lies in a file at a place: runs, and None for each entry that cannot be read (W120).
        Positions of the latter are noted as unreadable.
        """
        path = self.path(segment)
        if self._storage.size(path) is None:
            self.unreadable.add(place.start, place.count)
            return [None] * place.count
        chunks = self._storage.part(path, place.low, place.size_bytes)
        size = place.term_bytes + ENTRY_HEADER_BYTES
        if all(isinstance(chunk, StoreEntries) and chunk.record_bytes == size for chunk in chunks):
            found = [chunk for chunk in chunks if isinstance(chunk, StoreEntries)]
            if sum(chunk.count for chunk in found) == place.count:
                return _rising(found, place.step)
        data = b"".join(chunk.encode() for chunk in chunks)
        parts = place.equal_parts()
        if len(parts) == 1:
            return self._entries_of(data, parts[0])
        lows = [part.low - place.low for part in parts]
        each = zip(parts, lows, [*lows[1:], len(data)], strict=True)
        return [one for part, low, end in each for one in self._entries_of(data[low:end], part)]

    def _entries_of(self, data: bytes, place: EntryPlace) -> list[StoreEntries | None]:
        size = equal(place.term_bytes)
        try:
            return _rising(read_entries(data, 0, size, place.count, self._codec), place.step)
        except EntryDamaged:
            found: list[StoreEntries | None] = []
        for number in range(place.count):
            at = place.offset_of(number) - place.low
            try:
                found.extend(read_entries(data, at, size, 1, self._codec))
            except EntryDamaged:
                found.append(None)
                self.unreadable.add(place.start + number)
        return found

    def files(self) -> tuple[tuple[int, int], ...]:
        names = [name for name in self._storage.list(self.directory) if name.endswith(".qs")]
        numbers = sorted(int(name[:-3]) for name in names if name[:-3].isdecimal())
        return tuple((number, self._storage.size(self.path(number)) or 0) for number in numbers)

    def check(self, segment: int, place: EntryPlace) -> list[StoreEntries | None]:
        """Return what a dirty start finds at a place; None for each entry that it drops (W120, W205)."""
        if segment != self.read_segment:
            self.read_segment = None
            if self._header(segment) is None:
                return [None] * place.count
            self.read_segment = segment
        found = self.entries_at(segment, place)
        self.unreadable.discard(place.start, place.count)
        return found


def _rising(found: Sequence[StoreEntries], step: int) -> list[StoreEntries | None]:
    """Return entries in the order of positions, in runs of rising message numbers. `found`: in the order of
    the file. `step`: -1 where the file has them from the last position to the first.
    """
    rising: list[StoreEntries | None] = []
    for each in found if step > 0 else [each.turned() for each in reversed(found)]:
        rising.extend([each] if each.step > 0 else [each.part(at, 1).turned() for at in range(each.count)])
    return rising


def _without_newest(
    wanted: Sequence[Range], inside: Callable[[int, int], Sequence[Range | BufferedEntries]]
) -> list[Range]:
    """Return positions without the newest ones that are all held."""
    for number in range(len(wanted) - 1, -1, -1):
        each = wanted[number]
        end = each.end
        for part in reversed(inside(each.start, each.count)):
            if part.start + part.count != end:
                break
            end = part.start
        if end > each.start:
            return [*wanted[:number], Range(each.start, end - each.start)]
    return []
