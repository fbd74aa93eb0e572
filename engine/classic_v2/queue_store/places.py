"""Where bodies lie in `.qs` files, and what waits to be written there."""

from __future__ import annotations

import msgspec

from engine.values.extents import Extent
from engine.values.stretches import Stretches


class EntryPlace(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Entries of consecutive positions that lie back to back in one file (W112).

    Args:
        start: first position.
        count: how many.
        offset: of the first entry's header.
        term_bytes: bytes of each term.
        step: -1 where the last position was written first, as when 3.10 pages out from a lane's tail.
    """

    start: int
    count: int
    offset: int
    term_bytes: int
    step: int = 1

    @property
    def end(self) -> int:
        """One past the last position."""
        return self.start + self.count

    @property
    def stride(self) -> int:
        """Bytes from one position's entry to the next one's: its size, with its sign the direction."""
        return self.step * (self.term_bytes + 8)

    @property
    def low(self) -> int:
        """Where the first of the entries in the file begins."""
        return self.offset if self.step > 0 else self.offset + (self.count - 1) * self.stride

    @property
    def size_bytes(self) -> int:
        """Bytes of all entries."""
        return self.count * (self.term_bytes + 8)

    def part(self, offset: int, count: int) -> EntryPlace:
        """Return `count` entries beginning `offset` entries on."""
        return EntryPlace(
            self.start + offset, count, self.offset + offset * self.stride, self.term_bytes, self.step
        )

    def continued_by(self, after: EntryPlace) -> bool:
        """Return whether the entries that follow can be the same run."""
        alike = self.term_bytes == after.term_bytes and self.step == after.step
        return alike and self.offset + self.count * self.stride == after.offset

    def merged(self, count: int) -> EntryPlace:
        """Return this run with `count` entries in all."""
        return EntryPlace(self.start, count, self.offset, self.term_bytes, self.step)


Places = Stretches[EntryPlace]


class BufferedEntries(msgspec.Struct, frozen=True, gc=False):
    """Entries in the write buffer: where they will lie, and the messages (W114)."""

    place: EntryPlace
    extent: Extent

    @property
    def start(self) -> int:
        """First position."""
        return self.place.start

    @property
    def count(self) -> int:
        """How many entries."""
        return self.place.count

    def part(self, offset: int, count: int) -> BufferedEntries:
        """Return `count` entries beginning `offset` entries on."""
        return BufferedEntries(self.place.part(offset, count), self.extent.part(offset, count))

    def continued_by(self, after: BufferedEntries) -> bool:
        """Return whether the entries that follow can be the same run."""
        return self.place.continued_by(after.place) and self.extent.continued_by(after.extent)

    def merged(self, count: int) -> BufferedEntries:
        """Return this run with `count` entries in all."""
        return BufferedEntries(self.place.merged(count), self.extent.merged(count))
