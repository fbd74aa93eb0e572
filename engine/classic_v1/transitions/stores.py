"""The message stores act (S130-S190)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.each import Length


class StretchesWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Records of several runs of a log were appended one after the other to the current file's buffer (S143).

    Args:
        offset: of the first record of the first run.
        record_bytes: bytes of each record of all runs.
        step: as in StoreWritten, for each run.
        runs: number of the first message of each run, and its messages.

    Fold: as StoreWritten for each run, each behind the one before.
    """

    about: ClassVar[About] = About(group="files", function="write_message", fold="store", shown="step")

    store: str
    file: int
    offset: int
    record_bytes: Length
    step: int
    runs: tuple[tuple[int, int], ...]


class StretchesRead(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Bodies of several runs of a log were read (S155, S156); `by` as in StoreRead.

    Args:
        runs: number of the first message of each run, its messages, and the bytes read for it, 0 from the cache.
    """

    about: ClassVar[About] = About(
        group="files",
        function="read_message",
        shown="detail",
        setting="queue_index_embed_msgs_below",
        disk="reads",
    )

    store: str
    by: str
    file: int
    runs: tuple[tuple[int, int, int], ...]


class StretchesRecounted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Rows of several runs of a log have `ref_count` references now (S147); else as RefCountChanged.

    Args:
        runs: number of the first message of each run, and its messages.

    Fold: as RefCountChanged for each run.
    """

    about: ClassVar[About] = About(group="files", function="remove_message", fold="store", shown="step")

    store: str
    runs: tuple[tuple[int, int], ...]
    ref_count: int


class StoreSynced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current file was fsynced (S166)."""

    about: ClassVar[About] = About(
        group="files", function="internal_sync", shown="detail", mark="fsync", disk="syncs"
    )

    store: str
    file: int


class OperationDeferred(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A read, contains or remove waits for a locked file (S187, S190)."""

    about: ClassVar[About] = About(group="files", function="add_to_pending_gc_completion", shown="detail")

    store: str
    file: int
    operation: str
    msg_no: int
    count: int


class CombineStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Garbage collection chose two neighbours (S180-S182). why: total, valid, limit, fraction."""

    about: ClassVar[About] = About(
        group="files",
        function="maybe_compact",
        weight=5,
        setting="msg_store_file_size_limit",
        mark="gc",
        units={"total": "bytes", "valid": "bytes", "limit": "bytes", "fraction": "share"},
    )

    store: str
    source: int
    destination: int
    why: Why = {}


class CombineStepped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """One step of a combination (S183).

    Steps: destination_scanned, tmp_written, truncated, copied_back, tmp_deleted, source_scanned, source_copied,
    synced; tmp_written, copied_back and tmp_deleted only when live records lie beyond a gap.
    Fold: truncated gives the destination bytes_ on disk.
    """

    about: ClassVar[About] = About(group="files", function="combine_files", fold="store", shown="step")

    store: str
    source: int
    destination: int
    step: str
    bytes_: int


class FilesCombined(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The destination holds both files' live records; the source is gone (S183, S185).

    left_on_disk: bytes of the source that stay on disk because a client has it open (S186).
    Fold: the source leaves `files`, and enters `orphans` as (number, left_on_disk) unless that is 0; the
    destination's file_size and valid are size_bytes. FileLocked unlocks it.
    """

    about: ClassVar[About] = About(
        group="files", function="combine_files", fold="store", weight=5, setting="msg_store_file_size_limit"
    )

    store: str
    source: int
    destination: int
    size_bytes: int
    reclaimed_bytes: int
    left_on_disk: int = 0


class FileUnlinked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A file was removed from the disk (S186).

    Fold: it leaves `orphans`; while it is still in `files` (its FileDeleted or FilesCombined is under way), its disk
    bytes become 0.
    """

    about: ClassVar[About] = About(group="files", function="delete_file", fold="store", shown="detail")

    store: str
    file: int
    size_bytes: int
