"""What the transitions of version 1's index and stores change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import astuple, replace

from engine.backing_queue.message_places import VARIABLE_QUEUE
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.transitions import (
    CombineStepped,
    DeltaChanged,
    EntriesRecorded,
    FilesCombined,
    FileUnlinked,
    IndexForgotten,
    IndexRecovered,
    IndexReset,
    JournalFlushed,
    JournalOpened,
    JournalSynced,
    Reduced,
    SegmentDeleted,
    SegmentWritten,
    StretchesRecorded,
    StretchesRecounted,
    StretchesWritten,
)
from engine.folding import FoldTable, QueueTable, found_by, register
from engine.report.transitions.queue import (
    BufferWritten,
    CacheChanged,
    FileCut,
    FileDeleted,
    FileLocked,
    FileRolledOver,
    RefCountChanged,
    RowsForgotten,
    RowsMoved,
    StoreRecovered,
    StoreStopped,
    StoreWritten,
)
from engine.values.extents import StoreRow
from engine.values.sizes import Length, total
from engine.values.stretches import Range, Stretches, StretchRecord

PUBLISH, DELIVER, ACK = 1, 2, 4
JOURNAL_BITS: Final = PUBLISH | DELIVER | ACK
ACTIONS: Final = {
    "publish": (PUBLISH, 1),
    "deliver": (DELIVER, 1),
    "ack": (ACK, 1),
    "publish_deliver": (PUBLISH | DELIVER, 2),
    "deliver_ack": (DELIVER | ACK, 2),
}
"""Bits that an action sets, and how many journal actions it is (S73)."""

FILE_ACKED: Final = 3
"""The part of an entry's code that a segment file has, where it has the acknowledgement too (S71)."""


def acked(code: int) -> bool:
    """Return whether an entry's code means that its message was acknowledged."""
    return code >> 3 == FILE_ACKED or code & ACK != 0


class IndexEntry(StretchRecord, frozen=True, array_like=True, gc=False):
    """Index entries of consecutive seq_ids: 8 * file part + journal bits."""

    code: int


class IndexTable:
    """One queue index: entries, segment files, journal. What a transition changes is said at its class."""

    __slots__ = ("entries", "segments", "journal_bytes", "buffered_bytes", "dirty")

    def __init__(self) -> None:
        self.entries: Stretches[IndexEntry] = Stretches()
        self.segments: dict[int, int] = {}
        self.journal_bytes: int | None = None
        self.buffered_bytes = 0
        self.dirty = 0

    def entries_recorded(self, t: EntriesRecorded) -> None:
        self._recorded(t.action, t.start, t.count)
        self.buffered_bytes += t.journal_bytes

    def stretches_recorded(self, t: StretchesRecorded) -> None:
        for start, count in t.runs:
            self._recorded(t.action, start, count)
        self.buffered_bytes += t.journal_bytes

    def _recorded(self, action: str, start: int, count: int) -> None:
        bits, actions = ACTIONS[action]
        at, end = start, start + count
        for old in [*self.entries.remove(start, count), IndexEntry(end, 0, 0)]:
            if at < old.start:
                self._insert(at, old.start - at, bits)
            if old.count:
                self._insert(old.start, old.count, old.code | bits)
            at = old.start + old.count
        self.dirty += actions * count

    def _insert(self, start: int, count: int, code: int) -> None:
        if code != JOURNAL_BITS:
            self.entries.insert(IndexEntry(start, count, code))

    def journal_opened(self, t: JournalOpened) -> None:
        self.journal_bytes = 0

    def journal_synced(self, t: JournalSynced) -> None:
        self.journal_bytes = (self.journal_bytes or 0) + t.bytes_
        self.buffered_bytes -= t.bytes_

    def journal_flushed(self, t: JournalFlushed) -> None:
        self.journal_bytes = 0
        self.buffered_bytes = 0
        self.dirty = 0

    def index_reset(self, t: IndexReset) -> None:
        self.entries.clear()
        self.segments.clear()
        self.journal_bytes = None
        self.buffered_bytes = self.dirty = 0

    def index_recovered(self, t: IndexRecovered) -> None:
        self.entries.clear()
        for start, count, code in t.entries:
            self.entries.insert(IndexEntry(start, count, code))
        self.segments = dict(t.segments)
        self.journal_bytes = t.journal_bytes
        self.buffered_bytes = 0
        self.dirty = t.dirty

    def index_forgotten(self, t: IndexForgotten) -> None:
        self.entries.clear()
        for start, count, code in t.entries:
            self.entries.insert(IndexEntry(start, count, code))
        self.buffered_bytes = t.buffered_bytes
        self.dirty = t.dirty

    def to_json(self) -> dict[str, Any]:
        return {
            "entries": [[e.start, e.count, e.code] for e in self.entries],
            "segments": [[number, size] for number, size in sorted(self.segments.items())],
            "journal_bytes": self.journal_bytes,
            "buffered_bytes": self.buffered_bytes,
            "dirty": self.dirty,
        }


class StoreFile(msgspec.Struct, array_like=True, gc=False):
    """One store file as the file summary has it, and the bytes that reached the operating system (S131)."""

    number: int
    file_size: int = 0
    valid: int = 0
    locked: bool = False
    disk_bytes: int = 0


class StoreTable:
    """One message store: files, rows, cache. What a transition changes is said at its class."""

    __slots__ = ("files", "current", "rows", "cache", "buffered_bytes", "orphans")

    def __init__(self) -> None:
        self.files: dict[int, StoreFile] = {}
        self.current = 0
        self.rows: Stretches[StoreRow] = Stretches()
        self.cache = 0
        self.buffered_bytes = 0
        self.orphans: dict[int, int] = {}

    def file(self, number: int) -> StoreFile:
        """Return a file, making it known where this is the first word of it."""
        return self.files.setdefault(number, StoreFile(number))

    def store_written(self, t: StoreWritten) -> None:
        self._written(t.file, t.offset, t.msg_no, t.count, t.record_bytes, t.step)

    def stretches_written(self, t: StretchesWritten) -> None:
        offset = t.offset
        for msg_no, count in t.runs:
            offset += self._written(t.file, offset, msg_no, count, t.record_bytes, t.step)

    def _written(
        self, number: int, offset: int, msg_no: int, count: int, record_bytes: Length, step: int
    ) -> int:
        size_bytes = total(record_bytes, msg_no, count)
        first = offset if step > 0 else offset + total(record_bytes, msg_no + 1, count - 1)
        self.rows.insert(StoreRow(msg_no, count, 1, number, first, record_bytes, step))
        file = self.file(number)
        file.file_size += size_bytes
        file.valid += size_bytes
        self.buffered_bytes += size_bytes
        self.current = number
        return size_bytes

    def buffer_written(self, t: BufferWritten) -> None:
        self.file(t.file).disk_bytes += t.bytes_
        self.buffered_bytes -= t.bytes_

    def file_rolled_over(self, t: FileRolledOver) -> None:
        self.file(t.opened)
        self.current = t.opened

    def ref_count_changed(self, t: RefCountChanged) -> None:
        self._recounted(t.msg_no, t.count, t.ref_count)

    def stretches_recounted(self, t: StretchesRecounted) -> None:
        for msg_no, count in t.runs:
            self._recounted(msg_no, count, t.ref_count)

    def _recounted(self, msg_no: int, count: int, refs: int) -> None:
        for old in self.rows.remove(msg_no, count):
            change = (refs > 0) - (old.refs > 0)
            self.file(old.file).valid += change * old.size_bytes
            self.rows.insert(replace(old, refs=refs))

    def rows_forgotten(self, t: RowsForgotten) -> None:
        for each in t.messages:
            self.rows.remove(each.start, each.count)

    def file_locked(self, t: FileLocked) -> None:
        self.file(t.file).locked = t.locked

    def rows_moved(self, t: RowsMoved) -> None:
        for msg_no, count, file, offset in t.rows:
            for old in self.rows.remove(msg_no, count):
                all_of_them = replace(old, start=msg_no, file=file, offset=offset)
                at = all_of_them.offset_of(old.start - msg_no)
                self.rows.insert(replace(old, file=file, offset=at))

    def combine_stepped(self, t: CombineStepped) -> None:
        if t.step == "truncated":
            self.file(t.destination).disk_bytes = t.bytes_

    def files_combined(self, t: FilesCombined) -> None:
        self._forget_file(t.source, t.left_on_disk)
        destination = self.file(t.destination)
        destination.file_size = destination.valid = t.size_bytes

    def file_deleted(self, t: FileDeleted) -> None:
        self._forget_file(t.file, t.left_on_disk)

    def _forget_file(self, number: int, left_on_disk: int) -> None:
        self.files.pop(number, None)
        if left_on_disk:
            self.orphans[number] = left_on_disk

    def file_unlinked(self, t: FileUnlinked) -> None:
        self.orphans.pop(t.file, None)
        if t.file in self.files:
            self.files[t.file].disk_bytes = 0

    def file_cut(self, t: FileCut) -> None:
        file = self.file(t.file)
        file.file_size = file.disk_bytes = t.size_bytes

    def cache_changed(self, t: CacheChanged) -> None:
        self.cache = t.entries

    def store_recovered(self, t: StoreRecovered) -> None:
        self.files = {row[0]: StoreFile(*row) for row in t.files}
        self.current = t.current
        self.rows = Stretches(StoreRow(*row) for row in t.rows)
        self.cache = self.buffered_bytes = 0
        self.orphans = dict(t.orphans)

    def to_json(self) -> dict[str, Any]:
        return {
            "files": [list(astuple(file)) for _, file in sorted(self.files.items())],
            "current": self.current,
            "rows": [list(astuple(row)) for row in self.rows],
            "cache": self.cache,
            "buffered_bytes": self.buffered_bytes,
            "orphans": [[number, size] for number, size in sorted(self.orphans.items())],
        }


USUAL: Final = QueueSettings()
"""What a run has whose settings nobody has reported."""


class V1OwnPart:
    """The own part of one queue."""

    __slots__ = ("reduction", "index")

    def __init__(self) -> None:
        self.reduction: dict[str, Any] | None = None
        self.index = IndexTable()

    def begin(self) -> None:
        """The queue begins; its recovery has found the index before."""
        self.reduction = None

    def reduced(self, t: Reduced) -> None:
        self.reduction = t.why

    def to_json(self) -> dict[str, Any]:
        return {
            "reduced": None if self.reduction is None else dict(self.reduction),
            "index": self.index.to_json(),
        }

    @staticmethod
    def live(own: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        for start, count, code in own["index"]["entries"]:
            if not acked(code):
                yield start, start + count


class DeltaRecord(NamedTuple):
    """The record of the messages that RAM only counts: here those of delta."""

    queue: QueueTable

    def delta_changed(self, t: DeltaChanged) -> None:
        self.queue.record = t.delta


class SegmentTables(NamedTuple):
    """An index whose segments have so many entries: what is done to all entries of one segment."""

    table: IndexTable
    size: int

    def segment_written(self, t: SegmentWritten) -> None:
        """Journal bits of the segment's entries become part of its file (S80.1)."""
        table, size = self
        for old in table.entries.remove(t.segment * size, size):
            # a second publish record replaces the first (S119)
            before = 0 if old.code & PUBLISH else old.code >> 3
            code = 8 * (before + (old.code & JOURNAL_BITS).bit_count())
            table.entries.insert(IndexEntry(old.start, old.count, code))
        table.segments[t.segment] = table.segments.get(t.segment, 0) + t.bytes_

    def segment_deleted(self, t: SegmentDeleted) -> None:
        self.table.entries.remove(t.segment * self.size, self.size)
        self.table.segments.pop(t.segment, None)


class StoreTables(NamedTuple):
    """The message stores of a node."""

    all: dict[str, StoreTable]

    def store_stopped(self, t: StoreStopped) -> None:
        self.all.pop(t.store, None)


def _segment_entries(settings: Mapping[str, Any]) -> int:
    entries: int = settings.get("segment_entry_count", USUAL.segment_entry_count)
    return entries


TABLES: Final[Mapping[str, FoldTable]] = {
    "record": FoldTable(DeltaRecord, lambda state, t: DeltaRecord(state.queue(t.queue))),
    "reduction": FoldTable(V1OwnPart, lambda state, t: state.queue(t.queue).own),
    "index": FoldTable(IndexTable, lambda state, t: state.queue(t.queue).own.index),
    "segments": FoldTable(
        SegmentTables,
        lambda state, t: SegmentTables(
            state.queue(t.queue).own.index, _segment_entries(state.node["settings"])
        ),
    ),
    "store": FoldTable(StoreTable, lambda state, t: state.stores.setdefault(t.store, StoreTable())),
    "stores": FoldTable(StoreTables, lambda state, t: StoreTables(state.stores)),
}
"""The tables that only transitions of version 1 change, by the name in `About.fold`."""

register(TABLES, VARIABLE_QUEUE, V1OwnPart)


@found_by(IndexRecovered)
def _found(t: IndexRecovered) -> list[Range]:
    return [Range(start, count) for start, count, code in t.entries if not acked(code)]
