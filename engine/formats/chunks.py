"""Chunks of bytes that are no records: damage, padding, what a cut leaves; and how far a file is as expected."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Protocol

import msgspec

from engine.formats.arrays import Bytes2D, np
from engine.values.sizes import Length

COMPARED_BYTES: Final = 4 * 1024 * 1024
"""Most bytes that are compared at once."""


def count_matching(
    data: Bytes2D,
    at: int,
    stride: int,
    most: int,
    expected: Callable[[int, int], bytes],
    ids_at: int | None = None,
) -> int:
    """Count the records that equal what a run would have written.

    Args:
        at: offset of the first record in bytes.
        stride: bytes of each record.
        most: the longest run possible.
        expected: returns the bytes of `count` records after the first `skip`, called with (skip, count).
        ids_at: column of 16 id bytes that may differ; None when they must be equal too.
    """
    most = min(most, (len(data) - at) // stride)
    found = 0
    block = 16
    while found < most:
        count = min(block, most - found)
        begin = at + found * stride
        got = data[begin : begin + count * stride].reshape(count, stride)
        want = np.frombuffer(expected(found, count), np.uint8).reshape(count, stride)
        if ids_at is None:
            equal = np.array_equal(got, want)
        else:
            behind = ids_at + 16
            equal = np.array_equal(got[:, :ids_at], want[:, :ids_at])
            equal = equal and np.array_equal(got[:, behind:], want[:, behind:])
        if not equal:
            differs = got != want
            if ids_at is not None:
                differs[:, ids_at : ids_at + 16] = False
            return found + int(differs.any(axis=1).argmax())
        found += count
        block = min(4 * block, max(1, COMPARED_BYTES // stride))
    return found


def growing(count: int) -> Iterator[tuple[int, int]]:
    """Yield (skip, count) of blocks that cover `count` records, small ones first: often few are alike."""
    skip, block = 0, 2
    while skip < count:
        yield skip, min(block, count - skip)
        skip, block = skip + block, min(2 * block, 1024)


def count_alike(data: bytes | memoryview, at: int, expected: Iterable[bytes]) -> int:
    """Count the records that equal those expected, each of which has its own length.

    Args:
        at: offset of the first record in bytes.
        expected: what a run would have written, record by record.
    """
    found = 0
    for record in expected:
        end = at + len(record)
        if data[at:end] != record:
            break
        found, at = found + 1, end
    return found


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
        return len(self.data)

    def encode(self) -> bytes:
        return self.data

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        return raw(self.data[:offset_bytes]), raw(self.data[offset_bytes:])

    def between(self, begin: int, end: int) -> Sequence[AnyChunk]:
        """Return what lies from one offset to another; a cut would copy all that is not wanted."""
        return raw(self.data[begin:end])


class ZeroBytes(msgspec.Struct, frozen=True):
    """Zero bytes, as an extended file holds them (S183).

    Args:
        size_bytes: how many.
    """

    plain = True
    size_bytes: int

    def encode(self) -> bytes:
        return bytes(self.size_bytes)

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
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
