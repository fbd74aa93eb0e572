"""The segments of one queue: pending entries, unacked counts and files (S60, S70, S80.1, S90)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar

from engine.classic_v1.formats.publishing import PublishRecord
from engine.classic_v1.formats.segment import SegmentRecords, decode_segment
from engine.classic_v1.index.slots import (
    ACK,
    DELIVER,
    GONE,
    PUBLISH,
    JournalSlot,
    record,
    record_all,
    record_publish,
    record_publishes,
)
from engine.classic_v1.transitions import SegmentDeleted, SegmentWritten
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk, ZeroBytes
from engine.values.errors import IndexCorrupt, InvariantBroken
from engine.values.extents import (
    DELIVERED,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    Extent,
)
from engine.values.stretches import Range, Stretch, Stretches, StretchRecord, split


def publish_of(extent: Extent) -> PublishRecord:
    """Return the publish record of an extent's first message (S60). Fields of a stored message that no file
    keeps get the values that a reader must assume.
    """
    flags = extent.flags
    embedded, persistent = not flags & HOME_STORE, flags & PERSISTENT != 0
    return PublishRecord(
        msg_no=extent.msg_no,
        size_bytes=extent.size_bytes,
        expiry_us=extent.expiry_us,
        persistent=persistent,
        embedded=embedded,
        raw_persistent=flags & RAW_PERSISTENT != 0 if embedded else persistent,
        template=extent.template if embedded else 0,
    )


def extent_of(slot: JournalSlot, flags_deliveries: bool) -> Extent:
    """Return live entries as extents for the queue (S86), never waiting for a confirm (S64).
    `flags_deliveries`: whether the queue uses the delivered mark of each entry (V1).
    """
    publish = slot.publish
    if publish is None:
        raise InvariantBroken(f"seq_ids {slot.start} to {slot.end - 1} have no publish record (S91)")
    return Extent(
        slot.start,
        slot.count,
        publish.msg_no,
        publish.size_bytes,
        INDEXED
        | (PERSISTENT if publish.persistent else 0)
        | (IN_RAM if publish.embedded else HOME_STORE | IN_STORE)
        | (RAW_PERSISTENT if publish.raw_persistent else 0)
        | (DELIVERED if flags_deliveries and slot.delivered else 0),
        publish.expiry_us,
        publish.template,
    )


A = TypeVar("A", bound=Stretch)
B = TypeVar("B", bound=Stretch)


def overlay(first: Iterable[A], second: Iterable[B]) -> Iterator[tuple[A | None, B | None]]:
    """Yield the parts of both, in ascending order, cut so that each pair covers the same integers. Both
    arguments are sorted and free of overlaps. None stands where only the other has something.
    """
    left, right = iter(first), iter(second)
    a, b = next(left, None), next(right, None)
    while a is not None and b is not None:
        if a.start + a.count <= b.start:
            yield a, None
            a = next(left, None)
        elif b.start + b.count <= a.start:
            yield None, b
            b = next(right, None)
        elif a.start < b.start:
            before = b.start - a.start
            yield a.part(0, before), None
            a = a.part(before, a.count - before)
        elif b.start < a.start:
            before = a.start - b.start
            yield None, b.part(0, before)
            b = b.part(before, b.count - before)
        else:
            both = min(a.count, b.count)
            yield a.part(0, both), b.part(0, both)
            a = a.part(both, a.count - both) if a.count > both else next(left, None)
            b = b.part(both, b.count - both) if b.count > both else next(right, None)
    while a is not None:
        yield a, None
        a = next(left, None)
    while b is not None:
        yield None, b
        b = next(right, None)


BOTH: Final = PUBLISH + DELIVER
ENDED: Final = DELIVER + ACK


def combined(filed: JournalSlot | None, pending: JournalSlot | None) -> tuple[JournalSlot | None, int]:
    """Return the entries that result, None when removed, and the change of unacked for each (S91). Raises
    IndexCorrupt for a pair outside the table.
    """
    if pending is None:
        return filed, 0
    if filed is None:
        if pending.bits in (PUBLISH, BOTH):
            return pending, 1
    elif (filed.bits, pending.bits) == (PUBLISH, DELIVER):
        return filed.marked(DELIVER), 0
    elif (filed.bits, pending.bits) in ((PUBLISH, ENDED), (BOTH, ACK)):
        return None, -1
    raise _impossible("S91", filed, pending)


MERGE: Final = "rabbit_queue_index,segment_plus_journal1"
"""The broker's function with a clause for each pair of the table (S91)."""
MORE_THAN_DELTA: Final = "rabbit_variable_queue,maybe_deltas_to_betas"
"""The broker's function whose case has no clause for a delta with fewer messages than the index gave (V8)."""


def arguments(error: IndexCorrupt) -> str:
    """Return an impossible pair as Erlang writes that function's arguments, without messages."""
    return ",".join(_slot(error.values[name]) for name in ("filed", "pending"))


def _slot(bits: int | str) -> str:
    if not isinstance(bits, int) or not bits:
        return "undefined"
    marks = f"{'del' if bits & DELIVER else 'no_del'},{'ack' if bits & ACK else 'no_ack'}"
    return f"{{{'{_,_,_}' if bits & PUBLISH else 'no_pub'},{marks}}}"


def live_entries(
    filed: Iterable[JournalSlot], pending: Iterable[JournalSlot]
) -> tuple[Stretches[JournalSlot], int]:
    """Return the live entries of a segment, and what `pending` changes in its unacked count (S91). `filed`
    may hold acked entries; they are passed over, as a load without keep_acked would (S90).
    """
    live: Stretches[JournalSlot] = Stretches()
    change = 0
    pending = list(pending)
    if not pending:
        live.insert_all([slot for slot in filed if slot.publish is not None and not slot.acked])
        return live, change
    for old, new in overlay((slot for slot in filed if slot.live), pending):
        result, each = combined(old, new)
        if result is not None:
            live.insert(result)
        change += each * (new.count if new is not None else 0)
    return live, change


KEEP: Final = -1
DROP: Final = 0

DUPLICATES: Final[dict[tuple[int, int], tuple[int, int]]] = {
    (PUBLISH, 0): (KEEP, 0),
    (PUBLISH, PUBLISH): (DROP, 1),
    (BOTH, 0): (KEEP, 0),
    (BOTH, PUBLISH): (DELIVER, 1),
    (BOTH, BOTH): (DROP, 1),
    (DELIVER, PUBLISH): (KEEP, 0),
    (DELIVER, BOTH): (DROP, 0),
    (ACK, 0): (DROP, 0),
    (ACK, BOTH): (KEEP, 0),
    (ACK, GONE): (DROP, -1),
    (ENDED, 0): (DROP, 0),
    (ENDED, PUBLISH): (KEEP, 0),
    (ENDED, BOTH): (ACK, 0),
    (ENDED, GONE): (DROP, -1),
}
"""S115: (journal, segment file with acked entries kept) -> (what stays of the journal, number of duplicates).
Missing cells are errors.
"""


def without_duplicates(
    pending: Iterable[JournalSlot], filed: Iterable[JournalSlot]
) -> tuple[Stretches[JournalSlot], int]:
    """Return the pending entries without what the segment file has too, and the number of duplicates (S115).
    `filed` comes from a load that kept acked entries. Raises IndexCorrupt for a cell outside the table.
    """
    kept: Stretches[JournalSlot] = Stretches()
    duplicates = 0
    for new, old in overlay(pending, filed):
        if new is None:
            continue
        cell = DUPLICATES.get((new.bits, 0 if old is None else old.bits))
        if cell is None or (new.publish is not None and old is not None and _differ(new, old)):
            raise _impossible("S115", old, new)
        stays, each = cell
        duplicates += each * new.count
        if stays == KEEP:
            kept.insert(new)
        elif stays != DROP:
            kept.insert(JournalSlot(new.start, new.count, None, bool(stays & DELIVER), bool(stays & ACK)))
    return kept, duplicates


def _differ(new: JournalSlot, old: JournalSlot) -> bool:
    return new.publish != old.publish or new.term != old.term


def _impossible(rule: str, filed: JournalSlot | None, pending: JournalSlot) -> IndexCorrupt:
    return IndexCorrupt(
        "slots_impossible",
        first=pending.start,
        last=pending.end - 1,
        filed=0 if filed is None else filed.bits,
        pending=pending.bits,
        rule=rule,
    )


SEGMENT_NAME: Final = re.compile(r".*\.idx")
LEADING_DIGITS: Final = re.compile(r"[0-9]+")
_start = attrgetter("start")


class SegmentFile(StretchRecord, frozen=True, array_like=True, gc=False):
    """What the segment files contain about consecutive seq_ids: 1 published, 2 delivered, 3 acked."""

    part_no: int


class IndexFiles(NamedTuple):
    """Where the files of one queue's index are. `queue`: its name, as transitions carry it. `resource`: what the
    broker calls it, for the stub file (S6). `directory`: relative to the storage's root. `size`: entries per segment,
    N (S4).
    """

    queue: str
    resource: bytes
    directory: str
    storage: Storage
    codec: MessageCodec
    size: int
    emit: Callable[[Transition], None]


class IndexSegments:
    """The map of segments with everything that is pending in them, for one queue. Pending entries are one
    sequence over all segments, so a burst is one run; only counts and files are kept by segment. `filed`
    mirrors the files' contents for the page; no rule reads it.
    """

    def __init__(self, files: IndexFiles) -> None:
        self._queue, self._directory, self._storage = files.queue, files.directory, files.storage
        self._emit = files.emit
        self.codec = files.codec
        self.size = files.size
        self.pending: Stretches[JournalSlot] = Stretches()
        self.unacked: dict[int, int] = {}
        self.wrong_counts: dict[int, int] = {}
        """How many messages the terms counted too many in a segment; fewer than none after a crash (V8)."""
        self.file_bytes: dict[int, int] = {}
        self.filed: Stretches[SegmentFile] = Stretches()
        self.empty: set[int] = set()

    # --- the map ---
    def forget_all(self) -> None:
        self.pending = Stretches()
        self.unacked.clear()
        self.wrong_counts.clear()
        self.file_bytes.clear()
        self.filed.clear()
        self.empty.clear()

    def set_unacked(self, segment: int, unacked: int) -> None:
        """Put a segment into the map with a known number of live messages (S112, S113.3)."""
        self.unacked[segment] = unacked
        if unacked:
            self.empty.discard(segment)
        else:
            self.empty.add(segment)

    def remember(self, segment: int) -> None:
        """Put a segment into the map if it is not there (S86)."""
        if segment not in self.unacked:
            self.set_unacked(segment, 0)

    def _count(self, start: int, count: int, change: int) -> None:
        segment = start // self.size
        if (start + count - 1) // self.size == segment:  # as one message always
            known = self.unacked.get(segment, 0)
            if known > count:  # so it stays above 0
                self.unacked[segment] = known + change * count
            else:
                self.set_unacked(segment, known + change * count)
            return
        for segment, _, inside in split(start, count, self.size):
            self.set_unacked(segment, self.unacked.get(segment, 0) + change * inside)

    def _count_all(self, runs: Iterable[Stretch], change: int) -> None:
        size = self.size
        changes: dict[int, int] = {}
        for run in runs:
            start, count = run.start, run.count
            segment = start // size
            if (start + count - 1) // size == segment:
                changes[segment] = changes.get(segment, 0) + change * count
            else:
                for number, _, inside in split(start, count, size):
                    changes[number] = changes.get(number, 0) + change * inside
        self.add_unacked(changes)

    # --- actions (S71) ---
    def publish(self, fresh: JournalSlot) -> None:
        """Apply publish, followed by deliver if `fresh` has it, to a run of seq_ids."""
        record_publish(self.pending, fresh)
        self._count(fresh.start, fresh.count, 1)

    def deliver(self, start: int, count: int) -> None:
        """Apply deliver to a run of seq_ids."""
        record(self.pending, DELIVER, start, count)
        self._count(start, count, 0)

    def ack(self, start: int, count: int) -> None:
        """Apply ack to a run of seq_ids."""
        record(self.pending, ACK, start, count)
        self._count(start, count, -1)

    def publish_all(self, fresh: list[JournalSlot]) -> None:
        """Apply publish to runs, each as by `publish`; what comes last first is turned around."""
        if fresh[0].start > fresh[-1].start:
            fresh.sort(key=_start)
        record_publishes(self.pending, fresh)
        self._count_all(fresh, 1)

    def mark_all(self, action: int, ranges: Sequence[Range]) -> None:
        """Apply deliver or ack to runs, each as by `deliver` and `ack`."""
        if ranges[0].start > ranges[-1].start:
            ranges = sorted(ranges, key=_start)
        record_all(self.pending, action, ranges)
        self._count_all(ranges, -1 if action == ACK else 0)

    def add_unacked(self, changes: dict[int, int]) -> None:
        """Change the unacked counts of segments, and put them into the map; see `gathered`."""
        for segment, change in changes.items():
            self.set_unacked(segment, self.unacked.get(segment, 0) + change)

    # --- files ---
    def path(self, segment: int) -> str:
        """Return the path of a segment's file (S7)."""
        return f"{self._directory}/{segment}.idx"

    def flush(self) -> None:
        """Write pending entries to the files; delete segments without live messages (S80.1). Segments go in
        ascending order; inside one, entries go in descending order (S65), as one write and one fsync.
        """
        waiting: dict[int, list[JournalSlot]] = {}
        for slot in self.pending:
            number = slot.start // self.size
            if (slot.start + slot.count - 1) // self.size == number:
                waiting.setdefault(number, []).append(slot)
                continue
            for segment, start, count in split(slot.start, slot.count, self.size):
                waiting.setdefault(segment, []).append(slot.part(start - slot.start, count))
        self.pending = Stretches()
        for segment in sorted(waiting.keys() | self.empty):
            if self.unacked[segment] == 0:
                self._delete(segment)
            else:
                self._write(segment, waiting[segment])

    def _write(self, segment: int, slots: list[JournalSlot]) -> None:
        path = self.path(segment)
        chunks = [
            SegmentRecords(
                slot.start,
                slot.count,
                slot.publish,
                slot.delivered + slot.acked,
                self.size,
                self.codec,
                slot.term,
            )
            for slot in reversed(slots)
        ]
        before = self._storage.size(path) or 0
        self._storage.append_remembered(path, chunks)
        size_bytes = (self._storage.size(path) or 0) - before
        self._storage.fsync(path)
        self.file_bytes[segment] = self.file_bytes.get(segment, 0) + size_bytes
        self._mirror(slots)
        self._emit(SegmentWritten("S80.1", self._queue, segment, size_bytes))

    def _mirror(self, slots: list[JournalSlot]) -> None:
        """Note what entries, ascending, add to a file; published neighbours with equal marks are one run."""
        found: list[SegmentFile] = []
        start = end = records = 0
        for slot in slots:
            added = 1 + slot.delivered + slot.acked
            if slot.publish is None:
                self._mirror_marks(slot, added - 1)
            elif added == records and slot.start == end:
                end += slot.count
            else:
                if records:
                    found.append(SegmentFile(start, end - start, records))
                start, end, records = slot.start, slot.start + slot.count, added
        if records:
            found.append(SegmentFile(start, end - start, records))
        self._mirror_all(found)

    def _mirror_all(self, published: list[SegmentFile]) -> None:
        """Note entries that a file got; a second publish record of an entry replaces the first (S119)."""
        try:
            self.filed.merge(published)
        except ValueError:
            for each in published:
                self.filed.remove(each.start, each.count)
                self.filed.insert(each)

    def _mirror_marks(self, slot: JournalSlot, added: int) -> None:
        for old, new in overlay(self.filed.remove(slot.start, slot.count), [slot]):
            if new is not None:
                self.filed.insert(
                    SegmentFile(new.start, new.count, (old.part_no if old is not None else 0) + added)
                )

    def _delete(self, segment: int) -> None:
        size_bytes = self.file_bytes.pop(segment, None)
        if size_bytes is not None:
            self._storage.delete(self.path(segment))
        self.filed.remove(segment * self.size, self.size)
        del self.unacked[segment]
        self.wrong_counts.pop(segment, None)
        self.empty.discard(segment)
        self._emit(SegmentDeleted("S80.1", self._queue, segment, size_bytes or 0))

    def real_bytes(self, segment: int) -> int | None:
        return self._storage.size(self.path(segment))

    def find_files(self) -> list[int]:
        """Return the numbers of the segments that have a file, ascending, and note their sizes (S9)."""
        numbers: set[int] = set()
        for name in self._storage.list(self._directory):
            if not SEGMENT_NAME.match(name):
                continue
            digits = LEADING_DIGITS.match(name)
            if digits is None:
                raise IndexCorrupt("no_segment_number", path=f"{self._directory}/{name}")
            numbers.add(int(digits.group()))
        for number in numbers:
            size_bytes = self._storage.size(self.path(number))
            if size_bytes is not None:
                self.file_bytes[number] = size_bytes
        return sorted(numbers)

    def content(self, segment: int, own: bool = False) -> Sequence[ByteChunk]:
        """Return the chunks of a segment's file; empty when there is none. Raises IndexCorrupt where the
        broker would crash on them (S119). `segment`: its number. `own`: whether to use the records as
        written, if the storage remembers them; a recovery reads the file.
        """

        decode = partial(decode_segment, segment=segment, entry_count=self.size, codec=self.codec)
        read = self._storage.read_back if own else self._storage.read
        return read(self.path(segment), decode)

    def load(self, segment: int, own: bool = False) -> tuple[Stretches[JournalSlot], int]:
        """Read a segment's file: its entries, acked ones kept, and how many are live (S90). A file of zeros
        alone is deleted. Raises IndexCorrupt where the broker would crash (S119). `segment`: its number.
        `own`: as for `content`.
        """
        chunks = self.content(segment, own)
        if segment in self.file_bytes and all_zeros(chunks):
            self._storage.delete(self.path(segment))
            del self.file_bytes[segment]
            return Stretches(), 0
        return parse(chunks)

    def mirror_files(self) -> None:
        """Fill `filed` from the files, for the picture and the checks; what cannot be read stays unknown."""
        for segment in sorted(self.file_bytes.keys() | self.unacked.keys()):
            try:
                slots, in_file = parse(self.content(segment))
                self.mirror(slots)
                _, change = live_entries(slots, self.pending.overlapping(segment * self.size, self.size))
            except IndexCorrupt:
                continue
            if wrong := self.unacked.get(segment, 0) - in_file - change:
                self.wrong_counts[segment] = wrong

    def mirror(self, slots: Stretches[JournalSlot]) -> None:
        """Note in `filed` what a load found."""
        start = end = part_no = 0
        for slot in slots:
            found = (slot.publish is not None) + slot.delivered + slot.acked
            if slot.start != end or found != part_no:
                if end > start:
                    self.filed.insert(SegmentFile(start, end - start, part_no))
                start, part_no = slot.start, found
            end = slot.start + slot.count
        if end > start:
            self.filed.insert(SegmentFile(start, end - start, part_no))


def all_zeros(chunks: Sequence[ByteChunk]) -> bool:
    """Return whether a file holds zero bytes alone, or nothing (S90)."""
    return all(isinstance(chunk, ZeroBytes) for chunk in chunks)


def parse(chunks: Sequence[ByteChunk]) -> tuple[Stretches[JournalSlot], int]:
    """Apply the records of a segment file in order: the entries, acked ones kept, and how many are live
    (S90). A second publish record replaces the first, yet both count as live (S119). The head of a publish
    record that the file's end cuts off is passed over.
    """
    slots: Stretches[JournalSlot] = Stretches()
    unacked = 0
    falling: list[JournalSlot] = []
    for chunk in chunks:
        if not isinstance(chunk, SegmentRecords):
            continue
        marks = chunk.marks
        if chunk.publish is not None:
            if falling and chunk.start + chunk.count > falling[-1].start:
                _put(slots, falling)
            falling.append(
                JournalSlot(chunk.start, chunk.count, chunk.publish, marks > 0, marks > 1, chunk.term)
            )
            unacked += chunk.count * (marks < 2)
        else:
            _put(slots, falling)
            unacked -= _mark(slots, chunk.start, chunk.count, marks)
    _put(slots, falling)
    return slots, unacked


def _put(slots: Stretches[JournalSlot], falling: list[JournalSlot]) -> None:
    """Let entries, the highest first as one flush writes them (S65), replace those that are there; forget the list."""
    falling.reverse()
    if falling and slots.total and falling[0].start < slots.end:
        for slot in falling:
            slots.remove(slot.start, slot.count)
            slots.insert(slot)
    else:
        slots.insert_all(falling)
    falling.clear()


def _mark(slots: Stretches[JournalSlot], start: int, count: int, marks: int) -> int:
    """Apply `marks` two-byte records to each entry; return how many entries they ended (S60)."""
    found = slots.remove(start, count)
    if sum(slot.count for slot in found) != count or any(slot.marks + marks > 2 for slot in found):
        raise IndexCorrupt("mark_without_message", first=start, last=start + count - 1)
    ended = 0
    for slot in found:
        slots.insert(slot.with_marks(slot.marks + marks))
        ended += slot.count * (slot.marks + marks == 2)
    return ended
