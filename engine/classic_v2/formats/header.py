"""The first 64 bytes of `.qi` and `.qs` files (W82, W110)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import msgspec

from engine.formats.chunks import AnyChunk, raw

HEADER_BYTES: Final = 64
INDEX_MAGIC: Final = b"RCQI"
STORE_MAGIC: Final = b"RCQS"
VERSION: Final = 2
NEEDED_BYTES: Final = 21
"""Magic, version and the two numbers: what the broker looks at, so that a shorter file is no file (W205)."""

_HEADER = struct.Struct(">4sBQQ43x")


class FileHeader(msgspec.Struct, frozen=True):
    """The header of a segment's file.

    Args:
        magic: INDEX_MAGIC or STORE_MAGIC.
        first: first position of the segment.
        end: first position after it.
    """

    magic: bytes
    first: int
    end: int

    @property
    def size_bytes(self) -> int:
        """Always 64."""
        return HEADER_BYTES

    def encode(self) -> bytes:
        """Return the bytes."""
        return _HEADER.pack(self.magic, VERSION, self.first, self.end)

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset."""
        if offset_bytes <= 0:
            return [], [self]
        if offset_bytes >= HEADER_BYTES:
            return [self], []
        data = self.encode()
        return raw(data[:offset_bytes]), raw(data[offset_bytes:])


def read_header(data: bytes, magic: bytes) -> FileHeader | None:
    """Return the header that the bytes begin with, or None when it is none of this kind (W97, W120).

    Args:
        data: at least the beginning of the file; where it is shorter than 64 bytes, 21 are enough.
        magic: INDEX_MAGIC or STORE_MAGIC.
    """
    if len(data) < NEEDED_BYTES or data[:4] != magic or data[4] != VERSION:
        return None
    first, end = struct.unpack_from(">QQ", data, 5)
    return FileHeader(magic, first, end)
