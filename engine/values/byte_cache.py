"""A cache of recent results, bounded by their total bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ByteCache(Generic[K, V]):
    """Keeps the most recently used values by key. Not thread-safe. `most_bytes`: of all values together; a
    larger value is not kept. `size`: returns the bytes of a key and its value together.
    """

    def __init__(self, most_bytes: int, size: Callable[[K, V], int]) -> None:
        self.used_bytes = 0
        self._most_bytes = most_bytes
        self._size = size
        self._kept: dict[K, V] = {}
        """Cached results; the most recently used is last."""

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: K) -> V | None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._kept[key] = found
        return found

    def keep(self, key: K, value: V) -> V:
        """Keep a value, and return it; what nobody asked for the longest time gives way."""
        self.drop(key)
        size_bytes = self._size(key, value)
        if size_bytes <= self._most_bytes:
            self._kept[key] = value
            self.used_bytes += size_bytes
            while self.used_bytes > self._most_bytes:
                self.drop(next(iter(self._kept)))
        return value

    def drop(self, key: K) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self.used_bytes -= self._size(key, found)

    def clear(self) -> None:
        self._kept.clear()
        self.used_bytes = 0
