"""The shared store's tables: a row for each message, one for each file (W132)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from engine.values.each import Length
from engine.values.sizes import total
from engine.values.stretches import Stretches


class FileMessage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Rows of consecutive message numbers whose records lie back to back.

    Args:
        start: first message number.
        count: how many.
        refs: reference count of each.
        file: number of the file.
        offset: of the first record.
        record_bytes: bytes of each record: one number, or lengths that differ.
    """

    start: int
    count: int
    refs: int
    file: int
    offset: int
    record_bytes: Length

    @property
    def end(self) -> int:
        """One past the last message number."""
        return self.start + self.count

    @property
    def size_bytes(self) -> int:
        """Bytes of all records."""
        return total(self.record_bytes, self.start, self.count)

    def part(self, offset: int, count: int) -> FileMessage:
        """Return `count` rows beginning `offset` rows on."""
        return FileMessage(
            self.start + offset,
            count,
            self.refs,
            self.file,
            self.offset + total(self.record_bytes, self.start, offset),
            self.record_bytes,
        )

    def continued_by(self, after: FileMessage) -> bool:
        """Return whether the rows that follow can be the same run."""
        return (
            self.refs == after.refs
            and self.file == after.file
            and self.record_bytes == after.record_bytes
            and self.offset + self.size_bytes == after.offset
        )

    def merged(self, count: int) -> FileMessage:
        """Return this run with `count` rows in all."""
        return FileMessage(self.start, count, self.refs, self.file, self.offset, self.record_bytes)

    def equal_parts(self) -> list[FileMessage]:
        """Return the same rows by runs of one size: one by one where lengths differ."""
        each = self.record_bytes
        if isinstance(each, int):
            return [self]
        singles = [self.part(skip, 1) for skip in range(self.count)]
        return [
            FileMessage(row.start, 1, row.refs, row.file, row.offset, each.at(row.start)) for row in singles
        ]

    def with_refs(self, refs: int) -> FileMessage:
        """Return the same rows with another reference count."""
        return FileMessage(self.start, self.count, refs, self.file, self.offset, self.record_bytes)


class V2FileRow(msgspec.Struct):
    """What is known of one file.

    Args:
        number: its name.
        valid: bytes of records with a reference.
        size: bytes of the file, with what is in the write buffer.
        locked: a compaction was ordered.
    """

    number: int
    valid: int = 0
    size: int = 0
    locked: bool = False


class WritesInFlight(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Consecutive message numbers with the same number of writes in flight, as the cache counts them (W136)."""

    start: int
    count: int
    value: int

    def part(self, offset: int, count: int) -> WritesInFlight:
        """Return `count` messages beginning `offset` messages on."""
        return WritesInFlight(self.start + offset, count, self.value)

    def continued_by(self, after: WritesInFlight) -> bool:
        """Return whether the value is the same."""
        return self.value == after.value

    def merged(self, count: int) -> WritesInFlight:
        """Return this tally over `count` messages."""
        return WritesInFlight(self.start, count, self.value)


class BodyCache:
    """The messages of the current file that are in memory, each with its writes in flight (W133, W136)."""

    __slots__ = ("_runs",)

    def __init__(self) -> None:
        self._runs: Stretches[WritesInFlight] = Stretches()

    def __len__(self) -> int:
        """Number of messages."""
        return self._runs.total

    def write(self, start: int, count: int) -> None:
        """A client writes: the message is here from now on, with one write more in flight."""
        self._change(start, count, 1)

    def handled(self, start: int, count: int) -> None:
        """The server handles a write of each."""
        self._change(start, count, -1)

    def _change(self, start: int, count: int, more: int) -> None:
        at = start
        for run in self._runs.remove(start, count):
            if run.start > at:
                self._runs.insert(WritesInFlight(at, run.start - at, more))
            self._runs.insert(WritesInFlight(run.start, run.count, run.value + more))
            at = run.start + run.count
        if at < start + count:
            self._runs.insert(WritesInFlight(at, start + count - at, more))

    def forget(self, start: int, count: int) -> None:
        """Drop messages that no write in flight needs."""
        for run in self._runs.overlapping(start, count):
            if not run.value:
                self._runs.remove(run.start, run.count)

    def forget_all(self) -> None:
        """Drop every message that no write in flight needs."""
        kept = [run for run in self._runs if run.value]
        self._runs.clear()
        self._runs.insert_all(kept)


def gaps(
    runs: Stretches[FileMessage], start: int, count: int
) -> Iterator[tuple[int, int, FileMessage | None]]:
    """Yield (start, count, rows or None) over [start, start+count), cut where rows begin and end."""
    at = start
    for run in runs.overlapping(start, count):
        if run.start > at:
            yield at, run.start - at, None
        yield run.start, run.count, run
        at = run.start + run.count
    if at < start + count:
        yield at, start + count - at, None
