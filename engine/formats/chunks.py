"""Runs of records as chunks, and how far a file is as expected."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Self

import msgspec

from engine.formats.arrays import Bytes2D, np
from engine.values.chunks import ByteChunk, RawBytes
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
    """Count the records that equal those expected, each of which has its own length. `at`: offset of the
    first record in bytes. `expected`: what a run would have written, record by record.
    """
    found = 0
    for record in expected:
        end = at + len(record)
        if data[at:end] != record:
            break
        found, at = found + 1, end
    return found


class RecordRun(msgspec.Struct, frozen=True, eq=False):
    """A chunk of `count` records. Two are equal if all their fields are, but for the codec."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, name) == getattr(other, name) for name in self.__struct_fields__ if name != "codec"
        )

    @property
    def count(self) -> int:
        """Number of records."""
        raise NotImplementedError

    @property
    def record_bytes(self) -> Length:
        """Bytes of each record."""
        raise NotImplementedError

    @property
    def size_bytes(self) -> int:
        return self.written_bytes(self.count)

    def written_bytes(self, count: int) -> int:
        """Return the bytes of the first `count` records in the order of writing."""
        raise NotImplementedError

    def part(self, offset: int, count: int) -> Self:
        """Return `count` records from the one at `offset` on."""
        raise NotImplementedError

    def written(self, skip: int, count: int) -> Self:
        """Return `count` records in the order of writing, after the first `skip`."""
        return self.part(skip, count)

    def encode(self) -> bytes:
        """Return the bytes of the records."""
        raise NotImplementedError

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        """Return the chunks before and after a byte offset; outside the run, one side is empty. A record that
        is cut through is `RawBytes` on both sides.
        """
        if offset_bytes <= 0:
            return [], [self]
        if offset_bytes >= self.size_bytes:
            return [self], []
        each = self.record_bytes
        if isinstance(each, int):
            whole, rest = divmod(offset_bytes, each)
        else:
            whole = bisect_right(range(1, self.count + 1), offset_bytes, key=self.written_bytes)
            rest = offset_bytes - self.written_bytes(whole)
        before: list[ByteChunk] = [self.written(0, whole)] if whole else []
        after: list[ByteChunk] = []
        left = self.count - whole
        if rest:
            torn = self.written(whole, 1).encode()
            before.append(RawBytes(torn[:rest]))
            after.append(RawBytes(torn[rest:]))
            whole += 1
            left -= 1
        if left:
            after.append(self.written(whole, left))
        return before, after
