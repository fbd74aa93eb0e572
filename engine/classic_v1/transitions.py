"""The kinds of transitions that classic queues of version 1 report: index, messages, queue record, stops and stores."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.report.transitions.queue import Shift
from engine.values.extents import DeltaExtent
from engine.values.sizes import Length


class EntriesRecorded(Transition, frozen=True):
    """Index actions were recorded for consecutive seq_ids (S71-S77).

    Args:
        action: publish, deliver, ack, publish_deliver or deliver_ack (both, record by record).
        journal_bytes: bytes that entered the journal's buffer (0 while a record waits in the pre-publish cache).

    Fold: each entry's code gets the journal bits publish 1, deliver 2, ack 4; an entry with all three and nothing in
    a segment file vanishes; dirty grows by one per action; the journal's buffer grows by journal_bytes.
    """

    about = About("files", "add_to_journal", "index", shown="step")
    queue: str
    action: str
    start: int
    count: int
    journal_bytes: int


class StretchesRecorded(Transition, frozen=True):
    """One index action was recorded for several runs of a log, in this order (S71-S77); else as EntriesRecorded.

    Args:
        runs: seq_id of the first entry of each run, and its entries.
        journal_bytes: bytes that entered the journal's buffer for all of them.

    Fold: as EntriesRecorded for each run.
    """

    about = About("files", "add_to_journal", "index", shown="step")
    queue: str
    action: str
    runs: tuple[tuple[int, int], ...]
    journal_bytes: int


class JournalOpened(Transition, frozen=True):
    """journal.jif exists from now on (S70)."""

    about = About("files", "get_journal_handle", "index", shown="step")
    queue: str


class JournalSynced(Transition, frozen=True):
    """The journal's buffer was written to its file, and the file was fsynced (S82)."""

    about = About(
        "files", "sync", "index", shown="detail", setting="queue_sync_interval_ms", mark="fsync", disk="syncs"
    )
    queue: str
    bytes_: int


class JournalFlushed(Transition, frozen=True):
    """The journal was moved into segments and cleared (S79, S80). why: dirty, max_journal, hint, cause."""

    about = About(
        "files",
        "flush_journal",
        "index",
        shown="detail",
        weight=2,
        setting="queue_index_max_journal_entries",
        disk="writes",
        units={"dirty": "records", "max_journal": "records"},
    )
    queue: str
    why: Why = {}


class SegmentWritten(Transition, frozen=True):
    """Pending entries were appended to a segment file, and the file was fsynced (S80.1).

    Fold: within the segment, code = 8 * (file part + number of journal bits); the file grows by bytes_.
    """

    about = About(
        "files",
        "append_journal_to_segment",
        "segments",
        shown="detail",
        setting="segment_entry_count",
        disk="writes",
    )
    queue: str
    segment: int
    bytes_: int


class SegmentDeleted(Transition, frozen=True):
    """A segment without unacked entries is forgotten, its file deleted (bytes_ is 0 if it had none; S80.1)."""

    about = About("files", "delete_segment", "segments", weight=2, setting="segment_entry_count")
    queue: str
    segment: int
    bytes_: int


class SegmentRead(Transition, frozen=True):
    """A segment file was read for seq_ids [start, end) (S86, S90)."""

    about = About("files", "load_segment", weight=2, setting="segment_entry_count", disk="reads")
    queue: str
    segment: int
    start: int
    end: int
    bytes_: int


class IndexReset(Transition, frozen=True):
    """The queue's directory was erased (S92, S93)."""

    about = About("files", "erase_index_dir", "index")
    queue: str


class IndexForgotten(Transition, frozen=True):
    """What fetchwhile's own collecting had changed in the index's RAM is forgotten; its files stay (V9).

    Args:
        entries: (start, count, code) of every entry, code = 8 * part in the file + journal bits.
        buffered_bytes: what the journal's buffer still has; nothing if the journal was opened meanwhile.
        dirty: actions since the last flush.

    Fold: entries, buffered_bytes and dirty become these.
    """

    about = About(
        "files", "fetch_by_predicate", "index", units={"dirty": "records", "buffered_bytes": "bytes"}
    )
    queue: str
    entries: tuple[tuple[int, int, int], ...]
    buffered_bytes: int
    dirty: int


class PutBack(Shift, frozen=True):
    """The first message that did not match goes back to the head (Q36)."""

    about = About("messages", "in_r", "shift", shown="detail")


class AlphasPushed(Shift, frozen=True):
    """Reduction moves alphas out of q1's head or q4's tail (Q46)."""

    about = About(
        "memory", "push_alphas_to_betas", "shift", weight=6, setting="vm_memory_high_watermark_paging_ratio"
    )


class PendingPaged(Shift, frozen=True):
    """Reduction drops the bodies of pending acks, newest first (Q47)."""

    about = About(
        "memory", "limit_ram_acks", "shift", weight=6, setting="vm_memory_high_watermark_paging_ratio"
    )


class BetasPushed(Shift, frozen=True):
    """Reduction moves index entries of q3's tail or q2's head into delta (Q49)."""

    about = About(
        "memory",
        "push_betas_to_deltas",
        "shift",
        weight=7,
        setting="msg_store_io_batch_size",
        units={"limit": "seq_id"},
    )


class DeltaRead(Shift, frozen=True):
    """One read brings messages from delta back to q3 (Q34). why: start, stop, boundary, dropped, skipped."""

    about = About(
        "memory", "maybe_deltas_to_betas", "shift", weight=8, setting="segment_entry_count", mark="read"
    )


class LaneJoined(Shift, frozen=True):
    """A whole sub-queue moves: q1 becomes q4 (Q29), or q2 joins q3 (Q34)."""

    about = About("memory", "queue_out", "shift", weight=6)


class DeltaChanged(Transition, frozen=True):
    """The record of delta changed although no message moved, as when a read found nothing (Q34)."""

    about = About("memory", "maybe_deltas_to_betas", "record", shown="step")
    queue: str
    delta: DeltaExtent
    why: Why = {}


class Reduced(Transition, frozen=True):
    """A memory reduction was done (Q45, Q53). why: all numbers that decided it, also of steps that moved nothing.

    why keys (default mode): ram_msg_count, ram_pending, target, surplus, quota, order, q1_moved, q4_moved,
    pending_paged, betas, permitted, beta_surplus, io_batch_size, betas_moved, blocked, bump.
    """

    about = About(
        "memory", "reduce_memory_use", "reduction", weight=9, setting="explicit_gc_run_operation_threshold"
    )
    queue: str
    why: Why = {}


class ConversionStuck(Transition, frozen=True):
    """The conversion to lazy never ends: too little is left outside q3 and delta for a batch (V5).

    why: left, q2, q3, permitted, surplus, io_batch_size.
    """

    about: ClassVar[About] = About(
        group="memory",
        function="convert_to_lazy",
        weight=9,
        setting="msg_store_io_batch_size",
        units=dict.fromkeys(("left", "q2", "q3", "permitted", "surplus", "io_batch_size"), "messages"),
    )

    queue: str
    why: Why = {}


class IndexRecovered(Transition, frozen=True):
    """A queue index started with the files that it found (S110-S117).

    entries: (start, count, code); segments: (number, file_bytes); journal_bytes None when there is no file.
    """

    about = About("files", "recover", "index", units={"dirty": "records"})
    queue: str
    clean: bool
    entries: tuple[tuple[int, int, int], ...]
    segments: tuple[tuple[int, int], ...]
    journal_bytes: int | None
    dirty: int


class StretchesWritten(Transition, frozen=True):
    """Records of several runs of a log were appended one after the other to the current file's buffer (S143).

    Args:
        offset: of the first record of the first run.
        record_bytes: bytes of each record of all runs.
        runs: number of the first message of each run, and its messages.

    Fold: as StoreWritten for each run, each behind the one before.
    """

    about = About("files", "write_message", "store", shown="step")
    store: str
    file: int
    offset: int
    record_bytes: Length
    step: int
    runs: tuple[tuple[int, int], ...]


class StretchesRead(Transition, frozen=True):
    """Bodies of several runs of a log were read (S155, S156); `by` as in StoreRead.

    Args:
        runs: number of the first message of each run, its messages, and the bytes read for it, 0 from the cache.
    """

    about = About(
        "files", "read_message", shown="detail", setting="queue_index_embed_msgs_below", disk="reads"
    )
    store: str
    by: str
    file: int
    runs: tuple[tuple[int, int, int], ...]


class StretchesRecounted(Transition, frozen=True):
    """Rows of several runs of a log have `ref_count` references now (S147); else as RefCountChanged.

    Args:
        runs: number of the first message of each run, and its messages.

    Fold: as RefCountChanged for each run.
    """

    about = About("files", "remove_message", "store", shown="step")
    store: str
    runs: tuple[tuple[int, int], ...]
    ref_count: int


class StoreSynced(Transition, frozen=True):
    """The current file was fsynced (S166)."""

    about = About("files", "internal_sync", shown="detail", mark="fsync", disk="syncs")
    store: str
    file: int


class OperationDeferred(Transition, frozen=True):
    """A read, contains or remove waits for a locked file (S187, S190)."""

    about = About("files", "add_to_pending_gc_completion", shown="detail")
    store: str
    file: int
    operation: str
    msg_no: int
    count: int


class CombineStarted(Transition, frozen=True):
    """Garbage collection chose two neighbours (S180-S182). why: total, valid, limit, fraction."""

    about = About(
        "files",
        "maybe_compact",
        weight=5,
        setting="msg_store_file_size_limit",
        mark="gc",
        units={"total": "bytes", "valid": "bytes", "limit": "bytes", "fraction": "share"},
    )
    store: str
    source: int
    destination: int
    why: Why = {}


class CombineStepped(Transition, frozen=True):
    """One step of a combination (S183).

    Steps: destination_scanned, tmp_written, truncated, copied_back, tmp_deleted, source_scanned, source_copied,
    synced; tmp_written, copied_back and tmp_deleted only when live records lie beyond a gap.
    Fold: truncated gives the destination bytes_ on disk.
    """

    about = About("files", "combine_files", "store", shown="step")
    store: str
    source: int
    destination: int
    step: str
    bytes_: int


class FilesCombined(Transition, frozen=True):
    """The destination holds both files' live records; the source is gone (S183, S185).

    left_on_disk: bytes of the source that stay on disk because a client has it open (S186).
    Fold: the source leaves `files`, and enters `orphans` as (number, left_on_disk) unless that is 0; the
    destination's file_size and valid are size_bytes. FileLocked unlocks it.
    """

    about = About("files", "combine_files", "store", weight=5, setting="msg_store_file_size_limit")
    store: str
    source: int
    destination: int
    size_bytes: int
    reclaimed_bytes: int
    left_on_disk: int = 0


class FileUnlinked(Transition, frozen=True):
    """A file was removed from the disk (S186).

    Fold: it leaves `orphans`; while it is still in `files` (its FileDeleted or FilesCombined is under way), its disk
    bytes become 0.
    """

    about = About("files", "delete_file", "store", shown="detail")
    store: str
    file: int
    size_bytes: int
