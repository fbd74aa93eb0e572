"""What a message store has, by its transitions."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import astuple, replace

from engine.classic_v1.transitions.stores import (
    CombineStepped,
    FilesCombined,
    FileUnlinked,
    StretchesRecounted,
    StretchesWritten,
)
from engine.report.transitions.stores import (
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
    StoreWritten,
)
from engine.values.each import Length
from engine.values.sizes import total
from engine.values.stretches import Stretches


class StoreRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Store index rows of consecutive messages whose records lie back to back (S130).

    Args:
        start: number of the first message.
        offset: of that message's record.
        step: 1 when the following messages lie behind it, -1 when they lie before it.
    """

    start: int
    count: int
    refs: int
    file: int
    offset: int
    record_bytes: Length
    step: int = 1

    def offset_of(self, number: int) -> int:
        """Return the offset of the record of the message `number` behind the first."""
        each = self.record_bytes
        if isinstance(each, int):
            return self.offset + number * self.step * each
        if self.step > 0:
            return self.offset + each.total(self.start, number)
        return self.offset - each.total(self.start + 1, number)

    @property
    def size_bytes(self) -> int:
        """Bytes of all records."""
        return total(self.record_bytes, self.start, self.count)

    def part(self, offset: int, count: int) -> StoreRow:
        """Return `count` rows beginning at `offset`."""
        return replace(self, start=self.start + offset, count=count, offset=self.offset_of(offset))

    def continued_by(self, after: StoreRow) -> bool:
        """Return whether `after` has equal fields and goes on in the same file and direction."""
        return (
            self.refs == after.refs
            and self.file == after.file
            and self.record_bytes == after.record_bytes
            and self.step == after.step
            and self.offset_of(self.count) == after.offset
        )

    def merged(self, count: int) -> StoreRow:
        """Return this run with `count` rows in all."""
        return replace(self, count=count)


class StoreFile(msgspec.Struct, array_like=True, gc=False):
    """One store file as the file summary has it, and the bytes that reached the operating system (S131)."""

    number: int
    file_size: int = 0
    valid: int = 0
    locked: bool = False
    disk_bytes: int = 0


class StoreTable:
    """One message store: files, rows, cache."""

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
        """Records entered the current file's buffer (S143)."""
        self._written(t.file, t.offset, t.msg_no, t.count, t.record_bytes, t.step)

    def stretches_written(self, t: StretchesWritten) -> None:
        """Records of several runs entered the current file's buffer (S143)."""
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
        """The buffer reached the operating system (S21)."""
        self.file(t.file).disk_bytes += t.bytes_
        self.buffered_bytes -= t.bytes_

    def file_rolled_over(self, t: FileRolledOver) -> None:
        """The next file is the current one (S171)."""
        self.file(t.opened)
        self.current = t.opened

    def ref_count_changed(self, t: RefCountChanged) -> None:
        """Rows become garbage at 0 references and valid again above (S142, S147)."""
        self._recounted(t.msg_no, t.count, t.ref_count)

    def stretches_recounted(self, t: StretchesRecounted) -> None:
        """Rows of several runs become garbage, or valid again (S147)."""
        for msg_no, count in t.runs:
            self._recounted(msg_no, count, t.ref_count)

    def _recounted(self, msg_no: int, count: int, refs: int) -> None:
        for old in self.rows.remove(msg_no, count):
            change = (refs > 0) - (old.refs > 0)
            self.file(old.file).valid += change * old.size_bytes
            self.rows.insert(replace(old, refs=refs))

    def rows_forgotten(self, t: RowsForgotten) -> None:
        """Rows leave the index (S142, S183, S184)."""
        for each in t.messages:
            self.rows.remove(each.start, each.count)

    def file_locked(self, t: FileLocked) -> None:
        """A lock was taken or given back (S148, S182, S185)."""
        self.file(t.file).locked = t.locked

    def rows_moved(self, t: RowsMoved) -> None:
        """Live records lie elsewhere now (S183)."""
        for msg_no, count, file, offset in t.rows:
            for old in self.rows.remove(msg_no, count):
                all_of_them = replace(old, start=msg_no, file=file, offset=offset)
                at = all_of_them.offset_of(old.start - msg_no)
                self.rows.insert(replace(old, file=file, offset=at))

    def combine_stepped(self, t: CombineStepped) -> None:
        """The destination was cut and extended to its final size (S183)."""
        if t.step == "truncated":
            self.file(t.destination).disk_bytes = t.bytes_

    def files_combined(self, t: FilesCombined) -> None:
        """The destination has the live records of both (S183, S185)."""
        self._forget_file(t.source, t.left_on_disk)
        destination = self.file(t.destination)
        destination.file_size = destination.valid = t.size_bytes

    def file_deleted(self, t: FileDeleted) -> None:
        """A file is in no table any more (S184, S185)."""
        self._forget_file(t.file, t.left_on_disk)

    def _forget_file(self, number: int, left_on_disk: int) -> None:
        self.files.pop(number, None)
        if left_on_disk:
            self.orphans[number] = left_on_disk

    def file_unlinked(self, t: FileUnlinked) -> None:
        """A file left the disk (S186)."""
        self.orphans.pop(t.file, None)
        if t.file in self.files:
            self.files[t.file].disk_bytes = 0

    def file_cut(self, t: FileCut) -> None:
        """A file ends behind its last record (W145)."""
        file = self.file(t.file)
        file.file_size = file.disk_bytes = t.size_bytes

    def cache_changed(self, t: CacheChanged) -> None:
        """The current-file cache changed size (S133)."""
        self.cache = t.entries

    def store_recovered(self, t: StoreRecovered) -> None:
        """The store as its start found it (S205-S208)."""
        self.files = {row[0]: StoreFile(*row) for row in t.files}
        self.current = t.current
        self.rows = Stretches(StoreRow(*row) for row in t.rows)
        self.cache = self.buffered_bytes = 0
        self.orphans = dict(t.orphans)

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "files": [list(astuple(file)) for _, file in sorted(self.files.items())],
            "current": self.current,
            "rows": [list(astuple(row)) for row in self.rows],
            "cache": self.cache,
            "buffered_bytes": self.buffered_bytes,
            "orphans": [[number, size] for number, size in sorted(self.orphans.items())],
        }
