"""What the files of a queue hold when it starts, told in runs: nobody's work, so that it can be shown (W96, W97)."""

from __future__ import annotations

from engine.classic_v2.files_table import ENTRY_HEADER_BYTES, WRITTEN, KnownBodies
from engine.classic_v2.formats.qi import BodyLocation, IndexSlots
from engine.classic_v2.index import loading
from engine.classic_v2.index.tables import IndexTables
from engine.classic_v2.queue_store import EntryPlace
from engine.values.ranges import RangeSet
from engine.values.sizes import equal
from engine.values.stretches import Stretches


def found_slots(index: IndexTables) -> tuple[RangeSet, Stretches[KnownBodies]]:
    """Return the slots whose message is there again, and where small bodies of them lie in `.qs`.

    Of a segment that no start has read (W96) transient messages are left out: the queue does not count them, and drops
    them when it comes to them.
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
    for at, slots in loading.slots_of(index, segment):
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
