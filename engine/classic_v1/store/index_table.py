"""The store's index: where each message's record is and how many references it has (S130)."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import msgspec

from engine.classic_v1.store.tallies import pieces
from engine.values.each import Length
from engine.values.sizes import reach, total
from engine.values.stretches import Stretches


class StoreIndexRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Index entries of consecutive messages whose records lie back to back in one file.

    Args:
        start: number of the first message.
        count: how many.
        refs: reference count of each; 0 is garbage that stays until the file goes.
        file: number of the file.
        offset: offset in bytes of the record of `start`.
        record_bytes: bytes of each record.
        step: 1 when the following messages lie behind, -1 when they lie before (written newest first).
    """

    start: int
    count: int
    refs: int
    file: int
    offset: int
    record_bytes: Length
    step: int = 1

    def offset_of(self, skip: int) -> int:
        """Return the offset of the record of the message `skip` behind the first."""
        each = self.record_bytes
        if isinstance(each, int):
            return self.offset + skip * self.step * each
        if self.step > 0:
            return self.offset + each.total(self.start, skip)
        return self.offset - each.total(self.start + 1, skip)

    def part(self, offset: int, count: int) -> StoreIndexRow:
        """Return `count` entries beginning `offset` messages on."""
        return StoreIndexRow(
            self.start + offset,
            count,
            self.refs,
            self.file,
            self.offset_of(offset),
            self.record_bytes,
            self.step,
        )

    def continued_by(self, after: StoreIndexRow) -> bool:
        """Return whether `after` (adjacent in message numbers) goes on in the same file and direction."""
        return (
            self.refs == after.refs
            and self.file == after.file
            and self.record_bytes == after.record_bytes
            and self.step == after.step
            and self.offset_of(self.count) == after.offset
        )

    def merged(self, count: int) -> StoreIndexRow:
        """Return these entries with `count` in all."""
        return StoreIndexRow(
            self.start, count, self.refs, self.file, self.offset, self.record_bytes, self.step
        )

    @property
    def low(self) -> int:
        """Offset in bytes of the record that comes first in the file."""
        return self.offset if self.step > 0 else self.offset_of(self.count - 1)

    @property
    def size_bytes(self) -> int:
        """Bytes of all records."""
        return total(self.record_bytes, self.start, self.count)

    def first_bytes(self, count: int, step: int) -> int:
        """Return the bytes of `count` records: with step 1 of the lowest numbers, with -1 of the highest."""
        low = self.start if step > 0 else self.start + self.count - count
        return total(self.record_bytes, low, count)

    def until(self, needed: int, step: int) -> int:
        """Return how many records, taken as by `first_bytes`, have `needed` bytes; all if they have not."""
        return reach(self.record_bytes, self.start, self.count, step, needed)

    def with_refs(self, refs: int) -> StoreIndexRow:
        """Return these entries with another reference count."""
        return StoreIndexRow(
            self.start, self.count, refs, self.file, self.offset, self.record_bytes, self.step
        )

    def at(self, file: int, low: int) -> StoreIndexRow:
        """Return these entries moved as one block to `file`, the first byte at `low`."""
        offset = low if self.step > 0 else low + total(self.record_bytes, self.start + 1, self.count - 1)
        return StoreIndexRow(self.start, self.count, self.refs, file, offset, self.record_bytes, self.step)


def row_at(
    msg_no: int, count: int, file: int, low: int, record_bytes: Length, step: int, refs: int = 1
) -> StoreIndexRow:
    """Return entries of records whose first byte is at `low`.

    Args:
        msg_no: lowest message number.
        count: how many.
        file: number of the file.
        low: offset in bytes of the first record in the file.
        record_bytes: bytes of each record.
        step: 1 when the lowest number comes first in the file, -1 when the highest does.
        refs: reference count.
    """
    if step > 0 or count == 1:
        return StoreIndexRow(msg_no, count, refs, file, low, record_bytes, step)
    return StoreIndexRow(msg_no, count, refs, file, 0, record_bytes, step).at(file, low)


class StoreIndexTable:
    """All rows, by message number.

    For each file it also keeps which stretch of message numbers its rows can lie in, so that the rows of one file
    are found without walking over those of all files.
    """

    def __init__(self) -> None:
        self.rows: Stretches[StoreIndexRow] = Stretches()
        self._reach: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        """Number of messages with an entry."""
        return self.rows.total

    def insert(self, row: StoreIndexRow) -> None:
        """Add entries that are not here yet."""
        self.rows.insert(row)
        self._reaches((row,))

    def insert_all(self, rows: Sequence[StoreIndexRow]) -> None:
        """Add entries of one file that are not here yet, ascending."""
        self.rows.insert_all(rows)
        self._reaches(rows)

    def replace_all(self, news: Sequence[StoreIndexRow]) -> None:
        """Put entries of one file, ascending, where those of the same messages are."""
        self.rows.replace_all(news)
        self._reaches(news)

    def _reaches(self, rows: Sequence[StoreIndexRow]) -> None:
        first, last = rows[0], rows[-1]
        low, high = self._reach.get(first.file, (first.start, 0))
        self._reach[first.file] = (min(low, first.start), max(high, last.start + last.count))

    def pieces(self, start: int, count: int) -> list[tuple[int, int, StoreIndexRow | None]]:
        """Cut [start, start+count) into rows and gaps, ascending."""
        return pieces(self.rows, start, count)

    def replace(self, new: StoreIndexRow) -> None:
        """Put `new` where entries of the same messages are."""
        self.rows.replace(new)
        low, high = self._reach.get(new.file, (new.start, 0))
        self._reach[new.file] = (min(low, new.start), max(high, new.start + new.count))

    def forget(self, start: int, count: int) -> None:
        """Delete the entries of [start, start+count)."""
        self.rows.remove(start, count)

    def in_file(self, file: int) -> list[StoreIndexRow]:
        """Return the rows of one file in the order of their records."""
        low, high = self._reach.get(file, (0, 0))
        found = [row for row in self.rows.overlapping(low, high - low) if row.file == file]
        found.sort(key=attrgetter("low"))
        return found

    def file_gone(self, file: int) -> None:
        """Note that no row lies in `file` any more."""
        self._reach.pop(file, None)

    @property
    def zero_refs(self) -> int:
        """Number of messages whose entry has no reference left."""
        return sum(row.count for row in self.rows if not row.refs)
