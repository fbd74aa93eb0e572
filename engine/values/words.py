"""Numbers of four or eight bytes each as bytes that are the same on every machine."""

from __future__ import annotations

from array import array
from typing import Final

LOWEST_FIRST: Final = array("H", [1]).tobytes() == b"\1\0"
"""Whether this machine has the lowest byte of a number first."""


def little_endian(words: array[int]) -> bytes:
    """Return the bytes of numbers, the lowest byte of each first."""
    return _turned(words).tobytes()


def from_little_endian(kind: str, data: bytes | bytearray) -> array[int]:
    """Return the numbers of which these are the bytes.

    Args:
        kind: "I" for numbers of four bytes, "Q" for numbers of eight, as `array` has it.
        data: the lowest byte of each first.
    """
    words = array(kind)
    words.frombytes(data)
    return _turned(words)


def _turned(words: array[int]) -> array[int]:
    """Return numbers with their bytes in the other order where this machine has the highest first."""
    if LOWEST_FIRST:
        return words
    turned = words[:]
    turned.byteswap()
    return turned
