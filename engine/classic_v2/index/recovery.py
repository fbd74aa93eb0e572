"""A dirty start: what the `.qi` files hold, checked against the stores (W97, W98, W205)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from engine.backing_queue.protocol import Contains
from engine.classic_v2.formats.qi import (
    HEADER_BYTES,
    INDEX_MAGIC,
    SLOT_BYTES,
    BlankBytes,
    BodyLocation,
    FileHeader,
    IndexSlots,
    decode_index,
    read_header,
)
from engine.classic_v2.formats.qs import StoreEntries
from engine.classic_v2.index.tables import IndexTables
from engine.classic_v2.queue_store import EntryPlace
from engine.classic_v2.settings import V2Settings
from engine.formats.message import MessageCodec
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk, RawBytes
from engine.values.errors import ProcessCrashed
from engine.values.extents import HOME_STORE, IN_STORE, INDEXED, PERSISTENT, RAW_PERSISTENT, READ_BACK, Extent
from engine.values.sizes import equal
from engine.values.stretches import Range, RangeSet

UNKNOWN_NO = 1 << 51
"""Numbers from here on stand for messages whose id no readable file has; nothing asks for them."""


def slots_of(index: IndexTables, segment: int) -> Iterator[tuple[int, ByteChunk]]:
    """Yield (position, chunk) of what a segment's file holds behind its header, within the segment."""
    chunks = index.storage.read(index.path(segment), partial(decode_index, codec=index.codec))
    at = segment * index.settings.segment_entry_count
    end = at + index.settings.segment_entry_count
    for chunk in chunks:
        if isinstance(chunk, FileHeader):
            continue
        if at >= end:
            return
        for part in chunk.equal_parts() if isinstance(chunk, IndexSlots) else (chunk,):
            if isinstance(part, IndexSlots) and at + part.count > end:
                part = part.part(0, end - at)  # noqa: PLW2901 - what lies behind the segment does not count
            yield at, part
            at += part.size_bytes // SLOT_BYTES
            if at >= end:
                return


def load(index: IndexTables, segment: int) -> None:
    """Enter the live entries of a segment, and note slots that are neither live nor empty (W205)."""
    for at, chunk in slots_of(index, segment):
        if isinstance(chunk, IndexSlots):
            for start, part in _without_acks(index, at, chunk):
                enter(index, segment, start, part)
        elif not isinstance(chunk, BlankBytes):
            data = chunk.encode()
            for skip in range(0, len(data), SLOT_BYTES):
                if data[skip]:
                    index.odd.add(at + skip // SLOT_BYTES, 1)


def _without_acks(index: IndexTables, at: int, slots: IndexSlots) -> Iterator[tuple[int, IndexSlots]]:
    """Yield the slots that no buffered ack removes, and that were not written since the start."""
    left = RangeSet([Range(at, slots.count)]).subtract(index.buffer_acks.inside(at, slots.count))
    for each in left.subtract(index.entries.overlapping(at, slots.count)):
        yield each.start, slots.part(each.start - at, each.count)


def enter(index: IndexTables, segment: int, start: int, slots: IndexSlots) -> None:
    """Add live slots, with what their bodies say about the messages."""
    if slots.location is BodyLocation.SHARED:
        flags = HOME_STORE | IN_STORE | INDEXED | (PERSISTENT | RAW_PERSISTENT if slots.persistent else 0)
        extent = Extent(start, slots.count, slots.msg_no, slots.body_bytes, flags, slots.expiry_us)
        for each in index.as_read(extent):
            index.entries.insert(each.with_flags(clear=READ_BACK))
        return
    place = EntryPlace(start, slots.count, slots.offset, slots.term_bytes, slots.step)
    found = index.store.entries_at(segment, place)
    enter_found(index, start, slots, found)


def enter_found(
    index: IndexTables, start: int, slots: IndexSlots, found: Sequence[StoreEntries | None]
) -> None:
    """Add live slots with the entries at their places; None for one that cannot be read."""
    at = start
    for entries in found:
        count = 1 if entries is None else entries.count
        flags = IN_STORE | INDEXED | (PERSISTENT if slots.persistent else 0)
        msg_no, template = UNKNOWN_NO + at, 0
        if entries is not None:
            msg_no, template = entries.msg_no, entries.template
            flags |= RAW_PERSISTENT if entries.raw_persistent else 0
        index.entries.insert(Extent(at, count, msg_no, slots.body_bytes, flags, slots.expiry_us, template))
        skip = at - start
        place = EntryPlace(at, count, slots.offset_of(skip), slots.term_bytes, slots.step)
        index.store.places.insert(place)
        at += count


def references(
    storage: Storage, directory: str, codec: MessageCodec, settings: V2Settings
) -> Iterator[Range]:
    """Yield the live persistent messages of the shared store that a queue's `.qi` files name."""
    for name in storage.list(directory):
        if not name.endswith(".qi"):
            continue
        at = 0
        for chunk in storage.read(f"{directory}/{name}", partial(decode_index, codec=codec)):
            if isinstance(chunk, FileHeader):
                continue
            if isinstance(chunk, IndexSlots) and chunk.persistent and chunk.location is BodyLocation.SHARED:
                count = min(chunk.count, settings.segment_entry_count - at)
                if count > 0:
                    yield Range(chunk.msg_no, count)
            at += chunk.size_bytes // SLOT_BYTES


_FUNCTION = "rabbit_classic_queue_index_v2:recover_segment/10"


class _Found:
    """What the walk over one segment found."""

    def __init__(self) -> None:
        self.live = 0
        self.size_bytes = 0
        self.dropped: list[Range] = []
        """Positions to be marked as acknowledged."""


def segment_numbers(index: IndexTables) -> list[int]:
    names = index.storage.list(index.directory)
    return sorted(int(name[:-3]) for name in names if name.endswith(".qi") and name[:-3].isdecimal())


def recover(index: IndexTables, contains: Contains) -> tuple[int, int]:
    """Walk over all files; return count and bytes of the survivors (W97)."""
    count = size_bytes = 0
    for segment in segment_numbers(index):
        path = index.path(segment)
        data = index.storage.read_bytes(path, 0, HEADER_BYTES)
        found = _Found()
        if read_header(data, INDEX_MAGIC) is not None:
            found = _walk(index, segment, contains)
        if not found.live:
            index.storage.delete(path)
            index.store.delete_segments([segment])
            first = segment * index.settings.segment_entry_count
            index.entries.remove(first, index.settings.segment_entry_count)
            index.store.places.remove(first, index.settings.segment_entry_count)
            continue
        for each in found.dropped:
            for seq in range(each.start, each.end):
                slot = seq % index.settings.segment_entry_count
                index.storage.write(path, HEADER_BYTES + slot * SLOT_BYTES, [RawBytes(b"\0")])
        index.segments[segment] = found.live
        count += found.live
        size_bytes += found.size_bytes
    index.store.read_segment = None
    return count, size_bytes


def _walk(index: IndexTables, segment: int, contains: Contains) -> _Found:
    found = _Found()
    for at, chunk in slots_of(index, segment):
        if isinstance(chunk, BlankBytes):
            continue
        if not isinstance(chunk, IndexSlots):
            _odd(index, segment, at, chunk.encode(), found)
        elif not chunk.persistent or chunk.location is BodyLocation.MEMORY:
            found.dropped.append(Range(at, chunk.count))
        elif chunk.location is BodyLocation.SHARED:
            _shared(index, at, chunk, contains, found)
        else:
            _own(index, segment, at, chunk, found)
    return found


def _odd(index: IndexTables, segment: int, at: int, data: bytes, found: _Found) -> None:
    """Decide about slots that no writer writes: marked as acknowledged, damaged, or cut off."""
    for skip in range(0, len(data), SLOT_BYTES):
        slot = data[skip : skip + SLOT_BYTES]
        if slot[0] == 0:
            continue
        if slot[0] != 1 or (len(slot) < SLOT_BYTES and len(slot) > 1 and slot[1] & 1):
            raise ProcessCrashed("case_clause", _FUNCTION, index.path(segment))
        found.dropped.append(Range(at + skip // SLOT_BYTES, 1))


def _shared(index: IndexTables, at: int, slots: IndexSlots, contains: Contains, found: _Found) -> None:
    begin = at
    for each in contains(Range(slots.msg_no, slots.count)):
        start = at + each.start - slots.msg_no
        if start > begin:
            found.dropped.append(Range(begin, start - begin))
        part = slots.part(start - at, each.count)
        enter(index, 0, start, part)
        found.live += each.count
        found.size_bytes += each.count * equal(slots.body_bytes)
        begin = start + each.count
    if begin < at + slots.count:
        found.dropped.append(Range(begin, at + slots.count - begin))


def _own(index: IndexTables, segment: int, at: int, slots: IndexSlots, found: _Found) -> None:
    entries = index.store.check(
        segment, EntryPlace(at, slots.count, slots.offset, slots.term_bytes, slots.step)
    )
    start = at
    for each in entries:
        count = 1 if each is None else each.count
        if each is None:
            found.dropped.append(Range(start, 1))
        else:
            enter_found(index, start, slots.part(start - at, count), [each])
            found.live += count
            found.size_bytes += count * equal(slots.body_bytes)
        start += count
