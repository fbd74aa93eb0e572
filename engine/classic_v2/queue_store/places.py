"""Where bodies lie in `.qs` files, and what waits to be written there."""

from __future__ import annotations

import msgspec

from engine.values.extents import Extent
from engine.values.stretches import Stretches


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Entries of consecutive positions that lie back to back in one file (W112).

    Args:
        start: first position.
        count: how many.
        offset: of the first entry's header.
        term_bytes: bytes of each term.
    """

    start: int
    count: int
    offset: int
    term_bytes: int

    @property
    def end(self) -> int:
        """One past the last position."""
        return self.start + self.count

    @property
    def stride(self) -> int:
        """Bytes of each entry with its header."""
        return self.term_bytes + 8

    def part(self, offset: int, count: int) -> Place:
        """Return `count` entries beginning `offset` entries on."""
        return Place(self.start + offset, count, self.offset + offset * self.stride, self.term_bytes)

    def continued_by(self, after: Place) -> bool:
        """Return whether the entries that follow can be the same run."""
        return self.term_bytes == after.term_bytes and self.offset + self.count * self.stride == after.offset

    def merged(self, count: int) -> Place:
        """Return this run with `count` entries in all."""
        return Place(self.start, count, self.offset, self.term_bytes)


Places = Stretches[Place]


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """Entries in the write buffer: where they will lie, and the messages (W114)."""

    place: Place
    extent: Extent

    @property
    def start(self) -> int:
        """First position."""
        return self.place.start

    @property
    def count(self) -> int:
        """How many entries."""
        return self.place.count

    def part(self, offset: int, count: int) -> Waiting:
        """Return `count` entries beginning `offset` entries on."""
        return Waiting(self.place.part(offset, count), self.extent.part(offset, count))

    def continued_by(self, after: Waiting) -> bool:
        """Return whether the entries that follow can be the same run."""
        return self.place.continued_by(after.place) and self.extent.continued_by(after.extent)

    def merged(self, count: int) -> Waiting:
        """Return this run with `count` entries in all."""
        return Waiting(self.place.merged(count), self.extent.merged(count))
