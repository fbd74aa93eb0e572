"""What both storages keep of their files without looking into them: names, sizes and the bound of all together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from engine.storage.paths import PathTree, checked
from engine.storage.port import ByteChunk, Decode
from engine.values.errors import FileMissing, StorageFull


class SizedFile(Protocol):
    """A file of either storage."""

    @property
    def size(self) -> int:
        """Its length in bytes."""


File = TypeVar("File", bound=SizedFile)


class FileCatalogue(ABC, Generic[File]):
    """The files of one node by path.

    Args:
        max_bytes: bound of all files together; None for none.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self._files: dict[str, File] = {}
        self._tree = PathTree()
        self._max_bytes = max_bytes
        self._used = 0

    @abstractmethod
    def _new(self, path: str) -> File:
        """Make an empty file that is not there yet."""

    @abstractmethod
    def append(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        """Write chunks at the end, creating the file when absent.

        Raises:
            StorageFull: the bound would be passed; nothing is written.
        """

    @abstractmethod
    def read(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        """Return the chunks of the whole file, none of one that does not exist.

        Args:
            path: the file.
            decode: the decoder of the file's format.
        """

    def append_remembered(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        """Append chunks to a file that `read_back` will read."""
        self.append(path, chunks)

    def read_back(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        """Return the chunks of a file that `append_remembered` wrote; arguments as for `read`."""
        return self.read(path, decode)

    @abstractmethod
    def truncate(self, path: str, size_bytes: int) -> None:
        """Cut the file to `size_bytes`, or extend it with zeros to it.

        Raises:
            FileMissing: the file does not exist.
            StorageFull: the bound would be passed.
        """

    @abstractmethod
    def copy(self, source: str, offset: int, count: int, target: str) -> None:
        """Append `count` bytes of `source` beginning at `offset` to `target`, creating it when absent.

        Raises:
            FileMissing: the source does not exist.
            StorageFull: the bound would be passed.
        """

    @abstractmethod
    def overwrite(self, path: str, offset: int, source: str, count: int, source_offset: int = 0) -> None:
        """Replace `count` bytes at `offset` of `path` with those of `source` at `source_offset`.

        Raises:
            FileMissing: one of the files does not exist.
            ValueError: the bytes do not lie inside both files.
        """

    @abstractmethod
    def fsync(self, path: str) -> None:
        """Make what was written durable.

        Raises:
            FileMissing: the file does not exist.
        """

    @abstractmethod
    def delete(self, path: str) -> None:
        """Remove a file for good; nothing happens when it is absent."""

    @abstractmethod
    def rename(self, path: str, target: str) -> None:
        """Give a file another name, replacing what is there; what is durable of it stays so.

        Raises:
            FileMissing: the file does not exist.
        """

    @abstractmethod
    def delete_directory(self, path: str) -> None:
        """Remove a directory with everything in it for good."""

    @abstractmethod
    def power_cut(self) -> None:
        """Roll every file back to its content at its last fsync; files without one vanish (S234)."""

    def size(self, path: str) -> int | None:
        """Return the size in bytes, or None when the file does not exist."""
        file = self._files.get(path)
        return None if file is None else file.size

    def create(self, path: str) -> None:
        """Make an empty file, truncating what is there."""
        if path in self._files:
            self.truncate(path, 0)
        else:
            self._new(path)

    def list(self, directory: str) -> Sequence[str]:
        """Return the names of the files directly inside `directory`, sorted."""
        return self._tree.names(directory)

    def paths(self) -> Sequence[str]:
        """Return the paths of all files, sorted."""
        return sorted(self._files)

    def used_bytes(self, folder: str = "") -> int:
        """Return the bytes of all files together, or of those below a folder."""
        if not folder:
            return self._used
        return sum(file.size for path, file in self._files.items() if path.startswith(folder))

    def _existing(self, path: str) -> File:
        file = self._files.get(path)
        if file is None:
            raise FileMissing(checked(path))
        return file

    def _claim(self, path: str, more: int) -> None:
        if self._max_bytes is not None and self._used + more > self._max_bytes:
            raise StorageFull(path, self._used + more, self._max_bytes)
