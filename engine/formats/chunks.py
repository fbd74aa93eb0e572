"""Chunks of bytes that are no records: damage, padding, and what a cut leaves of a record."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from engine.values.each import Length


class AnyChunk(Protocol):
    """What every chunk of a file can do; the same shape as the storage port's chunk."""

    @property
    def size_bytes(self) -> int:
        """Length of `encode()`."""
        ...

    def encode(self) -> bytes:
        """Return the bytes."""
        ...

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset."""
        ...


class RawBytes(msgspec.Struct, frozen=True):
    """Bytes that no decoder has a name for.

    Args:
        data: the bytes themselves.
    """

    plain = True
    data: bytes

    @property
    def size_bytes(self) -> int:
        """Number of bytes."""
        return len(self.data)

    def encode(self) -> bytes:
        """Return the bytes."""
        return self.data

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset."""
        return raw(self.data[:offset_bytes]), raw(self.data[offset_bytes:])


class ZeroBytes(msgspec.Struct, frozen=True):
    """Zero bytes, as an extended file holds them (S183).

    Args:
        size_bytes: how many.
    """

    plain = True
    size_bytes: int

    def encode(self) -> bytes:
        """Return the zero bytes."""
        return bytes(self.size_bytes)

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset."""
        at = min(max(offset_bytes, 0), self.size_bytes)
        rest = self.size_bytes - at
        return ([ZeroBytes(at)] if at else []), ([ZeroBytes(rest)] if rest else [])


def raw(data: bytes) -> list[AnyChunk]:
    """Return the bytes as chunks: none when empty, `ZeroBytes` when nothing else is in them.

    Args:
        data: any bytes.
    """
    if not data:
        return []
    if not data[0] and data.count(0) == len(data):
        return [ZeroBytes(len(data))]
    return [RawBytes(bytes(data))]


class RecordBytes(Protocol):
    """A run of `count` records, as `cut_records` needs it."""

    @property
    def count(self) -> int:
        """Number of records."""
        ...

    @property
    def record_bytes(self) -> Length:
        """Bytes of each record."""
        ...

    def written(self, skip: int, count: int) -> RecordBytes:
        """Return `count` records in the order of writing, after the first `skip`."""
        ...

    @property
    def size_bytes(self) -> int:
        """Bytes of all."""
        ...

    def encode(self) -> bytes:
        """Return the bytes."""
        ...

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset."""
        ...


def cut_records(
    run: RecordBytes, offset_bytes: int, written_bytes: Callable[[int], int] | None = None
) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
    """Split a run of records at a byte offset.

    Args:
        run: the records.
        written_bytes: gives the bytes of so many records in the order of writing, where they may differ.
        offset_bytes: bytes before the cut; outside the run, one side is empty.

    Returns:
        The chunks before and after; a record that is cut through is `RawBytes` on both sides.
    """
    if offset_bytes <= 0:
        return [], [run]
    if offset_bytes >= run.size_bytes:
        return [run], []
    each = run.record_bytes
    if isinstance(each, int):
        whole, rest = divmod(offset_bytes, each)
    else:
        assert written_bytes is not None
        whole = bisect_right(range(1, run.count + 1), offset_bytes, key=written_bytes)
        rest = offset_bytes - written_bytes(whole)
    before: list[AnyChunk] = [run.written(0, whole)] if whole else []
    after: list[AnyChunk] = []
    left = run.count - whole
    if rest:
        torn = run.written(whole, 1).encode()
        before.append(RawBytes(torn[:rest]))
        after.append(RawBytes(torn[rest:]))
        whole += 1
        left -= 1
    if left:
        after.append(run.written(whole, left))
    return before, after
