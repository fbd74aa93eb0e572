"""Comparing what a file holds with what a run of records would have written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from engine.formats.arrays import Bytes2D, np

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
        data: the file.
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
        data: the file.
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
