"""What differs from message to message as a text, in a scenario's file, in a link, in a command: sizes, expirations."""

from __future__ import annotations

import zlib
from array import array
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable, Iterator
from typing import Final

from engine.broker.commands.base import MAX_EXPIRATION_MS, MAX_SIZE_BYTES
from engine.values.byte_cache import ByteCache
from engine.values.errors import ValueRefused
from engine.values.words import from_little_endian, little_endian

SIZE: Final = "I"
"""A size has four bytes. The first of all come first, then the second of all: so what is alike lies together."""
EXPIRATION: Final = "Q"
"""An expiration has eight, as ten years in milliseconds need more than four; zeros take next to nothing."""
MAX_UNEQUAL: Final = 1_000_000
"""Messages of one column: a text of some hundred bytes may stand for so many, and each is looked at."""
KEPT_BYTES: Final = 16 * 1024 * 1024
"""Of the columns that were unpacked last: a burst is checked, bounded and played one after the other."""

_kept: ByteCache[tuple[str, str, int], array[int]] = ByteCache(
    KEPT_BYTES, lambda key, column: len(key[1]) + column.itemsize * len(column)
)


def pack(sizes: Iterable[int]) -> str:
    """Return the text that `unpack` reads."""
    return _packed(SIZE, sizes)


def unpack(text: str, count: int) -> array[int]:
    """Return the body bytes of `count` messages.

    Args:
        text: as `pack` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is not such a text, or does not have `count` sizes, or one that is too large, or too many.
    """
    return _unpacked("sizes", SIZE, text, count, MAX_SIZE_BYTES)


def pack_expirations(expirations_ms: Iterable[int | None]) -> str:
    """Return the text that `unpack_expirations` reads: for each message 0 for none, else one more than it is."""
    return _packed(EXPIRATION, (0 if each is None else each + 1 for each in expirations_ms))


def unpack_expirations(text: str, count: int) -> Iterator[int | None]:
    """Return the expirations of `count` messages in milliseconds, None for one without.

    Args:
        text: as `pack_expirations` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is not such a text, or does not have `count` expirations, or one that is too long, or too many.
    """
    column = _unpacked("expirations", EXPIRATION, text, count, MAX_EXPIRATION_MS + 1)
    return (each - 1 if each else None for each in column)


def _packed(kind: str, column: Iterable[int]) -> str:
    values = array(kind, column)
    data = little_endian(values)
    planes = b"".join(data[at :: values.itemsize] for at in range(values.itemsize))
    return b64encode(zlib.compress(planes, 9)).decode()


def _unpacked(place: str, kind: str, text: str, count: int, most: int) -> array[int]:
    """Return a column; how many bytes it may unfold to is known before it does."""
    if count > MAX_UNEQUAL:
        raise ValueRefused("column_too_long", place=place, most=MAX_UNEQUAL, count=count)
    key = kind, text, count
    column = _kept.find(key)
    if column is not None:
        return column
    column = _read(place, kind, text, count)
    if max(column, default=0) > most:
        raise ValueRefused("column_too_large", place=place, most=most - (kind == EXPIRATION))
    return _kept.keep(key, column)


def _read(place: str, kind: str, text: str, count: int) -> array[int]:
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
