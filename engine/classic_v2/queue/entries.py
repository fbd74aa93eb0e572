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


class DeliveryCounts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Consecutive positions that were delivered equally often (W42)."""

    start: int
    count: int
    times: int

    @property
    def end(self) -> int:
        """One past the last position."""
        return self.start + self.count

    def part(self, offset: int, count: int) -> DeliveryCounts:
        """Return `count` positions beginning `offset` positions on."""
        return DeliveryCounts(self.start + offset, count, self.times)

    def continued_by(self, after: DeliveryCounts) -> bool:
        """Return whether the number is the same."""
        return self.times == after.times

    def merged(self, count: int) -> DeliveryCounts:
        """Return this run over `count` positions."""
        return DeliveryCounts(self.start, count, self.times)
