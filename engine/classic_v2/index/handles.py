"""Which `.qi` files are open: at most four (W90)."""

from __future__ import annotations

MOST = 4


class OpenFiles:
    """Segments whose file is open for reading and writing."""

    __slots__ = ("_open", "closed")

    def __init__(self) -> None:
        self._open: list[int] = []
        self.closed: set[int] = set()
        """Those that were closed to make room since the last `mark`."""

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._open)

    def open(self, segment: int) -> None:
        """Open a file; a fifth one closes one of the two in the middle (W90)."""
        if segment in self._open:
            return
        if len(self._open) == MOST:
            _, low, high, _ = self._open
            if segment > high:
                gone = high
            elif segment < low:
                gone = low
            else:
                gone = high if high - segment < segment - low else low
            self._open.remove(gone)
            self.closed.add(gone)
        self._open.append(segment)
        self._open.sort()

    def close(self, segment: int) -> None:
        """Close a file if it is open."""
        if segment in self._open:
            self._open.remove(segment)

    def close_all(self) -> None:
        """Close every file."""
        self._open.clear()

    def mark(self) -> None:
        """Begin to note what is closed to make room."""
        self.closed = set()
