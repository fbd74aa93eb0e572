"""What the run read from disk and wrote to it."""

from __future__ import annotations

from engine import transitions as t
from engine.metrics.accumulators import Total
from engine.metrics.levels import Levels
from engine.metrics.messages import ENTERED, published_bytes
from engine.metrics.metric import Better, Ending, Unit, at_end, counted
from engine.values.texts import gettext_noop as _

WRITES = (
    t.JournalSynced,
    t.SegmentWritten,
    t.BufferWritten,
    t.CombineStepped,
    t.IndexFlushed,
    t.BodiesWritten,
)
READS = (t.SegmentRead, t.StoreRead, t.SlotsRead, t.BodiesRead)
COPIES = frozenset({"tmp_written", "copied_back", "source_copied"})
"""Steps of a collection that write."""


SLOT_BYTES = 32
"""Of an entry, or of an ack, in a `.qi` file (W81)."""


def _bytes_written(levels: Levels, write: t.Transition) -> int:
    """Return the bytes of a write; of `.qi` and `.qs` without the headers of new files."""
    if isinstance(write, t.IndexFlushed):
        return SLOT_BYTES * (int(write.why.get("entries") or 0) + int(write.why.get("acks") or 0))
    if isinstance(write, t.BodiesWritten):
        return levels.bodies_written
    if isinstance(write, t.CombineStepped) and write.step not in COPIES:
        return 0
    return int(write.bytes_)  # type: ignore[attr-defined]  # the others of WRITES have it


@at_end(
    _("bytes written for each byte published"), Unit.FACTOR, Better.LOWER, reads=tuple({*WRITES, *ENTERED})
)
def write_amplification(ending: Ending) -> float | None:
    """Bytes written to disk for each byte that was published."""
    in_bytes = ending.number(published_bytes)
    return ending.number(bytes_written) / in_bytes if in_bytes else None


@counted(_("disk reads"), Unit.COUNT, Better.LOWER, Total, reads=READS)
def disk_reads(levels: Levels, read: t.SegmentRead | t.StoreRead | t.SlotsRead | t.BodiesRead) -> int:
    """Read calls: one for each segment, and one for each body that is not in the store's cache."""
    if not isinstance(read, t.StoreRead):
        return 1
    return read.count if read.by == "file" else 0


@counted(_("disk writes"), Unit.COUNT, Better.LOWER, Total, reads=WRITES)
def disk_writes(levels: Levels, write: t.Transition) -> int:
    """Write calls that wrote anything; of queues of version 2 one for each file of a flush."""
    if isinstance(write, t.IndexFlushed):
        return len(write.segments)
    if isinstance(write, t.BodiesWritten):
        return len(write.files)
    return int(_bytes_written(levels, write) > 0)


@counted(
    _("fsync calls"),
    Unit.COUNT,
    Better.LOWER,
    Total,
    reads=(
        t.JournalSynced,
        t.SegmentWritten,
        t.StoreSynced,
        t.CombineStepped,
        t.BodiesWritten,
        t.FileCompacted,
    ),
)
def fsyncs(levels: Levels, sync: t.Transition) -> int:
    """Calls that wait until the disk has everything; version 2 calls it at a stop and a compaction alone (W65)."""
    if isinstance(sync, t.BodiesWritten):
        return len(sync.files) if sync.fsync else 0
    return int(not isinstance(sync, t.CombineStepped) or sync.step == "synced")


@counted(
    _("bytes read from disk"),
    Unit.BYTES,
    Better.LOWER,
    Total,
    reads=(t.SegmentRead, t.StoreRead, t.SlotsRead),
)
def bytes_read(levels: Levels, read: t.SegmentRead | t.StoreRead | t.SlotsRead) -> int:
    """Bytes of segments, and of bodies that are not in the store's cache; of `.qi` slots, not of `.qs` bodies."""
    if isinstance(read, t.SlotsRead):
        return SLOT_BYTES * (read.end - read.start)
    return read.bytes_ if isinstance(read, t.SegmentRead) or read.by == "file" else 0


@counted(_("bytes written to disk"), Unit.BYTES, Better.LOWER, Total, reads=WRITES)
def bytes_written(levels: Levels, write: t.Transition) -> int:
    """Bytes written to the journal, to segments and to store files."""
    return _bytes_written(levels, write)


@counted(_("journal flushes"), Unit.COUNT, Better.LOWER, Total, reads=(t.JournalFlushed,))
def journal_flushes(levels: Levels, flush: t.JournalFlushed) -> int:
    """How often a journal went to the segments."""
    return 1


@counted(_("segment writes"), Unit.COUNT, Better.LOWER, Total, reads=(t.SegmentWritten,))
def segments_written(levels: Levels, write: t.SegmentWritten) -> int:
    """How often a segment file was written."""
    return 1


@counted(_("segments deleted"), Unit.COUNT, Better.NEITHER, Total, reads=(t.SegmentDeleted,))
def segments_deleted(levels: Levels, deletion: t.SegmentDeleted) -> int:
    """Segment files that were deleted because all their messages were acknowledged."""
    return 1


@counted(_("store files combined"), Unit.COUNT, Better.LOWER, Total, reads=(t.FilesCombined,))
def files_combined(levels: Levels, combination: t.FilesCombined) -> int:
    """How often the garbage collection made one store file of two."""
    return 1


@counted(_("store files deleted"), Unit.COUNT, Better.NEITHER, Total, reads=(t.FileDeleted,))
def files_deleted(levels: Levels, deletion: t.FileDeleted) -> int:
    """Store files that were deleted because nothing in them was valid."""
    return 1


@counted(_("bytes rewritten by collection"), Unit.BYTES, Better.LOWER, Total, reads=(t.CombineStepped,))
def bytes_combined(levels: Levels, step: t.CombineStepped) -> int:
    """Bytes that the garbage collection copied from one place to another."""
    return _bytes_written(levels, step)
