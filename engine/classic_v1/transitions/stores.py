"""The message stores act (S130-S190)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why


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
