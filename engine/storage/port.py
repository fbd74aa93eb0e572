"""What the engine asks of storage, and nothing more.

A file is a sequence of *chunks*: values that have a size in bytes and can write themselves as bytes. The
directory backend writes those bytes to a real file and decodes them when asked; the ledger backend keeps the chunks
themselves. Both report the same sizes, so the engine cannot distinguish them.
Paths are relative, with forward slashes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.values.chunks import ByteChunk

Decode = Callable[[bytes], Sequence[ByteChunk]]
"""Turns the bytes of a whole file into chunks (damage becomes `RawBytes` or the decoder's own typed error).

A `partial` says by its arguments what it does, so a storage need not ask an equal one twice.
"""


class Storage(Protocol):
    """Files of one node, addressed by relative path. What reads or changes a file that is not there raises
    FileMissing, unless it says otherwise; what makes files longer raises StorageFull where the bound of all files
    would be passed, and writes nothing.
    """

    def size(self, path: str) -> int | None:
        """Return the size in bytes, or None when the file does not exist."""

    def append(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        """Write chunks at the end, creating the file (and its directory) when absent; one write call."""

    def append_remembered(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        """Append chunks to a file that `read_back` will read: a storage may remember what it wrote."""

    def write(self, path: str, offset: int, chunks: Sequence[ByteChunk]) -> None:
        """Write chunks at an offset in place of what is there, creating the file when absent; one write call.
        What lies between the file's end and the offset becomes zeros.
        """

    def create(self, path: str) -> None:
        """Make an empty file, truncating what is there."""

    def read(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        """Return the chunks of the whole file, in order; empty when the file does not exist."""

    def read_back(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        """Return the chunks of the whole file: those that were appended, as long as it holds just their
        bytes. So a run of records may come in several parts, where `read` finds the longest. What a recovery
        reads is always decoded: it uses `read`.
        """

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        """Return up to `count` bytes at `offset`; the ledger encodes only the chunks that hold them."""

    def part(self, path: str, offset: int, count: int) -> Sequence[ByteChunk]:
        """Return what `read_bytes` returns as chunks: those that were written where the storage keeps them."""

    def truncate(self, path: str, size_bytes: int) -> None:
        """Cut the file to `size_bytes`, or extend it with zeros to it."""

    def copy(self, source: str, offset: int, count: int, target: str) -> None:
        """Append `count` bytes of `source` beginning at `offset` to `target`, creating that when absent."""

    def overwrite(self, path: str, offset: int, source: str, count: int, source_offset: int = 0) -> None:
        """Replace `count` bytes at `offset` of `path` with those of `source` at `source_offset`. Raises
        ValueError: the bytes do not lie inside both files.
        """

    def fsync(self, path: str) -> None:
        """Make what was written durable: a later power cut keeps it."""

    def delete(self, path: str) -> None:
        """Remove a file for good; nothing happens when it is absent."""

    def rename(self, path: str, target: str) -> None:
        """Give a file another name, replacing what is there; what is durable of it stays so."""

    def delete_directory(self, path: str) -> None:
        """Remove a directory with everything in it; nothing happens when it is absent."""

    def list(self, directory: str) -> Sequence[str]:
        """Return the names of the files directly inside `directory`, sorted; empty when absent."""

    def power_cut(self) -> None:
        """Roll every file back to its content at its last fsync (S234); unsynced new files vanish."""

    def used_bytes(self, folder: str = "") -> int:
        """Return the bytes of all files together, or of those below a folder (such as "n2/")."""
