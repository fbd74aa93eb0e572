"""What an entry of the queue knows beyond an extent's fields (W15-W17)."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.values.extents import (
    DELIVERED,
    HOME_STORE,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    Extent,
)

UNTAKEN: Final = 512
"""Loaded from the tail and not taken since: whether it is redelivered is decided when it goes out (W41)."""
IN_INDEX: Final = PERSISTENT | RAW_PERSISTENT | HOME_STORE | IN_STORE | INDEXED
"""The flags that the index keeps of an entry."""


def in_index(extent: Extent) -> Extent:
    """Return messages as the index keeps them."""
    return extent.with_flags(clear=extent.flags & ~IN_INDEX)


def marked(extent: Extent, delivered: bool) -> Extent:
    """Return messages with the delivered mark that a take gives them (W41)."""
    return extent.with_flags(DELIVERED if delivered else 0, UNTAKEN | (0 if delivered else DELIVERED))


class Tail(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that RAM keeps of the messages behind the head lane (W12).

    Args:
        start: first position covered, None when blank.
        count: ready messages in it.
        end: one past the last position covered, None when blank.
        transient: how many of them count as transient, where releases count that; may go negative (Q20).
    """

    start: int | None = None
    count: int = 0
    end: int | None = None
    transient: int = 0

    @property
    def blank(self) -> bool:
        """Whether it covers nothing."""
        return self.start == self.end and self.count == 0

    def extended(self, start: int, count: int, transient: int) -> Tail:
        """Return the tail grown by the positions [start, start+count), which are behind it or the first ones."""
        if self.blank or self.start is None or self.end is None:
            return Tail(start, count, start + count, transient)
        return Tail(
            min(self.start, start),
            self.count + count,
            max(self.end, start + count),
            self.transient + transient,
        )


BLANK: Final = Tail()


class Deliveries(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Consecutive positions that were delivered equally often (W42)."""

    start: int
    count: int
    times: int

    @property
    def end(self) -> int:
        """One past the last position."""
        return self.start + self.count

    def part(self, offset: int, count: int) -> Deliveries:
        """Return `count` positions beginning `offset` positions on."""
        return Deliveries(self.start + offset, count, self.times)

    def continued_by(self, after: Deliveries) -> bool:
        """Return whether the number is the same."""
        return self.times == after.times

    def merged(self, count: int) -> Deliveries:
        """Return this run over `count` positions."""
        return Deliveries(self.start, count, self.times)
