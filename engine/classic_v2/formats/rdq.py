"""The scanner of 4.x that finds the records of `<n>.rdq` (S54, W143)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.formats.store_records import ID_BYTES, MARKER


def scan(
    data: bytes, accept: Callable[[bytes, int, int], bool], stops_early: bool
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (offset, total bytes, id) of each record, as the broker's scanner does: byte by byte (W143).
    `data`: the whole file. `accept`: called with id, total bytes and offset; a record that it refuses is
    none. `stops_early`: 4.0's bound: what looks like a record that ends up to 9 bytes behind the file ends
    the scan.
    """
    at = 0
    length = len(data)
    found: set[bytes] = set()
    while at + 8 <= length:
        if data[at]:  # no file is as long as such a size
            nearest = data.find(b"\0", at)
            if nearest < 0:
                return
            at = nearest
            continue
        size = int.from_bytes(data[at : at + 8], "big")
        if not size:
            at += _zeros(data, at)
            continue
        end = at + size + 9
        if size >= ID_BYTES and end <= length and data[end - 1] == MARKER:
            id16 = bytes(data[at + 8 : at + 24])
            if id16 not in found and accept(id16, size + 9, at):
                found.add(id16)
                yield at, size + 9, id16
                at = end
                continue
        elif end > length and size < length - at and stops_early:
            return
        at += 1


def _zeros(data: bytes, at: int) -> int:
    """Return how many positions from `at` on begin with eight zero bytes."""
    step = 64
    end = at + 8
    while end < len(data):
        block = data[end : end + step]
        rest = block.lstrip(b"\0")
        end += len(block) - len(rest)
        if rest:
            break
        step = min(2 * step, 1 << 20)
    return end - at - 7
