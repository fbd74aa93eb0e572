"""Writing slots into `.qi` files, one call for what is consecutive (W87, W88)."""

from __future__ import annotations

from engine.classic_v2.formats.blank import BlankBytes
from engine.classic_v2.formats.header import HEADER_BYTES
from engine.classic_v2.formats.qi import SLOT_BYTES, BodyLocation, IndexSlots
from engine.classic_v2.index.tables import IndexTables
from engine.classic_v2.queue_store import EntryPlace
from engine.classic_v2.transitions.files import IndexFlushed
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Why
from engine.storage.port import ByteChunk
from engine.values.erlang_maps import walked
from engine.values.extents import Extent
from engine.values.ranges import RangeSet


def write(tables: IndexTables, entries: RangeSet, acks: RangeSet) -> None:
    """Write slots, one call for what is consecutive (W88), into files that are opened in a map's order (W212)."""
    if not entries and not acks:
        return
    why: Why = {
        "entries": len(entries),
        "acks": len(acks),
        "limit": tables.settings.segment_entry_count,
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
        _write_run(tables, run)
    segments = _segments_of(tables, entries, acks)
    for segment in walked(segments):
        tables.files.open(segment)
    sizes = tuple((segment, tables.storage.size(tables.path(segment)) or 0) for segment in sorted(segments))
    tables.emit(IndexFlushed("W87", tables.name, bool(entries) or not tables.buffer, sizes, why))


def _segments_of(tables: IndexTables, *written: RangeSet) -> set[int]:
    of = tables.settings.segment_of
    return {
        segment
        for ranges in written
        for each in ranges
        for segment in range(of(each.start), of(each.end - 1) + 1)
    }


def _write_run(tables: IndexTables, run: list[tuple[int, int, bool]]) -> None:
    chunks: dict[int, list[ByteChunk]] = {}
    begin = run[0][0]
    for start, count, live in run:
        first = start
        while first < start + count:
            segment = tables.settings.segment_of(first)
            many = min(start + count, tables.settings.boundary(first)) - first
            found: list[ByteChunk] = _slots(tables, first, many) if live else [BlankBytes(many * SLOT_BYTES)]
            chunks.setdefault(segment, []).extend(found)
            first += many
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
