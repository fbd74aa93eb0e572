"""What differs from message to message as a text, in a scenario's file, in a link, in a command: sizes, expirations."""

from __future__ import annotations

import zlib
from array import array
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from engine.broker.commands.base import MAX_EXPIRATION_MS, MAX_SIZE_BYTES
from engine.values.errors import ValueRefused
from engine.values.words import from_little_endian, little_endian

SIZE: Final = "I"
"""A size has four bytes. The first of all come first, then the second of all: so what is alike lies together."""
EXPIRATION: Final = "Q"
"""An expiration has eight, as ten years in milliseconds need more than four; zeros take next to nothing."""


def pack(sizes: Iterable[int]) -> str:
    """Return the text that `unpack` reads."""
    return _packed(SIZE, sizes)


@lru_cache(maxsize=16)
def unpack(text: str, count: int) -> array[int]:
    """Return the body bytes of `count` messages.

    Args:
        text: as `pack` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is no such text, or has other than `count` sizes, or one that is too large.
    """
    sizes = _unpacked("sizes", SIZE, text, count)
    if max(sizes, default=0) > MAX_SIZE_BYTES:
        raise ValueRefused("column_too_large", place="sizes", most=MAX_SIZE_BYTES)
    return sizes


def pack_expirations(expirations_ms: Iterable[int | None]) -> str:
    """Return the text that `unpack_expirations` reads: for each message 0 for none, else one more than it is."""
    return _packed(EXPIRATION, (0 if each is None else each + 1 for each in expirations_ms))


def unpack_expirations(text: str, count: int) -> Iterator[int | None]:
    """Return the expirations of `count` messages in milliseconds, None for one without.

    Args:
        text: as `pack_expirations` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is no such text, or has other than `count` expirations, or one that is too long.
    """
    return (each - 1 if each else None for each in _unpacked_expirations(text, count))


@lru_cache(maxsize=16)
def _unpacked_expirations(text: str, count: int) -> array[int]:
    found = _unpacked("expirations", EXPIRATION, text, count)
    if max(found, default=0) > MAX_EXPIRATION_MS + 1:
        raise ValueRefused("column_too_large", place="expirations", most=MAX_EXPIRATION_MS)
    return found


def _packed(kind: str, column: Iterable[int]) -> str:
    values = array(kind, column)
    data = little_endian(values)
    planes = b"".join(data[at :: values.itemsize] for at in range(values.itemsize))
    return b64encode(zlib.compress(planes, 9)).decode()


def _unpacked(place: str, kind: str, text: str, count: int) -> array[int]:
    width = array(kind).itemsize
    wanted = width * count
    try:
        reader = zlib.decompressobj()
        planes = reader.decompress(a2b_base64(text, strict_mode=True), wanted + 1)
    except (ValueError, zlib.error):
        raise ValueRefused("column_unreadable", place=place) from None
    if len(planes) != wanted or not reader.eof:
        raise ValueRefused("column_of_others", place=place, count=count)
    data = bytearray(wanted)
    for at in range(width):
        data[at::width] = planes[at * count : (at + 1) * count]
    return from_little_endian(kind, data)


def mean_of(sizes: array[int]) -> int:
    """Return the mean, rounded up: what one message of them takes, where all are looked at together."""
    return -(-sum(sizes) // len(sizes))
