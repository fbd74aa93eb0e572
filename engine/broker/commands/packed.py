"""Body bytes of many messages as a text: in a scenario's file, in a link, in a command."""

from __future__ import annotations

import struct
import zlib
from array import array
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from engine.broker.commands.base import MAX_SIZE_BYTES
from engine.values.errors import ValueRefused

PLANES: Final = 4
"""A size has four bytes. The first of all come first, then the second of all: so what is alike lies together."""


def pack(sizes: Iterable[int]) -> str:
    """Return the text that `unpack` reads."""
    words = array("I", sizes)
    data = struct.pack(f"<{len(words)}I", *words)
    planes = b"".join(data[at::PLANES] for at in range(PLANES))
    return b64encode(zlib.compress(planes, 9)).decode()


@lru_cache(maxsize=16)
def unpack(text: str, count: int) -> array[int]:
    """Return the body bytes of `count` messages.

    Args:
        text: as `pack` wrote it.
        count: how many there are.

    Raises:
        ValueRefused: it is no such text, or has other than `count` sizes, or one that is too large.
    """
    wanted = PLANES * count
    try:
        reader = zlib.decompressobj()
        planes = reader.decompress(b64decode(text, validate=True), wanted + 1)
    except (Error, ValueError, zlib.error):
        raise ValueRefused("sizes_unreadable", place="sizes") from None
    if len(planes) != wanted or not reader.eof:
        raise ValueRefused("sizes_of_others", place="sizes", count=count)
    data = bytearray(wanted)
    for at in range(PLANES):
        data[at::PLANES] = planes[at * count : (at + 1) * count]
    words = array("I", struct.unpack(f"<{count}I", data))
    if max(words) > MAX_SIZE_BYTES:
        raise ValueRefused("sizes_too_large", place="sizes", most=MAX_SIZE_BYTES)
    return words


def mean_of(sizes: array[int]) -> int:
    """Return the mean, rounded up: what one message of them takes, where all are looked at together."""
    return -(-sum(sizes) // len(sizes))
