"""The memory of a worker: how much its sessions take together, and which of them takes most."""

from __future__ import annotations

import contextlib
import os
import resource
from collections import Counter
from typing import Final

STATM: Final = "/proc/self/statm"
RESIDENT, DATA = 1, 5
"""Places in STATM of the pages in memory, and of the pages of data, which the limit of data counts."""
PAGE_BYTES: Final = resource.getpagesize()


class WorkerMemory:
    """Measures this process. Without /proc, nothing is known and nothing is taken."""

    def __init__(self) -> None:
        self._statm: int | None = None
        with contextlib.suppress(OSError):
            self._statm = os.open(STATM, os.O_RDONLY | os.O_CLOEXEC)
        self._first = self._noted = self._pages(RESIDENT)
        self._by_session: Counter[str] = Counter()

    def close(self) -> None:
        """Give the handle back."""
        statm, self._statm = self._statm, None
        if statm is not None:
            os.close(statm)

    def bind(self, most_bytes: int) -> None:
        """Bound the data of this process, for what is asked for at once: whoever asks for more gets a MemoryError.

        Args:
            most_bytes: that are added; nothing is bound where the system does not say how many there are.
        """
        if self._statm is not None:
            most_bytes += self._pages(DATA) * PAGE_BYTES
            resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, resource.RLIM_INFINITY))

    def _pages(self, place: int) -> int:
        return 0 if self._statm is None else int(os.pread(self._statm, 128, 0).split()[place])

    def taken_bytes(self) -> int:
        """Return the bytes in memory that were added since the beginning."""
        return (self._pages(RESIDENT) - self._first) * PAGE_BYTES

    def note(self, session: str) -> None:
        """Count what was added or freed since the last note for a session, whose turn ends."""
        now = self._pages(RESIDENT)
        self._by_session[session] += now - self._noted
        self._noted = now

    def forget(self, session: str) -> None:
        """Forget a session that is gone, and what was freed with it."""
        del self._by_session[session]
        self._noted = self._pages(RESIDENT)

    def largest(self, turn: str | None) -> str:
        """Return the session that takes most.

        Args:
            turn: the session that has the turn, if one has: what was added since the last note is its own.
        """
        taken = self._by_session.copy()
        if turn is not None:
            taken[turn] += self._pages(RESIDENT) - self._noted
        return max(taken, key=taken.__getitem__, default="")
