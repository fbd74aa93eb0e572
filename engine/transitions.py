"""Every change the engine can make, as immutable values over extents.

A transition says what changed, names the rule that caused it (`rule`) and carries the numbers that made it fire
(`why`). State after = fold(state before, transitions): see `engine.fold`, and static/js/model/reduce.js for its twin.
On the wire and in the digest a transition is one row: [kind, rule, fields..., why].
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.extents import Delta, Extent
from engine.ranges import Range

Why = dict[str, int | float | str | bool | None]


class Transition(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """One change, caused by `rule`."""

    rule: str


# --- messages change place -------------------------------------------------------------------------------------------


class Shift(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages leave `source` and enter `to`; each is a place or None for outside the queue.

    Places: q1 q2 delta q3 q4 ram_pending disk_pending index_pending. `extents` are the messages as they are
    afterwards, ascending by seq_id. `delta` is the delta record afterwards where delta is involved, else None.
    Fold: remove the seq_ids from `source` (unless None or delta), insert the extents in `to` (unless None or delta).
    """

    queue: str
    source: str | None
    to: str | None
    extents: tuple[Extent, ...]
    delta: Delta | None = None
    why: Why = {}


class Published(Shift, frozen=True, tag=True, gc=False):
    """New messages at the tail (Q20, Q21)."""


class PublishedDelivered(Shift, frozen=True, tag=True, gc=False):
    """New messages handed to a consumer without queueing (Q23)."""


class Discarded(Shift, frozen=True, tag=True, gc=False):
    """New messages handed to a no-ack consumer; the engine keeps nothing (Q24)."""


class Fetched(Shift, frozen=True, tag=True, gc=False):
    """Messages taken for a consumer: into a pending map, or gone (Q28-Q32). why: redelivered, from_store."""


class Dropped(Shift, frozen=True, tag=True, gc=False):
    """Messages taken without reading the body: drop, expiry, max-length, purge (Q58-Q61)."""


class PutBack(Shift, frozen=True, tag=True, gc=False):
    """The first message that did not match goes back to the head (Q36)."""


class AlphasPushed(Shift, frozen=True, tag=True, gc=False):
    """Reduction moves alphas out of q1's head or q4's tail (Q46)."""


class PendingPaged(Shift, frozen=True, tag=True, gc=False):
    """Reduction drops the bodies of pending acks, newest first (Q47)."""


class BetasPushed(Shift, frozen=True, tag=True, gc=False):
    """Reduction moves index entries of q3's tail or q2's head into delta (Q49)."""


class DeltaRead(Shift, frozen=True, tag=True, gc=False):
    """One read brings messages from delta back to q3 (Q34). why: start, stop, boundary, dropped, skipped."""


class LaneJoined(Shift, frozen=True, tag=True, gc=False):
    """A whole sub-queue moves: q1 becomes q4 (Q29), or q2 joins q3 (Q34)."""


class Acked(Shift, frozen=True, tag=True, gc=False):
    """A consumer's acknowledgement ends messages (Q39)."""


class Requeued(Shift, frozen=True, tag=True, gc=False):
    """Pending messages return to their old places in order (Q40)."""


class PendingPurged(Shift, frozen=True, tag=True, gc=False):
    """All pending acks are forgotten (Q41)."""


# --- the queue's own record ------------------------------------------------------------------------------------------


class DeltaChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Delta's record changed without a message moving, as when a read found nothing (Q34)."""

    queue: str
    delta: Delta
    why: Why = {}


class CountersChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue record's numbers after a public operation: only those that differ from before (Q5, Q13)."""

    queue: str
    values: Why


class Reduced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A memory reduction ran to its end (Q45, Q53). why: every number of its decision, sub-steps that did nothing too.

    why keys (default mode): ram_msg_count, ram_pending, target, surplus, quota, order, q1_moved, q4_moved,
    pending_paged, betas, permitted, beta_surplus, io_batch_size, betas_moved, blocked, bump.
    """

    queue: str
    why: Why = {}


class TargetChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """target_ram_count was computed anew (Q43). why: duration, rates."""

    queue: str
    target: int | None
    why: Why = {}


class ModeChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue is now in `mode` (Q56, Q57)."""

    queue: str
    mode: str


class ConfirmsDue(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages became confirmable: their disk writes are done (K5-K7). `by`: index, store, both, ignored."""

    queue: str
    by: str
    messages: tuple[Range, ...]


# --- the queue index -------------------------------------------------------------------------------------------------


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


# --- the message stores ----------------------------------------------------------------------------------------------


class StoreWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Records were appended to the current file's buffer (S143): rows with ref_count 1.

    `offset` is the file offset of the first record written. With step 1 that is msg_no's; with step -1 the records
    were written newest first, so it is that of msg_no + count - 1 and msg_no's record is the last.
    """

    store: str
    file: int
    offset: int
    msg_no: int
    count: int
    record_bytes: int
    step: int = 1


class WriteIgnored(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A write was cancelled by a remove that was sent before it was handled (S145)."""

    store: str
    msg_no: int
    count: int


class BufferWritten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The write buffer was handed to the operating system (S21, S22)."""

    store: str
    file: int
    bytes_: int


class StoreSynced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current file was fsynced (S166)."""

    store: str
    file: int


class FileRolledOver(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current file reached the limit: closed, and the next one opened (S171). why: size, limit."""

    store: str
    closed: int
    opened: int
    why: Why = {}


class RefCountChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Rows have `ref_count` references now (S142, S147); 0 means garbage that stays until the file goes."""

    store: str
    msg_no: int
    count: int
    ref_count: int


class RowsForgotten(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Index rows were deleted (S142 row 4, S183, S184)."""

    store: str
    messages: tuple[Range, ...]


class FileLocked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A file was locked for deletion or combination (S148, S182), or unlocked again (S185)."""

    store: str
    file: int
    locked: bool


class OperationDeferred(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A read, contains or remove waits for a locked file (S187, S190)."""

    store: str
    file: int
    operation: str
    msg_no: int
    count: int


class CombineStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Garbage collection chose two neighbours (S180-S182). why: total, valid, limit, fraction."""

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

    store: str
    source: int
    destination: int
    step: str
    bytes_: int


class RowsMoved(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Rows have a new file and offset (S183). Each row: msg_no, count, file, offset of msg_no's record.

    The other records follow in the row's own step; all `count` had equal fields before.
    """

    store: str
    rows: tuple[tuple[int, int, int, int], ...]


class FilesCombined(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The destination holds both files' live records; the source is gone (S183, S185).

    left_on_disk: bytes of the source that stay on disk because a client has it open (S186).
    Fold: the source leaves `files`, and enters `orphans` as (number, left_on_disk) unless that is 0; the
    destination's file_size and valid are size_bytes. FileLocked unlocks it.
    """

    store: str
    source: int
    destination: int
    size_bytes: int
    reclaimed_bytes: int
    left_on_disk: int = 0


class FileDeleted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A file without live records was deleted (S184, S185). left_on_disk and fold as in FilesCombined."""

    store: str
    file: int
    size_bytes: int
    left_on_disk: int = 0


class FileUnlinked(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A file left the disk (S186).

    Fold: it leaves `orphans`; while it is still in `files` (its FileDeleted or FilesCombined is under way), its disk
    bytes become 0.
    """

    store: str
    file: int
    size_bytes: int


class StoreRead(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Bodies were read (S155, S156). `by`: cache or file; bytes_: read from disk, 0 from the cache."""

    store: str
    by: str
    file: int
    msg_no: int
    count: int
    bytes_: int


class CacheChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The current-file cache holds `entries` messages now (S133, S171.3)."""

    store: str
    entries: int


# --- stops and starts ------------------------------------------------------------------------------------------------


class QueueStopped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue process ended: clean, crash, kill or power (S234). Fold: everything of the queue is forgotten."""

    queue: str
    kind: str


class StoreStopped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A store ended. Fold: everything of the store is forgotten."""

    store: str
    kind: str


class StoreRecovered(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A store started on its files (S205-S208).

    files: (number, file_size, valid_bytes, locked, disk_bytes); rows: (msg_no, count, ref_count, file, offset,
    record_bytes, step); orphans: (number, disk_bytes) of files that are in no table (S186).
    """

    store: str
    clean: bool
    files: tuple[tuple[int, int, int, bool, int], ...]
    current: int
    rows: tuple[tuple[int, int, int, int, int, int, int], ...]
    orphans: tuple[tuple[int, int], ...] = ()


class IndexRecovered(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A queue index started on its files (S110-S117).

    entries: (start, count, code); segments: (number, file_bytes); journal_bytes None when there is no file.
    """

    queue: str
    clean: bool
    entries: tuple[tuple[int, int, int], ...]
    segments: tuple[tuple[int, int], ...]
    journal_bytes: int | None
    dirty: int


class QueueStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A queue begins or begins again (Q62)."""

    queue: str
    mode: str
    durable: bool
    delta: Delta
    values: Why


# --- the node --------------------------------------------------------------------------------------------------------


class NodeChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A number, a setting or a state of the node differs. `part`: settings, memory, disk, alarms, clock.

    Fold: state["node"][part][name] = value for each of `values`.
    """

    part: str
    values: Why
    why: Why = {}


class ActorChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A publisher, consumer, connection or process differs. Fold: merged into node.actors[actor]; None removes it."""

    actor: str
    values: dict[str, Any] | None
    why: Why = {}


class ConfirmsSent(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Publisher confirms left for a publisher (K1, K8)."""

    actor: str
    count: int
    why: Why = {}


def all_kinds(root: type[Transition] = Transition) -> list[type[Transition]]:
    """Return every concrete transition class, in the order of definition."""
    kinds: list[type[Transition]] = []
    for kind in root.__subclasses__():
        if kind is not Shift:
            kinds.append(kind)
        kinds.extend(all_kinds(kind))
    return kinds


def fields_of(kind: type[Transition]) -> tuple[str, ...]:
    """Return the field names of a kind, in row order (without the kind itself)."""
    return kind.__struct_fields__
