"""What the run read from disk and wrote to it."""

from __future__ import annotations

from typing import Any

from engine.counting.levels import RunLevels
from engine.counting.load import ENTERED, published_bytes
from engine.counting.metric import BetterWay, MetricUnit, RunEnding, TotalOf, at_end, counted
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import BufferWritten, FileDeleted, StoreRead
from engine.values.marks import gettext_noop as _


@counted(_("disk reads"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(StoreRead,))
def disk_reads(levels: RunLevels, read: StoreRead) -> int:
    """Read calls: one for each segment, and one for each body that is not in the store's cache."""
    return read.count if read.by == "file" else 0


@counted(_("disk writes"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(BufferWritten,))
def disk_writes(levels: RunLevels, write: Any) -> int:
    """Write calls that wrote anything, one for all that is synced at one moment; of version 2 one a file of a flush."""
    return int(write.bytes_ > 0)


@counted(_("fsync calls"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=())
def fsyncs(levels: RunLevels, sync: Transition) -> int:
    """Calls that wait for the disk, one a moment and file; version 2 has one at a stop and a compaction alone (W65)."""
    return 1


@counted(_("bytes read from disk"), MetricUnit.BYTES, BetterWay.LOWER, TotalOf, reads=(StoreRead,))
def bytes_read(levels: RunLevels, read: StoreRead) -> int:
    """Bytes of segments, and of bodies that are not in the store's cache; of version 2 `.qi` slots and `.qs` bodies."""
    return read.bytes_ if read.by == "file" else 0


@counted(_("bytes written to disk"), MetricUnit.BYTES, BetterWay.LOWER, TotalOf, reads=(BufferWritten,))
def bytes_written(levels: RunLevels, write: Any) -> int:
    """Bytes written to the journal, to segments and to store files."""
    return int(write.bytes_)


@at_end(
    _("bytes written for each byte published"),
    MetricUnit.FACTOR,
    BetterWay.LOWER,
    reads=ENTERED,
    parts=(bytes_written,),
)
def write_amplification(ending: RunEnding) -> float | None:
    """Bytes written to disk for each byte that was published."""
    in_bytes = ending.number(published_bytes)
    return ending.number(bytes_written) / in_bytes if in_bytes else None


@counted(_("store files deleted"), MetricUnit.COUNT, BetterWay.NEITHER, TotalOf, reads=(FileDeleted,))
def files_deleted(levels: RunLevels, deletion: FileDeleted) -> int:
    """Store files that were deleted because nothing in them was valid."""
    return 1
