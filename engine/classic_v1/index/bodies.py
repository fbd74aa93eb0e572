"""The place of small bodies where that is not the index itself: files of their own, as version 2 has them (W18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.values.extents import Extent
from engine.values.ranges import Range


class SmallBodies(Protocol):
    """Bodies of messages that are not at home in a shared store."""

    def write(self, extent: Extent, descending: bool = False) -> None:
        """Write the bodies, the last message first where `descending`."""

    def read(self, extent: Extent) -> None:
        """Read the bodies, one after the other."""

    def alike(self, extent: Extent) -> int:
        """Return how many messages from the first on may be read together and then removed together."""

    def remove(self, ranges: Sequence[Range]) -> None:
        """Remove the bodies of these positions."""
