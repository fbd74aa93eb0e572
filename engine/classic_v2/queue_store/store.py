"""Write buffer, cache and files of the per-queue store (W110-W120)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.formats.blank import Blank
from engine.classic_v2.formats.header import HEADER_BYTES, NEEDED_BYTES, STORE_MAGIC, FileHeader, read_header
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.formats.qs import StoreEntries, read_entries
from engine.classic_v2.queue_store.places import Place, Places, Waiting
from engine.classic_v2.settings import V2Settings
from engine.errors import StoreCorrupt
from engine.extents import Extent
from engine.formats.chunks import AnyChunk, RawBytes
from engine.ranges import Range, RangeSet
from engine.storage.port import Storage
from engine.stretches import Stretches

MODULE = "rabbit_classic_queue_store_v2"


class QueueStore:
    """The small bodies of one queue.

    Args:
        directory: the queue's directory inside `storage`.
        storage: where its files are.
        codec: encodes messages.
        settings: sizes and capabilities.
    """

    def __init__(self, directory: str, storage: Storage, codec: McCodec, settings: V2Settings) -> None:
        self.directory = directory
        self._storage = storage
        self._codec = codec
        self._settings = settings
        self.places: Places = Stretches()
        """Where the body of each indexed message lies, as far as the index was read."""
        self.unreadable = RangeSet()
        """Positions whose entry is damaged; reading one crashes the process (W117)."""
        self.buffer: Stretches[Waiting] = Stretches()
        self.buffer_bytes = 0
        self.cache = RangeSet()
        self.write_segment: int | None = None
        self.write_offset = HEADER_BYTES
        self.read_segment: int | None = None

    def path(self, segment: int) -> str:
        """Return the path of a segment's file (W110)."""
        return f"{self.directory}/{segment}.qs"

    # --- writing -----------------------------------------------------------------------------------------------------

    def write(self, extent: Extent) -> None:
        """Put bodies into the write buffer, one after the other (W113, W114)."""
        settings = self._settings
        size = self._codec.term_bytes(extent.template, extent.size_bytes, extent.raw_persistent)
        done = 0
        while done < extent.count:
            seq = extent.start + done
            room = -(-(settings.store_max_cache_size - self.buffer_bytes) // size)
            count = min(extent.count - done, settings.boundary(seq) - seq, max(1, room))
            offset = self._offset(settings.segment_of(seq))
            place = Place(seq, count, offset, size)
            self.write_offset = offset + count * place.stride
            self.places.insert(place)
            self.buffer.insert(Waiting(place, extent.part(done, count)))
            self.buffer_bytes += count * size
            if self.buffer_bytes >= settings.store_max_cache_size:
                self.flush()
            done += count

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
        for segment, runs in self._by_segment(written).items():
            path = self.path(segment)
            if not self._storage.size(path):
                first = segment * self._settings.segment_entry_count
                header = FileHeader(STORE_MAGIC, first, first + self._settings.segment_entry_count)
                self._storage.write(path, 0, [header])
            self._write_runs(path, runs)
            if fsync:
                self._storage.fsync(path)

    def _by_segment(self, waiting: list[Waiting]) -> dict[int, list[Waiting]]:
        found: dict[int, list[Waiting]] = {}
        for each in waiting:
            found.setdefault(self._settings.segment_of(each.start), []).append(each)
        return found

    def _write_runs(self, path: str, runs: list[Waiting]) -> None:
        """Write runs, with zeros in place of what was removed before it was written (W113, W116)."""
        for run in runs:
            entries = self._entries(run.extent)
            end = self._storage.size(path) or 0
            gap = run.place.offset - end
            if gap > 0:
                self._storage.write(path, end, [Blank(gap), entries])
            else:
                self._storage.write(path, run.place.offset, [entries])

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

    # --- removing ----------------------------------------------------------------------------------------------------

    def remove(self, start: int, count: int) -> None:
        """Drop bodies from the write buffer; on disk they stay (W116)."""
        for gone in self.buffer.remove(start, count):
            self.buffer_bytes -= gone.count * gone.place.term_bytes

    def delete_segments(self, segments: Sequence[int]) -> None:
        """Delete files, with what the buffer holds for them (W119)."""
        for segment in segments:
            if segment == self.read_segment:
                self.read_segment = None
            self._storage.delete(self.path(segment))
            first = segment * self._settings.segment_entry_count
            self.remove(first, self._settings.segment_entry_count)

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
        disk = RangeSet([Range(start, count)])
        for each in [*self.buffer.overlapping(start, count), *self.cache.inside(start, count)]:
            disk.discard(each.start, each.count)
        for each in disk:
            at = each.start
            while at < each.end:
                many = min(each.end, self._settings.boundary(at)) - at
                self._read_from(self._settings.segment_of(at), f"{MODULE}:read_from_disk/3")
                if self.unreadable.inside(at, many):
                    raise ProcessCrashed("badmatch", f"{MODULE}:read_from_disk/3", self.path(self.read_segment or 0))
                at += many

    def read_many(self, wanted: Sequence[Range]) -> None:
        """Read bodies in one go: the newest from memory, all older ones from files (W118, W202).

        Args:
            wanted: positions, ascending.
        """
        left = _without_newest(wanted, self.buffer)
        if self.cache:
            left = _without_newest(left, self.cache)
        if not left:
            return
        count = self._settings.segment_entry_count
        first, last = left[0].start // count, (left[-1].end - 1) // count
        held = {each.start // count for each in left} | {(each.end - 1) // count for each in left}
        for segment in range(last, first - 1, -1):
            where = f"{MODULE}:parse_many_from_disk/4"
            self._read_from(segment, f"{MODULE}:-read_many_from_disk/3-fun-0-/4")
            if segment not in held and not any(
                each.start // count < segment < (each.end - 1) // count for each in left
            ):
                raise ProcessCrashed("function_clause", where, self.path(segment))
            for each in left:
                low, high = max(each.start, segment * count), min(each.end, (segment + 1) * count)
                if low < high and self.unreadable.inside(low, high - low):
                    raise ProcessCrashed("badmatch", where, self.path(segment))

    def _read_from(self, segment: int, missing: str) -> None:
        """Open a file for reading unless it is the open one, and look at its header (W120)."""
        if segment == self.read_segment:
            return
        self.read_segment = None
        if self._opened(segment) is None:
            raise ProcessCrashed("badmatch", missing, self.path(segment))
        self.read_segment = segment
        self._verify(segment)

    def _opened(self, segment: int) -> FileHeader | None:
        """Return a file's header, None without a file or with an empty one; else the process crashes (W205)."""
        path = self.path(segment)
        if not self._storage.size(path):
            return None
        header = read_header(self._storage.read_bytes(path, 0, max(NEEDED_BYTES, HEADER_BYTES)), STORE_MAGIC)
        if header is None:
            raise ProcessCrashed("case_clause", f"{MODULE}:get_read_fd/2", path)
        return header

    def _verify(self, segment: int) -> None:
        """Look for entries that were damaged since they were written."""
        first = segment * self._settings.segment_entry_count
        for place in self.places.overlapping(first, self._settings.segment_entry_count):
            if not self.buffer.overlapping(place.start, place.count):
                self.entries_at(segment, place)

    def entries_at(self, segment: int, place: Place) -> list[StoreEntries | None]:
        """Return what lies in a file at a place: runs, and None for each entry that cannot be read (W120).

        Positions of the latter are noted as unreadable.
        """
        chunks = self._storage.read(self.path(segment), _as_bytes)
        if not any(isinstance(chunk, StoreEntries) for chunk in chunks):
            return self._entries_of(b"".join(chunk.encode() for chunk in chunks), place)
        return self._among(chunks, place)

    def _among(self, chunks: Sequence[AnyChunk], place: Place) -> list[StoreEntries | None]:
        """Find a place among chunks that are known; where it is not made of them alone, read bytes."""
        found: list[StoreEntries | None] = []
        offset = 0
        want, end = place.offset, place.offset + place.count * place.stride
        for chunk in chunks:
            after = offset + chunk.size_bytes
            if after > want and isinstance(chunk, StoreEntries) and chunk.record_bytes == place.stride:
                skip, odd = divmod(want - offset, place.stride)
                if odd or skip < 0:
                    break
                count = min(chunk.count - skip, (end - want) // place.stride)
                found.append(chunk.part(skip, count))
                want += count * place.stride
            elif after > want:
                break
            if want >= end:
                return found
            offset = after
        return self._entries_of(b"".join(chunk.encode() for chunk in chunks), place)

    def _entries_of(self, data: bytes, place: Place) -> list[StoreEntries | None]:
        try:
            return list(read_entries(data, place.offset, place.term_bytes, place.count, self._codec))
        except StoreCorrupt:
            found: list[StoreEntries | None] = []
        for number in range(place.count):
            at = place.offset + number * place.stride
            try:
                found.extend(read_entries(data, at, place.term_bytes, 1, self._codec))
            except StoreCorrupt:
                found.append(None)
                self.unreadable.add(place.start + number)
        return found

    def check(self, segment: int, place: Place) -> list[StoreEntries | None]:
        """Return what a dirty start finds at a place; None for each entry that it drops (W120, W205)."""
        if segment != self.read_segment:
            self.read_segment = None
            if self._opened(segment) is None:
                return [None] * place.count
            self.read_segment = segment
        found = self.entries_at(segment, place)
        self.unreadable.discard(place.start, place.count)
        return found


def _without_newest(wanted: Sequence[Range], held: RangeSet | Stretches[Waiting]) -> list[Range]:
    """Return positions without the newest ones that are all held."""
    inside = held.inside if isinstance(held, RangeSet) else held.overlapping
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


def _as_bytes(data: bytes) -> list[AnyChunk]:
    return [RawBytes(data)] if data else []


