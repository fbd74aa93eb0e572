"""What was appended to files that are read back: comparing bytes costs less than taking them apart again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zlib import crc32

from engine.storage.port import ByteChunk

MOST_CHUNKS: Final = 500_000
"""Chunks that are kept in memory, of all files together: about 60 MB."""


class _Known:
    """What a file got since it was new."""

    __slots__ = ("checksum", "chunks", "size")

    def __init__(self) -> None:
        self.chunks: list[ByteChunk] = []
        self.checksum = 0
        self.size = 0


class RememberedFiles:
    """The chunks of some files, for as long as these hold just their bytes.

    Nobody needs to say that a file changed: its length and the checksum of its bytes tell it.
    """

    def __init__(self) -> None:
        self._files: dict[str, _Known] = {}
        self._chunks = 0

    def appended(self, path: str, at: int, chunks: Sequence[ByteChunk], data: bytes) -> None:
        """Note that a file got chunks at its end, where that is known from its beginning on.

        Args:
            path: the file.
            at: its length in bytes before.
            chunks: what it got.
            data: their bytes.
        """
        known = self._files.get(path)
        if known is None or not at:
            self.forget(path)
            known = self._files[path] = _Known()
        if known.size != at or self._chunks + len(chunks) > MOST_CHUNKS:
            self.forget(path)
            return
        known.chunks += chunks
        known.checksum = crc32(data, known.checksum)
        known.size += len(data)
        self._chunks += len(chunks)

    def chunks_of(self, path: str, data: bytes) -> Sequence[ByteChunk] | None:
        """Return what was appended to a file, None where its bytes are not known to be that.

        Args:
            path: the file.
            data: all that it holds.
        """
        known = self._files.get(path)
        if known is None or known.size != len(data) or known.checksum != crc32(data):
            return None
        return list(known.chunks)

    def forget(self, path: str) -> None:
        """Forget a file: it is gone, or something else than an append changed it."""
        known = self._files.pop(path, None)
        if known is not None:
            self._chunks -= len(known.chunks)
