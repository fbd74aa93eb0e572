"""Messages whose publishers wait until the index is durable (K4, K5, S85)."""

from __future__ import annotations

from collections.abc import Callable

from engine.values.extents import HOME_STORE, WANTS_CONFIRM, Extent
from engine.values.ranges import RangeSet

Report = Callable[[RangeSet], None]


class IndexConfirms:
    """The two sets of message numbers, and whom to notify.

    Args:
        on_index_written: called with the messages whose body is in the store.
        on_both_written: called with the messages whose body is embedded in the index.
    """

    def __init__(self, on_index_written: Report, on_both_written: Report) -> None:
        self._on_index_written = on_index_written
        self._on_both_written = on_both_written
        self.store_homed = RangeSet()
        self.embedded = RangeSet()

    def __bool__(self) -> bool:
        """Return whether anybody waits."""
        return self.store_homed.runs.total > 0 or self.embedded.runs.total > 0

    def wait(self, extent: Extent) -> None:
        """Remember the messages of an extent if their publisher waits (S74.2)."""
        if extent.flags & WANTS_CONFIRM:
            waiting = self.store_homed if extent.flags & HOME_STORE else self.embedded
            waiting.add(extent.msg_no, extent.count)

    def notify(self) -> None:
        """Report both sets, each unless it is empty, and empty them (S85)."""
        if self.store_homed:
            written, self.store_homed = self.store_homed, RangeSet()
            self._on_index_written(written)
        if self.embedded:
            written, self.embedded = self.embedded, RangeSet()
            self._on_both_written(written)

    def forget(self) -> None:
        """Start over with nobody waiting."""
        self.store_homed = RangeSet()
        self.embedded = RangeSet()
