"""Files that stay where they are: of those that are too large to be kept, what is asked for is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, overload

from engine.storage.port import ByteChunk

WINDOW_BYTES: Final = 4096
"""What is read at once: the heads of a store's records are looked at one after the other, not the bodies."""


class _Readable(Protocol):
    """A directory, or what a run made of one."""

    def size(self, path: str) -> int | None:
        """Return the size of a file in bytes."""

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        """Return up to so many bytes at an offset."""


class PlacedFiles:
    """Reads the files of one directory; of the file that was read last it keeps a window."""

    def __init__(self, storage: _Readable) -> None:
        self._storage = storage
        self._window = ("", 0, b"")

    def file(self, path: str) -> PlacedBytes:
        """Return a whole file as it is now, unread."""
        return PlacedBytes(self, path, 0, self._storage.size(path) or 0)

    def read(self, path: str, begin: int, end: int) -> bytes:
        if end - begin > WINDOW_BYTES:
            return self._storage.read_bytes(path, begin, end - begin)
        held, at, data = self._window
        if held != path or not at <= begin <= end <= at + len(data):
            at, data = begin, self._storage.read_bytes(path, begin, WINDOW_BYTES)
            self._window = path, at, data
        return data[begin - at : end - at]


class PlacedBytes:
    """Some bytes of a file, which can be asked as `bytes` can, and stand in a ledger as a chunk.

    Args:
        begin, end: offsets in it.
    """

    plain = True

    def __init__(self, files: PlacedFiles, path: str, begin: int, end: int) -> None:
        self._files, self._path, self._begin, self._end = files, path, begin, end

    def __len__(self) -> int:
        return self._end - self._begin

    @overload
    def __getitem__(self, at: int) -> int: ...

    @overload
    def __getitem__(self, at: slice) -> bytes: ...

    def __getitem__(self, at: int | slice) -> int | bytes:
        """Return one of them, or some that follow each other."""
        if isinstance(at, int):
            return self[at : at + 1][0]
        begin, end, _step = at.indices(len(self))
        return self._files.read(self._path, self._begin + begin, self._begin + max(begin, end))

    def __bytes__(self) -> bytes:
        return self[:]

    def find(self, wanted: bytes, begin: int = 0) -> int:
        """Return the offset of the first place from an offset on that has some bytes, -1 without one."""
        for at in range(begin, len(self), WINDOW_BYTES):
            found = self[at : at + WINDOW_BYTES + len(wanted) - 1].find(wanted)
            if found >= 0:
                return at + found
        return -1

    # --- as a chunk ---

    @property
    def size_bytes(self) -> int:
        return len(self)

    def encode(self) -> bytes:
        return self[:]

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        return self.between(0, offset_bytes), self.between(offset_bytes, len(self))

    def between(self, begin: int, end: int) -> Sequence[ByteChunk]:
        begin, end = max(0, begin), min(end, len(self))
        if begin >= end:
            return []
        return [PlacedBytes(self._files, self._path, self._begin + begin, self._begin + end)]


def has_placed(files: dict[str, Any]) -> bool:
    """Return whether some of the files are not kept."""
    return any(isinstance(each, PlacedBytes) for each in files.values())
