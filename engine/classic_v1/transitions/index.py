"""The queue index acts (S70-S94)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why


class EntriesRecorded(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Index actions were recorded for consecutive seq_ids (S71-S77).

    Args:
        action: publish, deliver, ack, publish_deliver or deliver_ack (both, record by record).
        journal_bytes: bytes that entered the journal's buffer (0 while a record waits in the pre-publish cache).

    Fold: each entry's code gets the journal bits publish 1, deliver 2, ack 4; an entry with all three and nothing in
    a segment file vanishes; dirty grows by one per action; the journal's buffer grows by journal_bytes.
    """

    about: ClassVar[About] = About(group="files", function="add_to_journal", fold="index", shown="step")

    queue: str
    action: str
    start: int
    count: int
    journal_bytes: int


class StretchesRecorded(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """One index action was recorded for several runs of a log, in this order (S71-S77); else as EntriesRecorded.

    Args:
        runs: seq_id of the first entry of each run, and its entries.
        journal_bytes: bytes that entered the journal's buffer for all of them.

    Fold: as EntriesRecorded for each run.
    """

    about: ClassVar[About] = About(group="files", function="add_to_journal", fold="index", shown="step")

    queue: str
    action: str
    runs: tuple[tuple[int, int], ...]
    journal_bytes: int


class JournalOpened(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """journal.jif exists from now on (S70)."""

    about: ClassVar[About] = About(group="files", function="get_journal_handle", fold="index", shown="step")

    queue: str


class JournalSynced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The journal's buffer was written to its file, and the file was fsynced (S82)."""

    about: ClassVar[About] = About(
        group="files",
        function="sync",
        fold="index",
        shown="detail",
        setting="queue_sync_interval_ms",
        mark="fsync",
        disk="syncs",
    )

    queue: str
    bytes_: int


class JournalFlushed(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The journal was moved into segments and cleared (S79, S80). why: dirty, max_journal, hint, cause."""

    about: ClassVar[About] = About(
        group="files",
        function="flush_journal",
        fold="index",
        shown="detail",
        weight=2,
        setting="queue_index_max_journal_entries",
        disk="writes",
        units={"dirty": "records", "max_journal": "records"},
    )

    queue: str
    why: Why = {}


class SegmentWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Pending entries were appended to a segment file, and the file was fsynced (S80.1).

    Fold: within the segment, code = 8 * (file part + number of journal bits); the file grows by bytes_.
    """

    about: ClassVar[About] = About(
        group="files",
        function="append_journal_to_segment",
        fold="segments",
        shown="detail",
        setting="segment_entry_count",
        disk="writes",
    )

    queue: str
    segment: int
    bytes_: int


class SegmentDeleted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A segment without unacked entries is forgotten, its file deleted (bytes_ is 0 if it had none; S80.1)."""

    about: ClassVar[About] = About(
        group="files", function="delete_segment", fold="segments", weight=2, setting="segment_entry_count"
    )

    queue: str
    segment: int
    bytes_: int


class SegmentRead(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A segment file was read for seq_ids [start, end) (S86, S90)."""

    about: ClassVar[About] = About(
        group="files", function="load_segment", weight=2, setting="segment_entry_count", disk="reads"
    )

    queue: str
    segment: int
    start: int
    end: int
    bytes_: int


class IndexReset(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue's directory was erased (S92, S93)."""

    about: ClassVar[About] = About(group="files", function="erase_index_dir", fold="index")

    queue: str


class IndexForgotten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """What fetchwhile's own collecting had changed in the index's RAM is forgotten; its files stay (V9).

    Args:
        entries: (start, count, code) of every entry, code = 8 * part in the file + journal bits.
        buffered_bytes: what the journal's buffer still has; nothing if the journal was opened meanwhile.
        dirty: actions since the last flush.

    Fold: entries, buffered_bytes and dirty become these.
    """

    about: ClassVar[About] = About(
        group="files",
        function="fetch_by_predicate",
        fold="index",
        units={"dirty": "records", "buffered_bytes": "bytes"},
    )

    queue: str
    entries: tuple[tuple[int, int, int], ...]
    buffered_bytes: int
    dirty: int
