"""What a path of the storage may look like."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.values.errors import PathRefused

HIDDEN: Final = ".durable"
"""A directory of the directory backend's own; no path may lead into it."""
LONGEST_NAME: Final = 200
LONGEST_PATH: Final = 1000


@lru_cache(8192)
def checked(path: str) -> str:
    """Return the path when it is relative, plain and inside the storage.

    Args:
        path: names joined by forward slashes.

    Raises:
        PathRefused: it is not.
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
        """Enter a file.

        Raises:
            PathRefused: it or a part of it is of the other kind, or it is not a fit path.
        """
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
