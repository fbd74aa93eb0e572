"""Who may have a reading process: a few at a time, one for each visitor; the others wait in order."""

from __future__ import annotations

import threading
from collections import deque
from typing import Final

from playground.inspecting import bounds

WAITING: Final = 32
"""Most that wait."""


class Places:
    """Places, and a queue before them; whoever waits asks now and then. For threads and event loops.

    Args:
        count: places.
        waiting: most visitors that wait.
    """

    def __init__(self, count: int = bounds.AT_ONCE, waiting: int = WAITING) -> None:
        self._free = count
        self._waiting = waiting
        self._lock = threading.Lock()
        self._queue: deque[str] = deque()
        self._here: set[str] = set()

    def enter(self, visitor: str) -> bool:
        """Begin to wait; return whether that was possible: each visitor waits once, and only so many wait at all."""
        with self._lock:
            if visitor in self._here or len(self._queue) >= self._waiting:
                return False
            self._here.add(visitor)
            self._queue.append(visitor)
            return True

    def ahead(self, visitor: str) -> int:
        """Return how many come first; 0 where the visitor now has a place."""
        with self._lock:
            at = self._queue.index(visitor)
            if at or not self._free:
                return at + 1
            self._free -= 1
            self._queue.popleft()
            return 0

    def leave(self, visitor: str) -> None:
        """Give back a place, or wait no longer."""
        with self._lock:
            self._here.remove(visitor)
            if visitor in self._queue:
                self._queue.remove(visitor)
            else:
                self._free += 1


places = Places()
