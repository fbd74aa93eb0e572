"""The file summary: sizes, order and locks of a store's files (S131, S132)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(slots=True)
class FileRow:
    """One store file.

    Args:
        number: its number; files are ordered by it.
        file_size: bytes of all records appended, those still buffered too.
        valid: bytes of the records with references.
        left, right: numbers of the neighbours, None at the ends.
        locked: garbage collection works on it.
    """

    number: int
    file_size: int = 0
    valid: int = 0
    left: int | None = None
    right: int | None = None
    locked: bool = False


class FileSummary:
    """All files of a store, in number order, with the sums over them."""

    def __init__(self) -> None:
        self._files: dict[int, FileRow] = {}
        self.current = 0
        self.sum_valid = 0
        self.sum_size = 0

    def __iter__(self) -> Iterator[FileRow]:
        return iter(self._files.values())

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: int) -> FileRow:
        return self._files[number]

    def open(self, number: int, file_size: int = 0, valid: int = 0) -> FileRow:
        """Add a file behind all others and make it the current one.

        Args:
            number: higher than every other.
            file_size: bytes of its records.
            valid: bytes of its records with references.
        """
        row = FileRow(number, file_size, valid)
        if self._files:
            row.left = self.current
            self._files[self.current].right = number
        self._files[number] = row
        self.current = number
        self.sum_size += file_size
        self.sum_valid += valid
        return row

    def appended(self, size_bytes: int) -> None:
        """Count records with a reference appended to the current file (S143)."""
        row = self._files[self.current]
        row.file_size += size_bytes
        row.valid += size_bytes
        self.sum_size += size_bytes
        self.sum_valid += size_bytes

    def revalue(self, number: int, delta_bytes: int) -> None:
        """Change how many bytes of a file have references (S142, S147)."""
        self._files[number].valid += delta_bytes
        self.sum_valid += delta_bytes

    def combined(self, number: int, size_bytes: int) -> None:
        """Note that a file now holds nothing but `size_bytes` of live records; the sums are the caller's (S183)."""
        row = self._files[number]
        row.file_size = size_bytes
        row.valid = size_bytes

    def unlink(self, number: int) -> FileRow:
        """Take a file out of the list (S185); the sums are the caller's."""
        row = self._files.pop(number)
        if row.left is not None:
            self._files[row.left].right = row.right
        if row.right is not None:
            self._files[row.right].left = row.left
        return row

    def find_pair(self, limit_bytes: int, ignore: int | None = None) -> tuple[int, int] | None:
        """Return (source, destination) of the first two neighbours that fit one file (S181).

        Args:
            limit_bytes: the most that both may hold together.
            ignore: number of a file that must not take part.
        """
        left: FileRow | None = None
        for row in self._files.values():
            if row.right is None:
                break
            if left is not None and ignore not in (row.number, left.number) and fits(left, row, limit_bytes):
                return row.number, left.number
            left = row
        return None


def fits(destination: FileRow, source: FileRow, limit_bytes: int) -> bool:
    """Return whether two neighbours may be combined; that the source is not the current file is the caller's (S181)."""
    return (
        destination.valid + source.valid <= limit_bytes
        and destination.valid > 0
        and source.valid > 0
        and not destination.locked
        and not source.locked
    )
