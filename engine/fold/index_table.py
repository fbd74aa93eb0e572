"""The two tables of the folded state: what a queue index and a message store have, kept as runs."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine import transitions as tr
from engine.runs import Runs

PUBLISH, DELIVER, ACK = 1, 2, 4
JOURNAL_BITS: Final = PUBLISH | DELIVER | ACK
ACTIONS: Final = {
    "publish": (PUBLISH, 1),
    "deliver": (DELIVER, 1),
    "ack": (ACK, 1),
    "publish_deliver": (PUBLISH | DELIVER, 2),
}
"""Bits that an action sets, and how many journal actions it is (S73)."""


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Index entries of consecutive seq_ids: 8 * file part + journal bits."""

    start: int
    count: int
    code: int

    def part(self, offset: int, count: int) -> Entry:
        """Return `count` entries beginning at `offset`."""
        return Entry(self.start + offset, count, self.code)

    def continued_by(self, after: Entry) -> bool:
        """Tell whether `after` has the same code."""
        return self.code == after.code

    def merged(self, count: int) -> Entry:
        """Return this run with `count` entries in all."""
        return Entry(self.start, count, self.code)


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Store index rows of consecutive messages whose records lie back to back (S130)."""

    start: int
    count: int
    refs: int
    file: int
    offset: int
    record_bytes: int

    def part(self, offset: int, count: int) -> Row:
        """Return `count` rows beginning at `offset`."""
        at = self.offset + offset * self.record_bytes
        return Row(self.start + offset, count, self.refs, self.file, at, self.record_bytes)

    def continued_by(self, after: Row) -> bool:
        """Tell whether `after` has equal fields and lies right behind in the same file."""
        return (
            self.refs == after.refs
            and self.file == after.file
            and self.record_bytes == after.record_bytes
            and self.offset + self.count * self.record_bytes == after.offset
        )

    def merged(self, count: int) -> Row:
        """Return this run with `count` rows in all."""
        return Row(self.start, count, self.refs, self.file, self.offset, self.record_bytes)


class IndexTable:
    """One queue index: entries, segment files, journal."""

    __slots__ = ("entries", "segments", "journal_bytes", "buffered_bytes", "dirty")

    def __init__(self) -> None:
        self.entries: Runs[Entry] = Runs()
        self.segments: dict[int, int] = {}
        self.journal_bytes: int | None = None
        self.buffered_bytes = 0
        self.dirty = 0

    def entries_recorded(self, t: tr.EntriesRecorded) -> None:
        """Set journal bits; an entry with all three and nothing in a file vanishes (S71, S72)."""
        bits, actions = ACTIONS[t.action]
        at, end = t.start, t.start + t.count
        for old in [*self.entries.remove(t.start, t.count), Entry(end, 0, 0)]:
            if at < old.start:
                self._insert(at, old.start - at, bits)
            if old.count:
                self._insert(old.start, old.count, old.code | bits)
            at = old.start + old.count
        self.dirty += actions * t.count
        self.buffered_bytes += t.journal_bytes

    def _insert(self, start: int, count: int, code: int) -> None:
        if code != JOURNAL_BITS:
            self.entries.insert(Entry(start, count, code))

    def journal_opened(self, t: tr.JournalOpened) -> None:
        """The journal file exists (S70)."""
        self.journal_bytes = 0

    def journal_synced(self, t: tr.JournalSynced) -> None:
        """The buffer went to the file (S82)."""
        self.journal_bytes = (self.journal_bytes or 0) + t.bytes_
        self.buffered_bytes -= t.bytes_

    def journal_flushed(self, t: tr.JournalFlushed) -> None:
        """The journal is empty (S80)."""
        self.journal_bytes = 0
        self.buffered_bytes = 0
        self.dirty = 0

    def segment_written(self, t: tr.SegmentWritten, size: int) -> None:
        """Journal bits of the entries in a segment of `size` become part of the file (S80.1)."""
        for old in self.entries.remove(t.segment * size, size):
            code = 8 * ((old.code >> 3) + (old.code & JOURNAL_BITS).bit_count())
            self.entries.insert(Entry(old.start, old.count, code))
        self.segments[t.segment] = self.segments.get(t.segment, 0) + t.bytes_

    def segment_deleted(self, t: tr.SegmentDeleted, size: int) -> None:
        """The segment of `size` and everything in it is forgotten (S80.1)."""
        self.entries.remove(t.segment * size, size)
        self.segments.pop(t.segment, None)

    def reset(self, t: tr.IndexReset) -> None:
        """The queue's directory was erased (S92)."""
        self.entries.clear()
        self.segments.clear()
        self.journal_bytes = None
        self.buffered_bytes = self.dirty = 0

    def recovered(self, t: tr.IndexRecovered) -> None:
        """The index as recovery found it (S110-S117)."""
        for start, count, code in t.entries:
            self.entries.insert(Entry(start, count, code))
        self.segments = dict(t.segments)
        self.journal_bytes = t.journal_bytes
        self.dirty = t.dirty

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "entries": [[e.start, e.count, e.code] for e in self.entries],
            "segments": [[number, size] for number, size in sorted(self.segments.items())],
            "journal_bytes": self.journal_bytes,
            "buffered_bytes": self.buffered_bytes,
            "dirty": self.dirty,
        }


class File(msgspec.Struct, array_like=True, gc=False):
    """One store file as the file summary has it, and the bytes that reached the operating system (S131)."""

    number: int
    file_size: int = 0
    valid: int = 0
    locked: bool = False
    disk_bytes: int = 0


class StoreTable:
    """One message store: files, rows, cache."""

    __slots__ = ("files", "current", "rows", "cache", "buffered_bytes")

    def __init__(self) -> None:
        self.files: dict[int, File] = {}
        self.current = 0
        self.rows: Runs[Row] = Runs()
        self.cache = 0
        self.buffered_bytes = 0

    def file(self, number: int) -> File:
        """Return a file, making it known where this is the first word of it."""
        return self.files.setdefault(number, File(number))

    def written(self, t: tr.StoreWritten) -> None:
        """Records entered the current file's buffer (S143)."""
        self.rows.insert(Row(t.msg_no, t.count, 1, t.file, t.offset, t.record_bytes))
        file = self.file(t.file)
        total = t.count * t.record_bytes
        file.file_size += total
        file.valid += total
        self.buffered_bytes += total
        self.current = t.file

    def buffer_written(self, t: tr.BufferWritten) -> None:
        """The buffer reached the operating system (S21)."""
        self.file(t.file).disk_bytes += t.bytes_
        self.buffered_bytes -= t.bytes_

    def rolled_over(self, t: tr.FileRolledOver) -> None:
        """The next file is the current one (S171)."""
        self.file(t.opened)
        self.current = t.opened

    def ref_count_changed(self, t: tr.RefCountChanged) -> None:
        """Rows become garbage at 0 references and valid again above (S142, S147)."""
        for old in self.rows.remove(t.msg_no, t.count):
            change = (t.ref_count > 0) - (old.refs > 0)
            self.file(old.file).valid += change * old.count * old.record_bytes
            self.rows.insert(Row(old.start, old.count, t.ref_count, old.file, old.offset, old.record_bytes))

    def rows_forgotten(self, t: tr.RowsForgotten) -> None:
        """Rows leave the index (S142, S183, S184)."""
        for each in t.messages:
            self.rows.remove(each.start, each.count)

    def file_locked(self, t: tr.FileLocked) -> None:
        """A lock was taken or given back (S148, S182, S185)."""
        self.file(t.file).locked = t.locked

    def rows_moved(self, t: tr.RowsMoved) -> None:
        """Live records lie elsewhere now (S183)."""
        for msg_no, count, file, offset in t.rows:
            at = offset
            for old in self.rows.remove(msg_no, count):
                self.rows.insert(Row(old.start, old.count, old.refs, file, at, old.record_bytes))
                at += old.count * old.record_bytes

    def files_combined(self, t: tr.FilesCombined) -> None:
        """The destination has the live records of both (S183, S185)."""
        self.files.pop(t.source, None)
        self.files[t.destination] = File(t.destination, t.size_bytes, t.size_bytes, False, t.size_bytes)

    def file_deleted(self, t: tr.FileDeleted) -> None:
        """A file is gone (S184, S185)."""
        self.files.pop(t.file, None)

    def cache_changed(self, t: tr.CacheChanged) -> None:
        """The current-file cache changed size (S133)."""
        self.cache = t.entries

    def recovered(self, t: tr.StoreRecovered) -> None:
        """The store as its start found it (S205-S208)."""
        self.files = {row[0]: File(*row) for row in t.files}
        self.current = t.current
        self.rows = Runs(Row(*row) for row in t.rows)
        self.cache = self.buffered_bytes = 0

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "files": [list(msgspec.structs.astuple(file)) for _, file in sorted(self.files.items())],
            "current": self.current,
            "rows": [list(msgspec.structs.astuple(row)) for row in self.rows],
            "cache": self.cache,
            "buffered_bytes": self.buffered_bytes,
        }
