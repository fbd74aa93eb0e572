"""Which client has which file open for reading, and which must close it (S155.6, S185, S186)."""

from __future__ import annotations


class OpenHandles:
    """The table of read handles that clients hold; a file with a row here cannot be removed from disk."""

    def __init__(self) -> None:
        self._files: dict[int, dict[str, bool]] = {}

    def opened(self, ref: str, file: int) -> None:
        """Note that a client reads a file; a row that is here stays as it is."""
        self._files.setdefault(file, {}).setdefault(ref, False)

    def mark(self, file: int) -> list[str]:
        """Mark every open handle of a file to be closed; return the clients that were not marked before."""
        row = self._files.get(file, {})
        found = [ref for ref, marked in row.items() if not marked]
        for ref in found:
            row[ref] = True
        return found

    def close_marked(self, ref: str) -> None:
        """Close the handles of a client that are marked."""
        for file in [file for file, row in self._files.items() if row.get(ref)]:
            self._close(ref, file)

    def close_all(self, ref: str) -> None:
        """Close every handle of a client."""
        for file in [file for file, row in self._files.items() if ref in row]:
            self._close(ref, file)

    def _close(self, ref: str, file: int) -> None:
        row = self._files[file]
        del row[ref]
        if not row:
            del self._files[file]

    def is_open(self, file: int) -> bool:
        """Return whether any client has the file open, marked or not."""
        return file in self._files
