"""The queue index acts (S70-S94)."""

from __future__ import annotations

from engine.transitions.base import Transition, Why


class EntriesRecorded(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Index actions for a run of seq_ids (S71-S77).

    Args:
        action: publish, deliver, ack or publish_deliver (both, record by record).
        journal_bytes: bytes that entered the journal's buffer (0 while a record waits in the pre-publish cache).

    Fold: each entry's code gets the journal bits publish 1, deliver 2, ack 4; an entry with all three and nothing in
    a segment file vanishes; dirty grows by one per action; the journal's buffer grows by journal_bytes.
    """

    queue: str
    action: str
    start: int
    count: int
    journal_bytes: int


class JournalOpened(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """journal.jif exists from now on (S70)."""

    queue: str


class JournalSynced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The journal's buffer went to the file, then fsync (S82)."""

    queue: str
    bytes_: int


class JournalFlushed(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The journal was moved into segments and cleared (S79, S80). why: dirty, max_journal, hint, cause."""

    queue: str
    why: Why = {}


class SegmentWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Pending entries were appended to a segment file, then fsync (S80.1).

    Fold: within the segment, code = 8 * (file part + number of journal bits); the file grows by bytes_.
    """

    queue: str
    segment: int
    bytes_: int


class SegmentDeleted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A segment with no unacked entry is forgotten, its file (of bytes_; 0 if none) deleted (S80.1)."""

    queue: str
    segment: int
    bytes_: int


class SegmentRead(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A segment file was read for seq_ids [start, end) (S86, S90)."""

    queue: str
    segment: int
    start: int
    end: int
    bytes_: int


class IndexReset(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue's directory was erased (S92, S93)."""

    queue: str
