"""What a queue index has, by its transitions."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.classic_v1.transitions.index import (
    EntriesRecorded,
    IndexForgotten,
    IndexReset,
    JournalFlushed,
    JournalOpened,
    JournalSynced,
    SegmentDeleted,
    SegmentWritten,
    StretchesRecorded,
)
from engine.classic_v1.transitions.stops import IndexRecovered
from engine.values.stretches import Stretches

PUBLISH, DELIVER, ACK = 1, 2, 4
JOURNAL_BITS: Final = PUBLISH | DELIVER | ACK
ACTIONS: Final = {
    "publish": (PUBLISH, 1),
    "deliver": (DELIVER, 1),
    "ack": (ACK, 1),
    "publish_deliver": (PUBLISH | DELIVER, 2),
    "deliver_ack": (DELIVER | ACK, 2),
}
"""Bits that an action sets, and how many journal actions it is (S73)."""

FILE_ACKED: Final = 3
"""The part of an entry's code that a segment file has, where it has the acknowledgement too (S71)."""


def acked(code: int) -> bool:
    """Return whether an entry's code means that its message was acknowledged."""
    return code >> 3 == FILE_ACKED or code & ACK != 0


class IndexEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Index entries of consecutive seq_ids: 8 * file part + journal bits."""

    start: int
    count: int
    code: int

    def part(self, offset: int, count: int) -> IndexEntry:
        """Return `count` entries beginning at `offset`."""
        return IndexEntry(self.start + offset, count, self.code)

    def continued_by(self, after: IndexEntry) -> bool:
        """Return whether `after` has the same code."""
        return self.code == after.code

    def merged(self, count: int) -> IndexEntry:
        """Return this run with `count` entries in all."""
        return IndexEntry(self.start, count, self.code)


class IndexTable:
    """One queue index: entries, segment files, journal."""

    __slots__ = ("entries", "segments", "journal_bytes", "buffered_bytes", "dirty")

    def __init__(self) -> None:
        self.entries: Stretches[IndexEntry] = Stretches()
        self.segments: dict[int, int] = {}
        self.journal_bytes: int | None = None
        self.buffered_bytes = 0
        self.dirty = 0

    def entries_recorded(self, t: EntriesRecorded) -> None:
        """Set journal bits; an entry with all three and nothing in a file vanishes (S71, S72)."""
        self._recorded(t.action, t.start, t.count)
        self.buffered_bytes += t.journal_bytes

    def stretches_recorded(self, t: StretchesRecorded) -> None:
        """Set journal bits of several runs (S71, S72)."""
        for start, count in t.runs:
            self._recorded(t.action, start, count)
        self.buffered_bytes += t.journal_bytes

    def _recorded(self, action: str, start: int, count: int) -> None:
        bits, actions = ACTIONS[action]
        at, end = start, start + count
        for old in [*self.entries.remove(start, count), IndexEntry(end, 0, 0)]:
            if at < old.start:
                self._insert(at, old.start - at, bits)
            if old.count:
                self._insert(old.start, old.count, old.code | bits)
            at = old.start + old.count
        self.dirty += actions * count

    def _insert(self, start: int, count: int, code: int) -> None:
        if code != JOURNAL_BITS:
            self.entries.insert(IndexEntry(start, count, code))

    def journal_opened(self, t: JournalOpened) -> None:
        """The journal file exists (S70)."""
        self.journal_bytes = 0

    def journal_synced(self, t: JournalSynced) -> None:
        """The buffer went to the file (S82)."""
        self.journal_bytes = (self.journal_bytes or 0) + t.bytes_
        self.buffered_bytes -= t.bytes_

    def journal_flushed(self, t: JournalFlushed) -> None:
        """The journal is empty (S80)."""
        self.journal_bytes = 0
        self.buffered_bytes = 0
        self.dirty = 0

    def segment_written(self, t: SegmentWritten, size: int) -> None:
        """Journal bits of the entries in a segment of `size` become part of the file (S80.1)."""
        for old in self.entries.remove(t.segment * size, size):
            before = (
                0 if old.code & PUBLISH else old.code >> 3
            )  # a second publish record replaces the first (S119)
            code = 8 * (before + (old.code & JOURNAL_BITS).bit_count())
            self.entries.insert(IndexEntry(old.start, old.count, code))
        self.segments[t.segment] = self.segments.get(t.segment, 0) + t.bytes_

    def segment_deleted(self, t: SegmentDeleted, size: int) -> None:
        """The segment of `size` and everything in it is forgotten (S80.1)."""
        self.entries.remove(t.segment * size, size)
        self.segments.pop(t.segment, None)

    def index_reset(self, t: IndexReset) -> None:
        """The queue's directory was erased (S92)."""
        self.entries.clear()
        self.segments.clear()
        self.journal_bytes = None
        self.buffered_bytes = self.dirty = 0

    def index_recovered(self, t: IndexRecovered) -> None:
        """The index as recovery found it (S110-S117)."""
        self.entries.clear()
        for start, count, code in t.entries:
            self.entries.insert(IndexEntry(start, count, code))
        self.segments = dict(t.segments)
        self.journal_bytes = t.journal_bytes
        self.buffered_bytes = 0
        self.dirty = t.dirty

    def index_forgotten(self, t: IndexForgotten) -> None:
        """RAM is as it was before fetchwhile; the files stay (V9)."""
        self.entries.clear()
        for start, count, code in t.entries:
            self.entries.insert(IndexEntry(start, count, code))
        self.buffered_bytes = t.buffered_bytes
        self.dirty = t.dirty

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "entries": [[e.start, e.count, e.code] for e in self.entries],
            "segments": [[number, size] for number, size in sorted(self.segments.items())],
            "journal_bytes": self.journal_bytes,
            "buffered_bytes": self.buffered_bytes,
            "dirty": self.dirty,
        }
