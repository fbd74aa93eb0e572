"""When the next flush comes, counted instead of tried (S73, S79)."""

from __future__ import annotations

from typing import NamedTuple


class FlushPace(NamedTuple):
    """The two limits that publishing meets.

    Args:
        max_journal: actions that a deliver may bring the journal to without a flush.
        hint: the same for a publish where it is smaller, None for infinity.
    """

    max_journal: int
    hint: int | None

    def until_flush(self, dirty: int) -> tuple[int, bool]:
        """Return how many messages are published and delivered up to the next flush, and what meets it.

        With False, the deliver of the last of them flushes. With True none of them flushes, but the publish of the
        next message does.

        Args:
            dirty: actions since the last flush.
        """
        publish_limit = self.max_journal if self.hint is None else min(self.max_journal, self.hint)
        by_publish = max(0, (publish_limit - dirty - 1) // 2 + 1)
        by_deliver = max(0, (self.max_journal - dirty - 2) // 2 + 1)
        if by_publish <= by_deliver:
            return by_publish, True
        return by_deliver + 1, False
