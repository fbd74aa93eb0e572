"""Reading `.qi` files back: after a clean start by segments, when one is needed (W92, W96)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.formats.blank import BlankBytes
from engine.classic_v2.formats.header import FileHeader
from engine.classic_v2.formats.qi import SLOT_BYTES, BodyLocation, IndexSlots, decode_index
from engine.classic_v2.formats.qs import StoreEntries
from engine.classic_v2.index.tables import IndexTables
from engine.classic_v2.queue_store import EntryPlace
from engine.formats.chunks import AnyChunk
from engine.values.extents import HOME_STORE, IN_STORE, INDEXED, PERSISTENT, RAW_PERSISTENT, READ_BACK, Extent
from engine.values.ranges import Range, RangeSet

UNKNOWN_NO = 1 << 51
"""From here on numbers stand for messages whose id is in no file that can be read; nobody asks for them."""


def slots_of(index: IndexTables, segment: int) -> Iterator[tuple[int, AnyChunk]]:
    """Yield (position, chunk) of what a segment's file holds behind its header, within the segment."""
    chunks = index.storage.read(index.path(segment), lambda data: decode_index(data, index.codec))
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
    """Enter the live entries of a segment.

    Raises:
        ProcessCrashed: a slot is neither live nor empty (W205).
    """
    for at, chunk in slots_of(index, segment):
        if isinstance(chunk, IndexSlots):
            for start, part in _without_acks(index, at, chunk):
                enter(index, segment, start, part)
        elif not isinstance(chunk, BlankBytes) and chunk.encode()[:1] != b"\0":
            raise ProcessCrashed(
                "case_clause", "rabbit_classic_queue_index_v2:parse_entries/4", index.path(segment)
            )


def _without_acks(index: IndexTables, at: int, slots: IndexSlots) -> Iterator[tuple[int, IndexSlots]]:
    """Yield the slots that no buffered ack ends, and that were not written since the start."""
    left = RangeSet([Range(at, slots.count)])
    for ack in index.buffer_acks.inside(at, slots.count):
        left.discard(ack.start, ack.count)
    for known in index.entries.overlapping(at, slots.count):
        left.discard(known.start, known.count)
    for each in left:
        yield each.start, slots.part(each.start - at, each.count)


def enter(index: IndexTables, segment: int, start: int, slots: IndexSlots) -> None:
    """Enter live slots, with what their bodies tell of the messages."""
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
    """Enter live slots with the entries that their places hold; None for one that cannot be read."""
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
