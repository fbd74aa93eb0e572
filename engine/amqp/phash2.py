"""Erlang's `phash2` of a list of binaries: by it an exchange of type x-modulus-hash chooses among its queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MASK: Final = 0xFFFFFFFF
GOLDEN: Final = 0x9E3779B9
OF_BINARIES: Final = (13 * GOLDEN) & MASK
OF_ENDS: Final = (2 * GOLDEN) & MASK
EMPTY_LIST: Final = 3468870702
END: Final = 2
BLOCK: Final = 12
"""Bytes that are mixed at once."""


def phash2(keys: Sequence[bytes], bound: int) -> int:
    """Return the hash of a list of binaries, from 0 up to `bound`."""
    if not keys:
        return EMPTY_LIST % bound
    found = 0
    for key in keys:
        found = _of_binary(key, (OF_BINARIES + found) & MASK)
    end = (OF_ENDS + END) & MASK
    return _mixed(end, OF_ENDS, found)[2] % bound


def _of_binary(data: bytes, begun: int) -> int:
    if not data:
        return begun
    a = b = GOLDEN
    c = begun
    whole = len(data) - len(data) % BLOCK
    for at in range(0, whole, BLOCK):
        a, b, c = _mixed(a + _word(data, at), b + _word(data, at + 4), c + _word(data, at + 8))
    rest = data[whole:]
    c += len(data) + (_word(rest, 8) << 8)  # the lowest byte of c has the length
    return _mixed(a + _word(rest, 0), b + _word(rest, 4), c)[2]


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for first, second, third in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
        a = (a - b - c & MASK) ^ (c & MASK) >> first
        b = (b - c - a & MASK) ^ a << second & MASK
        c = (c - a - b & MASK) ^ b >> third
    return a, b, c
