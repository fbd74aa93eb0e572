"""What the run read from disk and wrote to it."""

from __future__ import annotations

from typing import Any

from engine.counting.accumulators import Total
from engine.counting.levels import Levels
from engine.counting.messages import ENTERED, published_bytes
from engine.counting.metric import Better, Ending, Unit, at_end, counted
from engine.report.transitions.base import Transition
from engine.report.transitions.stores import BufferWritten, FileDeleted, StoreRead
from engine.values.texts import gettext_noop as _


@counted(_("disk reads"), Unit.COUNT, Better.LOWER, Total, reads=(StoreRead,))
def disk_reads(levels: Levels, read: StoreRead) -> int:
    """Read calls: one for each segment, and one for each body that is not in the store's cache."""
    return read.count if read.by == "file" else 0


@counted(_("disk writes"), Unit.COUNT, Better.LOWER, Total, reads=(BufferWritten,))
def disk_writes(levels: Levels, write: Any) -> int:
    """Write calls that wrote anything; of queues of version 2 one for each file of a flush."""
    return int(write.bytes_ > 0)


@counted(_("fsync calls"), Unit.COUNT, Better.LOWER, Total, reads=())
def fsyncs(levels: Levels, sync: Transition) -> int:
    """Calls that wait until the disk has everything; version 2 calls it at a stop and a compaction alone (W65)."""
    return 1


@counted(_("bytes read from disk"), Unit.BYTES, Better.LOWER, Total, reads=(StoreRead,))
def bytes_read(levels: Levels, read: StoreRead) -> int:
    """Bytes of segments, and of bodies that are not in the store's cache; of version 2 `.qi` slots and `.qs` bodies."""
    return read.bytes_ if read.by == "file" else 0


@counted(_("bytes written to disk"), Unit.BYTES, Better.LOWER, Total, reads=(BufferWritten,))
def bytes_written(levels: Levels, write: Any) -> int:
    """Bytes written to the journal, to segments and to store files."""
    return int(write.bytes_)


@at_end(
    _("bytes written for each byte published"),
    Unit.FACTOR,
    Better.LOWER,
    reads=ENTERED,
    parts=(bytes_written,),
)
def write_amplification(ending: Ending) -> float | None:
    """Bytes written to disk for each byte that was published."""
    in_bytes = ending.number(published_bytes)
    return ending.number(bytes_written) / in_bytes if in_bytes else None


@counted(_("store files deleted"), Unit.COUNT, Better.NEITHER, Total, reads=(FileDeleted,))
def files_deleted(levels: Levels, deletion: FileDeleted) -> int:
    """Store files that were deleted because nothing in them was valid."""
    return 1
