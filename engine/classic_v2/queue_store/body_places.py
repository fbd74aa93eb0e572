"""Where bodies lie in `.qs` files, and what waits to be written there."""

from __future__ import annotations

import msgspec

from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES
from engine.values.each import Length
from engine.values.extents import Extent
from engine.values.sizes import total
from engine.values.stretches import Stretches


class EntryPlace(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Entries of consecutive positions that lie back to back in one file (W112).

    Args:
        start: first position.
        count: how many.
        offset: of the first entry's header.
        term_bytes: bytes of each term: one number, or lengths that differ.
        step: -1 where the last position was written first, as when 3.10 pages out from a lane's tail.
        msg_no: number of the first message, by which lengths are found; 0 where all are alike.
    """

    start: int
    count: int
    offset: int
    term_bytes: Length
    step: int = 1
    msg_no: int = 0

    @property
    def end(self) -> int:
        """One past the last position."""
        return self.start + self.count

    def offset_of(self, skip: int) -> int:
        """Return where the entry `skip` positions on begins."""
        each = self.term_bytes
        if isinstance(each, int):
            return self.offset + skip * self.step * (each + ENTRY_HEADER_BYTES)
        return self.offset + each.total(self.msg_no, skip) + skip * ENTRY_HEADER_BYTES

    @property
    def low(self) -> int:
        """Where the first of the entries in the file begins."""
        return self.offset if self.step > 0 else self.offset_of(self.count - 1)

    @property
    def waiting_bytes(self) -> int:
        """Bytes of all terms, as a write buffer counts them (W114)."""
        return total(self.term_bytes, self.msg_no, self.count)

    @property
    def size_bytes(self) -> int:
        """Bytes of all entries."""
        return self.waiting_bytes + self.count * ENTRY_HEADER_BYTES

    def equal_parts(self) -> list[EntryPlace]:
        """Return the same entries by runs of one size: one by one where lengths differ."""
        each = self.term_bytes
        if isinstance(each, int):
            return [self]
        return [
            EntryPlace(self.start + skip, 1, self.offset_of(skip), each.at(self.msg_no + skip))
            for skip in range(self.count)
        ]

    def part(self, offset: int, count: int) -> EntryPlace:
        """Return `count` entries beginning `offset` entries on."""
        number = 0 if isinstance(self.term_bytes, int) else self.msg_no + offset
        return EntryPlace(
            self.start + offset, count, self.offset_of(offset), self.term_bytes, self.step, number
        )

    def continued_by(self, after: EntryPlace) -> bool:
        """Return whether the entries that follow can be the same run."""
        return (
            self.term_bytes == after.term_bytes
            and self.step == after.step
            and self.offset_of(self.count) == after.offset
            and (isinstance(self.term_bytes, int) or self.msg_no + self.count == after.msg_no)
        )

    def merged(self, count: int) -> EntryPlace:
        """Return this run with `count` entries in all."""
        return EntryPlace(self.start, count, self.offset, self.term_bytes, self.step, self.msg_no)


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
