"""A dirty start: what the `.qi` files hold, checked against the stores (W97, W98, W205)."""

from __future__ import annotations

from collections.abc import Callable

from engine.classic_v2.errors import ProcessCrashed
from engine.classic_v2.formats.blank import BlankBytes
from engine.classic_v2.formats.header import HEADER_BYTES, INDEX_MAGIC, read_header
from engine.classic_v2.formats.qi import SLOT_BYTES, BodyLocation, IndexSlots
from engine.classic_v2.index import loading
from engine.classic_v2.index.tables import IndexTables
from engine.classic_v2.queue_store import EntryPlace
from engine.formats.chunks import RawBytes
from engine.values.ranges import Range, RangeSet
from engine.values.sizes import equal

Contains = Callable[[Range], RangeSet]
_FUNCTION = "rabbit_classic_queue_index_v2:recover_segment/10"


class _Found:
    """What the walk over one segment found."""

    def __init__(self) -> None:
        self.live = 0
        self.size_bytes = 0
        self.dropped: list[Range] = []
        """Positions to be marked as acknowledged."""


def segment_numbers(index: IndexTables) -> list[int]:
    """Return the numbers of the `.qi` files that are there, ascending."""
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
    for at, chunk in loading.slots_of(index, segment):
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
    """Judge slots that no writer writes: marked as acknowledged, damaged, or cut off."""
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
        loading.enter(index, 0, start, part)
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
            loading.enter_found(index, start, slots.part(start - at, count), [each])
            found.live += count
            found.size_bytes += count * equal(slots.body_bytes)
        start += count
