"""Chunks: what files consist of. A record run is one, and so are bytes that are no records: damage, padding, what a cut
leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class ByteChunk(Protocol):
    """A run of records as one value."""

    @property
    def size_bytes(self) -> int:
        """Length of `encode()`, known without encoding."""

    def encode(self) -> bytes:
        """Return the exact bytes of the file format."""

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        """Split at a byte offset; a cut inside a record yields `RawBytes` on both sides of it."""


class RawBytes(msgspec.Struct, frozen=True):
    """Bytes that no decoder has a name for."""

    plain = True
    data: bytes

    @property
    def size_bytes(self) -> int:
        return len(self.data)

    def encode(self) -> bytes:
        return self.data

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        return raw(self.data[:offset_bytes]), raw(self.data[offset_bytes:])

    def between(self, begin: int, end: int) -> Sequence[ByteChunk]:
        """Return what lies from one offset to another; a cut would copy all that is not wanted."""
        return raw(self.data[begin:end])


class ZeroBytes(msgspec.Struct, frozen=True):
    """Zero bytes, as an extended file holds them (S183)."""

    plain = True
    size_bytes: int

    def encode(self) -> bytes:
        return bytes(self.size_bytes)

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        at = min(max(offset_bytes, 0), self.size_bytes)
        rest = self.size_bytes - at
        return ([ZeroBytes(at)] if at else []), ([ZeroBytes(rest)] if rest else [])


def raw(data: bytes) -> list[ByteChunk]:
    """Return the bytes as chunks: none when empty, `ZeroBytes` when nothing else is in them."""
    if not data:
        return []
    if not data[0] and data.count(0) == len(data):
        return [ZeroBytes(len(data))]
    return [RawBytes(bytes(data))]
