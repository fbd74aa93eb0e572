"""The message stores act (S130-S190)."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.ranges import Range


class StoreWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Records were appended to the current file's buffer (S143): rows with ref_count 1.

    `offset` is the file offset of the first record written. With step 1 that is msg_no's; with step -1 the records
    were written newest first, so it is that of msg_no + count - 1 and msg_no's record is the last.
    """

    about: ClassVar[About] = About(group="files", function="write_message", fold="store", shown="step")

    store: str
    file: int
    offset: int
    msg_no: int
    count: int
    record_bytes: int
    step: int = 1


class WriteIgnored(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A write was skipped: its message was removed before the store came to it (S145)."""

    about: ClassVar[About] = About(group="files", function="write_action", shown="detail")

    store: str
    msg_no: int
    count: int


class BufferWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The write buffer was handed to the operating system (S21, S22)."""

    about: ClassVar[About] = About(
        group="files",
        function="write_buffer",
        fold="store",
        shown="detail",
        setting="write_buffer_bytes",
        disk="writes",
    )

    store: str
    file: int
    bytes_: int


class StoreSynced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current file was fsynced (S166)."""

    about: ClassVar[About] = About(
        group="files", function="internal_sync", shown="detail", mark="fsync", disk="syncs"
    )

    store: str
    file: int


class FileRolledOver(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current file reached the limit: closed, and the next one opened (S171). why: size, limit."""

    about: ClassVar[About] = About(
        group="files",
        function="maybe_roll_to_new_file",
        fold="store",
        weight=2,
        setting="msg_store_file_size_limit",
        mark="roll",
        units={"closed": "file", "opened": "file", "size": "bytes", "limit": "bytes"},
    )

    store: str
    closed: int
    opened: int
    why: Why = {}


class RefCountChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Rows have `ref_count` references now (S142, S147); 0 means garbage that stays until its file is gone."""

    about: ClassVar[About] = About(group="files", function="remove_message", fold="store", shown="step")

    store: str
    msg_no: int
    count: int
    ref_count: int


class RowsForgotten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Index rows were deleted (S142 row 4, S183, S184)."""

    about: ClassVar[About] = About(group="files", function="index_delete", fold="store", shown="step")

    store: str
    messages: tuple[Range, ...]


class FileLocked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A file was locked for deletion or combination (S148, S182), or unlocked again (S185)."""

    about: ClassVar[About] = About(group="files", fold="store", shown="step")

    store: str
    file: int
    locked: bool


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


class RowsMoved(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Rows have a new file and offset (S183). Each row: msg_no, count, file, offset of msg_no's record.

    The other records follow in the row's own step; all `count` had equal fields before.
    """

    about: ClassVar[About] = About(group="files", function="copy_messages", fold="store", shown="step")

    store: str
    rows: tuple[tuple[int, int, int, int], ...]


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


class FileDeleted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A file without live records was deleted (S184, S185). left_on_disk and fold as in FilesCombined."""

    about: ClassVar[About] = About(
        group="files",
        function="delete_file_if_empty",
        fold="store",
        weight=2,
        setting="msg_store_file_size_limit",
        mark="gone",
    )

    store: str
    file: int
    size_bytes: int
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


class StoreRead(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Bodies were read (S155, S156). `by`: cache or file; bytes_: read from disk, 0 from the cache."""

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
    msg_no: int
    count: int
    bytes_: int


class CacheChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current-file cache holds `entries` messages now (S133, S171.3)."""

    about: ClassVar[About] = About(group="files", function="update_msg_cache", fold="store", shown="step")

    store: str
    entries: int
