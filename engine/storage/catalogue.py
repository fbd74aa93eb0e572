"""What both storages keep of their files without looking into them: paths, sizes, and the bound of all together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Generic, Protocol, TypeVar

from engine.storage.port import Decode, Storage
from engine.values.chunks import ByteChunk
from engine.values.errors import FileMissing, PathRefused, StorageFull
from engine.values.marks import override

HIDDEN: Final = ".durable"
"""A directory of the directory backend's own; no path may lead into it."""
LONGEST_NAME: Final = 200
LONGEST_PATH: Final = 1000


@lru_cache(8192)
def checked(path: str) -> str:
    """Return the path when it is relative, plain and inside the storage. `path`: names joined by forward
    slashes. Raises PathRefused: it is not.
    """
    if not path or len(path) > LONGEST_PATH:
        raise PathRefused("path_too_long", path=repr(path[:80]), most=LONGEST_PATH)
    for name in path.split("/"):
        if name in ("", ".", ".."):
            raise PathRefused("path_not_plain", path=repr(path))
        if len(name.encode("utf-8", "replace")) > LONGEST_NAME:
            raise PathRefused("path_name_too_long", path=repr(path), most=LONGEST_NAME)
        if "\\" in name or "\0" in name or not name.isprintable():
            raise PathRefused("path_signs", path=repr(path))
    if path.split("/", 1)[0] == HIDDEN:
        raise PathRefused("path_of_storage", path=repr(path), name=HIDDEN)
    return path


class PathTree:
    """The names of files by directory, so that a path cannot be a file and a directory at once."""

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: dict[str, dict[str, int]] = {}
        """For each directory, its files (0) and its directories (number of names in them)."""

    def add(self, path: str) -> None:
        """Enter a file. Raises PathRefused: it or a part of it is of the other kind, or it is not a fit path."""
        parent, _, name = checked(path).rpartition("/")
        if path in self._names:
            raise PathRefused("path_of_directory", path=repr(path))
        above = parent
        while above:
            before, _, own = above.rpartition("/")
            if self._names.get(before, {}).get(own) == 0:
                raise PathRefused("path_below_file", path=repr(path), file=above)
            above = before
        self._names.setdefault(parent, {})[name] = 0
        while parent:
            above, _, own = parent.rpartition("/")
            self._names.setdefault(above, {})[own] = len(self._names[parent])
            parent = above

    def remove(self, path: str) -> None:
        """Forget a file, and the directories that are empty without it."""
        parent, _, name = path.rpartition("/")
        del self._names[parent][name]
        while not self._names[parent]:
            del self._names[parent]
            if not parent:
                return
            parent, _, name = parent.rpartition("/")
            del self._names[parent][name]

    def names(self, directory: str) -> list[str]:
        """Return the names of the files directly in a directory ("" or "." for the root), sorted."""
        inside = "" if directory in ("", ".") else checked(directory)
        return sorted(name for name, held in self._names.get(inside, {}).items() if not held)

    def below(self, directory: str) -> list[str]:
        """Return the paths of all files inside a directory, at any depth."""
        found: list[str] = []
        waiting = [checked(directory)]
        while waiting:
            inside = waiting.pop()
            for name, held in self._names.get(inside, {}).items():
                (waiting if held else found).append(f"{inside}/{name}")
        return sorted(found)


class SizedFile(Protocol):
    """A file of either storage."""

    @property
    def size(self) -> int:
        """Its length in bytes."""


File = TypeVar("File", bound=SizedFile)


class FileCatalogue(Storage, ABC, Generic[File]):
    """The files of one node by path. `max_bytes`: bound of all files together; None for none."""

    def __init__(self, max_bytes: int | None = None) -> None:
        self._files: dict[str, File] = {}
        self._tree = PathTree()
        self._max_bytes = max_bytes
        self._used = 0

    @abstractmethod
    def _new(self, path: str) -> File:
        """Make an empty file that is not there yet."""

    @override
    def append_remembered(self, path: str, chunks: Sequence[ByteChunk]) -> None:
        self.append(path, chunks)

    @override
    def read_back(self, path: str, decode: Decode) -> Sequence[ByteChunk]:
        return self.read(path, decode)

    @override
    def size(self, path: str) -> int | None:
        file = self._files.get(path)
        return None if file is None else file.size

    @override
    def create(self, path: str) -> None:
        if path in self._files:
            self.truncate(path, 0)
        else:
            self._new(path)

    @override
    def list(self, directory: str) -> Sequence[str]:
        return self._tree.names(directory)

    def paths(self) -> Sequence[str]:
        """Return the paths of all files, sorted."""
        return sorted(self._files)

    @override
    def used_bytes(self, folder: str = "") -> int:
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
