"""What a path of the storage may look like."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.errors import PathRefused

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
        raise PathRefused(path[:80], f"it needs 1 to {LONGEST_PATH} characters")
    for name in path.split("/"):
        if name in ("", ".", ".."):
            raise PathRefused(path, "it must be relative and without empty, . and .. names")
        if len(name.encode("utf-8", "replace")) > LONGEST_NAME:
            raise PathRefused(path, f"a name has more than {LONGEST_NAME} bytes")
        if "\\" in name or "\0" in name or not name.isprintable():
            raise PathRefused(path, "a name has a backslash or a control character")
    if path.split("/", 1)[0] == HIDDEN:
        raise PathRefused(path, f"{HIDDEN} is the storage's own")
    return path


def checked_directory(path: str) -> str:
    """Return a directory's path when it is fit; the empty path and "." mean the root, returned as ""."""
    return "" if path in ("", ".") else checked(path)
