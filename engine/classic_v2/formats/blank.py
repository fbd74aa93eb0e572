"""Zero bytes that are part of a file's format: acknowledged slots, and bodies that were never written (W84, W116)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.formats.chunks import AnyChunk


class BlankBytes(msgspec.Struct, frozen=True):
    """Zero bytes in the place of records.

    Args:
        size_bytes: how many.
    """

    size_bytes: int

    def encode(self) -> bytes:
        """Return the zero bytes."""
        return bytes(self.size_bytes)

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset."""
        at = min(max(offset_bytes, 0), self.size_bytes)
        return blanks(at), blanks(self.size_bytes - at)


def blanks(size_bytes: int) -> list[BlankBytes]:
    """Return that many zero bytes as chunks: none for none."""
    return [BlankBytes(size_bytes)] if size_bytes else []
