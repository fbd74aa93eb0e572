"""What an index had in RAM before something changed it, kept for fetchwhile, which goes back to it (V9)."""

from __future__ import annotations

from engine.classic_v1.index.confirms import IndexConfirms
from engine.classic_v1.index.journal import IndexJournal
from engine.classic_v1.index.segments import IndexSegments
from engine.classic_v1.index.slots import JournalSlot
from engine.values.ranges import RangeSet
from engine.values.stretches import Stretches


class StateBefore:
    """The values of one index at one moment; empty until `take`."""

    def __init__(self) -> None:
        self.kept = False
        self._pending: Stretches[JournalSlot] = Stretches()
        self._unacked: dict[int, int] = {}
        self._waiting = RangeSet(), RangeSet()
        self._dirty = 0
        self._journal_open = False

    def take(
        self, segments: IndexSegments, confirms: IndexConfirms, journal: IndexJournal, dirty: int
    ) -> None:
        """Copy the values as they are now."""
        self.kept = True
        self._journal_open = journal.is_open
        self._pending = segments.pending.copy()
        self._unacked = dict(segments.unacked)
        self._waiting = confirms.store_homed.copy(), confirms.embedded.copy()
        self._dirty = dirty

    def put_back(self, segments: IndexSegments, confirms: IndexConfirms, journal: IndexJournal) -> int:
        """Make them the index's values again; return the number of actions since the last flush.

        A journal that was opened meanwhile is forgotten too, with what its buffer has.
        """
        if not self._journal_open:
            journal.lose()
        segments.pending = self._pending
        segments.unacked.clear()
        for segment, unacked in self._unacked.items():
            segments.set_unacked(segment, unacked)
        for segment in segments.empty - self._unacked.keys():
            segments.empty.discard(segment)
        confirms.store_homed, confirms.embedded = self._waiting
        return self._dirty
