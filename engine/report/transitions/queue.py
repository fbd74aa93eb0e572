"""Queues change: messages enter, leave and come back, queues stop and start (S234, Q62)."""

from __future__ import annotations

from typing import Any

from engine.report.transitions.base import About, Transition, Why
from engine.values.extents import DeltaExtent, Extent
from engine.values.sizes import Length
from engine.values.stretches import Range


class Shift(Transition, frozen=True):
    """Messages leave `source` and enter `to`; each is a place or None for outside the queue.

    Places are those that the queue's generation registers. `extents` are the messages as they are afterwards, ascending
    by seq_id. `record` is what RAM keeps of messages that it only counts, where they are involved, else None.
    Fold: remove the seq_ids from `source`, insert the extents in `to`; neither outside the queue nor where messages are
    only counted.
    """

    queue: str
    source: str | None
    to: str | None
    extents: tuple[Extent, ...]
    record: DeltaExtent | None = None
    why: Why = {}


class Published(Shift, frozen=True):
    """New messages entered the queue at its tail (Q20, Q21)."""

    about = About("messages", "publish", "shift", weight=3, arrives=True)


class PublishedDelivered(Shift, frozen=True):
    """New messages were handed to a consumer without queueing (Q23)."""

    about = About(
        "messages", "publish_delivered", "shift", weight=3, setting="prefetch", arrives=True, leaves=True
    )


class Discarded(Shift, frozen=True):
    """New messages were handed to a no-ack consumer; the queue keeps nothing of them (Q24)."""

    about = About("messages", "discard", "shift", weight=3, arrives=True, leaves=True)


class Fetched(Shift, frozen=True):
    """Messages were taken for a consumer: they wait for its ack or are gone (Q28-Q32). why: redelivered, from_store."""

    about = About("messages", "fetch", "shift", weight=2, setting="prefetch", leaves=True)


class Dropped(Shift, frozen=True):
    """Messages were taken out without reading their bodies: drop, expiry, max-length, purge (Q58-Q61)."""

    about = About("messages", "drop", "shift", weight=3)


class Acked(Shift, frozen=True):
    """A consumer acknowledged messages, and the queue forgets them (Q39)."""

    about = About("messages", "ack", "shift", weight=1, setting="prefetch")


class Requeued(Shift, frozen=True):
    """Pending messages return to their old places in order (Q40)."""

    about = About("messages", "requeue", "shift", weight=5)


class PendingPurged(Shift, frozen=True):
    """All pending acks are forgotten (Q41)."""

    about = About("messages", "purge_acks", "shift")


class CountersChanged(Transition, frozen=True):
    """The queue record's numbers after a public operation: only those that changed (Q5, Q13)."""

    about = About("node", fold="queue", shown="step")
    queue: str
    values: Why


class QueueChanged(Transition, frozen=True):
    """What is shown of a queue beside its record changed: its definition, its policy, its timers (P17, P18).

    Fold: queue[name] = value for each of `values`; None takes the name away. What has its usual value has no name.
    """

    about = About("node", "process_args_policy", "queue")
    queue: str
    values: dict[str, Any]
    why: Why = {}


class TargetChanged(Transition, frozen=True):
    """target_ram_count was computed again (Q43). why: duration, rates."""

    about = About(
        "memory",
        "set_ram_duration_target",
        "queue",
        weight=5,
        setting="vm_memory_high_watermark_paging_ratio",
    )
    queue: str
    target: int | None
    why: Why = {}


class ModeChanged(Transition, frozen=True):
    """The queue is now in `mode` (Q56, Q57)."""

    about = About("memory", "set_queue_mode", "queue", weight=5, setting="queue_mode")
    queue: str
    mode: str


class ConfirmsDue(Transition, frozen=True):
    """Messages became confirmable: their disk writes are done (K5-K7). `by`: index, store, both, ignored."""

    about = About("messages", "record_confirms", shown="detail")
    queue: str
    by: str
    messages: tuple[Range, ...]


class QueueStopped(Transition, frozen=True):
    """The queue process ended: clean, crash, kill or power (S234). Fold: everything of the queue is forgotten."""

    about = About("node", "terminate", "state", weight=9)
    queue: str
    how: str


class QueueStarted(Transition, frozen=True):
    """A queue process started: of a new queue, or of one that is recovered (Q62)."""

    about = About("node", "init", "state", weight=10)
    queue: str
    mode: str
    durable: bool
    record: DeltaExtent
    values: Why


class StoreWritten(Transition, frozen=True):
    """Records were appended to the current file's buffer (S143): rows with ref_count 1.

    `offset` is the file offset of the first record written. With step 1 that is msg_no's; with step -1 the records
    were written newest first, so it is that of msg_no + count - 1 and msg_no's record is the last.
    """

    about = About("files", "write_message", "store", shown="step")
    store: str
    file: int
    offset: int
    msg_no: int
    count: int
    record_bytes: Length
    step: int = 1


class WriteIgnored(Transition, frozen=True):
    """A write was skipped: its message was removed before the store came to it (S145)."""

    about = About("files", "write_action", shown="detail")
    store: str
    msg_no: int
    count: int


class BufferWritten(Transition, frozen=True):
    """The write buffer was handed to the operating system (S21, S22)."""

    about = About(
        "files", "write_buffer", "store", shown="detail", setting="write_buffer_bytes", disk="writes"
    )
    store: str
    file: int
    bytes_: int


class FileRolledOver(Transition, frozen=True):
    """The current file reached the limit: closed, and the next one opened (S171). why: size, limit."""

    about = About(
        "files",
        "maybe_roll_to_new_file",
        "store",
        weight=2,
        setting="msg_store_file_size_limit",
        mark="roll",
        units={"closed": "file", "opened": "file", "size": "bytes", "limit": "bytes"},
    )
    store: str
    closed: int
    opened: int
    why: Why = {}


class RefCountChanged(Transition, frozen=True):
    """Rows have `ref_count` references now (S142, S147); 0 means garbage that stays until its file is gone."""

    about = About("files", "remove_message", "store", shown="step")
    store: str
    msg_no: int
    count: int
    ref_count: int


class RowsForgotten(Transition, frozen=True):
    """Index rows were deleted (S142 row 4, S183, S184)."""

    about = About("files", "index_delete", "store", shown="step")
    store: str
    messages: tuple[Range, ...]


class FileLocked(Transition, frozen=True):
    """A file was locked for deletion or combination (S148, S182), or unlocked again (S185)."""

    about = About("files", fold="store", shown="step")
    store: str
    file: int
    locked: bool


class RowsMoved(Transition, frozen=True):
    """Rows have a new file and offset (S183). Each row: msg_no, count, file, offset of msg_no's record.

    The other records follow in the row's own step; all `count` had equal fields before.
    """

    about = About("files", "copy_messages", "store", shown="step")
    store: str
    rows: tuple[tuple[int, int, int, int], ...]


class FileDeleted(Transition, frozen=True):
    """A file without live records was deleted (S184, S185). left_on_disk and fold as in FilesCombined."""

    about = About(
        "files", "delete_file_if_empty", "store", weight=2, setting="msg_store_file_size_limit", mark="gone"
    )
    store: str
    file: int
    size_bytes: int
    left_on_disk: int = 0


class FileCut(Transition, frozen=True):
    """A file was cut behind its last record, once no reader held it (W145). Fold: it has size_bytes, on disk too."""

    about = About("files", "truncate_file", "store", weight=2)
    store: str
    file: int
    size_bytes: int


class StoreRead(Transition, frozen=True):
    """Bodies were read (S155, S156). `by`: cache or file; bytes_: read from disk, 0 from the cache."""

    about = About(
        "files", "read_message", shown="detail", setting="queue_index_embed_msgs_below", disk="reads"
    )
    store: str
    by: str
    file: int
    msg_no: int
    count: int
    bytes_: int


class CacheChanged(Transition, frozen=True):
    """The current-file cache holds `entries` messages now (S133, S171.3)."""

    about = About("files", "update_msg_cache", "store", shown="step")
    store: str
    entries: int


class StoreStopped(Transition, frozen=True):
    """A store stopped. Fold: everything of the store is forgotten."""

    about = About("files", "terminate", "stores", shown="detail")
    store: str
    how: str


class StoreRecovered(Transition, frozen=True):
    """A store started with the files that it found (S205-S208).

    files: (number, file_size, valid_bytes, locked, disk_bytes); rows: (msg_no, count, ref_count, file, offset,
    record_bytes, step); orphans: (number, disk_bytes) of files that are in no table (S186).
    """

    about = About("files", "recover", "store", shown="detail")
    store: str
    clean: bool
    files: tuple[tuple[int, int, int, bool, int], ...]
    current: int
    rows: tuple[tuple[int, int, int, int, int, Length, int], ...]
    orphans: tuple[tuple[int, int], ...] = ()
