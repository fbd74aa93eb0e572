"""What only a queue of version 2 and its stores report."""

from __future__ import annotations

from engine.report.transitions.base import About, Transition, Why
from engine.report.transitions.queue import Shift
from engine.values.sizes import Length
from engine.values.stretches import Range


class SlotsBuffered(Transition, frozen=True):
    """Entries of consecutive positions of one segment entered the index's write buffer (W86, W91).

    Args:
        action: publish or ack.

    Fold: publish adds to `buffered`; ack takes away what is buffered and adds the rest to `acks`. The segment's live
    messages grow or shrink by count.
    """

    about = About("files", "publish", "files", shown="step")
    queue: str
    action: str
    segment: int
    start: int
    count: int


class IndexFileCreated(Transition, frozen=True):
    """A segment's file exists from now on, with its header (W82). Fold: it has bytes_ and no live message."""

    about = About("files", "new_segment_file", "files", shown="detail", setting="segment_entry_count")
    queue: str
    segment: int
    bytes_: int


class IndexFlushed(Transition, frozen=True):
    """The index's write buffer was written, without fsync (W87, W88). why: entries, acks, limit.

    Args:
        full: everything; else the acks alone.
        segments: (number, bytes of the file afterwards) of each file that was written.

    Fold: acks is empty, and buffered too where full; the files have these sizes.
    """

    about = About(
        "files",
        "flush_buffer",
        "files",
        shown="detail",
        weight=2,
        setting="segment_entry_count",
        disk="writes",
        units={"acks": "messages", "limit": "messages"},
    )
    queue: str
    full: bool
    segments: tuple[tuple[int, int], ...]
    why: Why = {}


class IndexFileDeleted(Transition, frozen=True):
    """A segment without live messages is deleted at once (W91). Fold: it is gone, with the acks in [start, end)."""

    about = About("files", "delete_segment", "files", weight=2, setting="segment_entry_count", mark="gone")
    queue: str
    segment: int
    start: int
    end: int
    bytes_: int


class SlotsRead(Transition, frozen=True):
    """Slots of one segment's file were read, for positions [start, end) (W92)."""

    about = About("files", "read_from_disk", shown="detail", setting="segment_entry_count", disk="reads")
    queue: str
    segment: int
    start: int
    end: int


class BodiesBuffered(Transition, frozen=True):
    """Bodies of one segment entered the write buffer of `.qs` (W113, W114).

    Fold: they are in `waiting`, which has bytes_ more; offset is where the first will lie.
    """

    about = About("files", "write", "files", shown="step", setting="queue_index_embed_msgs_below")
    queue: str
    segment: int
    start: int
    count: int
    offset: int
    bytes_: int


class StretchesBuffered(Transition, frozen=True):
    """Bodies of several runs of a log entered the write buffer of `.qs`, all of one segment (W113, W114).

    Args:
        offset: where the first body of the first run will lie; each run is behind the one before.
        term_bytes: bytes of each term of all runs.
        runs: position of the first body of each run, its bodies, and the number of the first one's message.

    Fold: as BodiesBuffered for each run.
    """

    about = About(
        "files",
        "write",
        "files",
        shown="step",
        setting="queue_index_embed_msgs_below",
        units={"term_bytes": "bytes"},
    )
    queue: str
    segment: int
    offset: int
    term_bytes: Length
    runs: tuple[tuple[int, int, int], ...]


class BodiesForgotten(Transition, frozen=True):
    """Bodies were removed before they were written: their place in `.qs` stays a hole (W116).

    Fold: they leave `waiting`, which has bytes_ less.
    """

    about = About("files", "remove", "files", shown="step")
    queue: str
    start: int
    count: int
    bytes_: int


class BodiesWritten(Transition, frozen=True):
    """The write buffer of `.qs` was written (W114). Fold: nothing waits; the files have these sizes.

    Args:
        fsync: and made durable, as at a clean stop alone (W95).
        files: (segment, bytes of the file afterwards).
    """

    about = About("files", "flush_buffer", "files", shown="detail", weight=2, disk="writes")
    queue: str
    fsync: bool
    files: tuple[tuple[int, int], ...]


class BodiesRead(Transition, frozen=True):
    """Bodies were read from a segment's `.qs` file (W117, W118)."""

    about = About("files", "read_many", shown="detail", setting="queue_index_embed_msgs_below", disk="reads")
    queue: str
    segment: int
    start: int
    count: int


class BodyFileDeleted(Transition, frozen=True):
    """A segment's `.qs` file goes with its index segment (W119).

    Fold: it is gone.
    """

    about = About("files", "delete_segments", "files", weight=2, mark="gone")
    queue: str
    segment: int
    bytes_: int


class FilesReset(Transition, frozen=True):
    """The queue's directory was deleted (W56, W57). Fold: there are no files, and nothing waits."""

    about = About("files", "reset_qi_state", "files")
    queue: str


class FilesFound(Transition, frozen=True):
    """A queue started on its files (W96, W97). Fold: these are the files, and nothing waits.

    Args:
        clean: no file was read by the broker.
        segments: (number, bytes, live messages) of the index.
        bodies: (number, bytes) of `.qs` files.
        places: (first position, how many, offset, bytes of each with its header) of live bodies in them, in runs.
        live: slots whose message is there again; transient ones of an orderly stop have slots, and are dropped.
    """

    about = About("files", "recover", "files", shown="detail")
    queue: str
    clean: bool
    segments: tuple[tuple[int, int, int], ...]
    bodies: tuple[tuple[int, int], ...]
    places: tuple[tuple[int, int, int, int], ...] = ()
    live: tuple[Range, ...] = ()


class TailLoaded(Shift, frozen=True):
    """One load brings messages from the tail to the head lane (W45). why: start, end, window, dropped.

    With nothing to bring only the tail's record changes.
    """

    about = About(
        "memory",
        "read_from_q_tail",
        "shift",
        weight=6,
        setting="segment_entry_count",
        mark="load",
        units={"window": "messages"},
    )


class HeadReturned(Shift, frozen=True):
    """The first message that did not match goes back to the front, with the mark that its take gave it (W47)."""

    about = About("messages", "in_r", "shift", shown="detail")


class CollectionTimed(Transition, frozen=True):
    """Files in which messages were removed wait for the timer of 15 s (W140), or it fired (`fired`)."""

    about = About("files", "gc_candidate", shown="detail")
    store: str
    fired: bool
    files: tuple[int, ...]


class FileCompacted(Transition, frozen=True):
    """Records moved from the end of a file into its gaps (W141, W142). why: valid, size, moved."""

    about = About(
        "files",
        "compact_file",
        weight=5,
        setting="msg_store_file_size_limit",
        mark="compact",
        units={"valid": "bytes", "size": "bytes", "moved": "messages"},
    )
    store: str
    file: int
    why: Why = {}
