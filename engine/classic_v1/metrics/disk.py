"""What journal, segments and the collection of store files read and wrote."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.classic_v1.transitions import (
    CombineStepped,
    FilesCombined,
    JournalFlushed,
    JournalSynced,
    SegmentDeleted,
    SegmentRead,
    SegmentWritten,
    StoreSynced,
    StretchesRead,
)
from engine.counting.disk import bytes_read, bytes_written, disk_reads, disk_writes, fsyncs
from engine.counting.levels import RunLevels, follows
from engine.counting.metric import BetterWay, MetricUnit, TotalOf, counted
from engine.values.marks import gettext_noop as _

COPIES: Final = frozenset({"tmp_written", "copied_back", "source_copied"})
"""Steps of a collection that write."""

bytes_written.also(JournalSynced, SegmentWritten)
disk_writes.also(SegmentWritten)
fsyncs.also(SegmentWritten)


class SyncMoment(msgspec.Struct):
    """Which stores and journals were synced at the run's moment; `again` is whether the last one had been before.

    A process that works in no time syncs between any two messages; a node's does when its mailbox is empty (P2, S166).
    """

    at_us: int = 0
    synced: set[str] = set()
    again: bool = False


@follows(StoreSynced, JournalSynced)
def _followed(levels: RunLevels, at_us: int, sync: StoreSynced | JournalSynced) -> None:
    moment = levels.part(SyncMoment)
    own = sync.store if isinstance(sync, StoreSynced) else f"journal of {sync.queue}"
    if moment.at_us != at_us:
        moment.at_us, moment.synced = at_us, set()
    moment.again = own in moment.synced
    moment.synced.add(own)


@fsyncs.of(StoreSynced, JournalSynced)
def _synced_once(levels: RunLevels, sync: StoreSynced | JournalSynced) -> int:
    return int(not levels.part(SyncMoment).again)


@disk_writes.of(StoreSynced, JournalSynced)
def _written_once(levels: RunLevels, sync: StoreSynced | JournalSynced) -> int:
    """Count a journal's write; take back the one of a store, which was counted a moment before."""
    again = levels.part(SyncMoment).again
    return int(sync.bytes_ > 0 and not again) if isinstance(sync, JournalSynced) else -int(again)


@disk_reads.of(SegmentRead)
def _one(levels: RunLevels, read: SegmentRead) -> int:
    return 1


@bytes_read.of(SegmentRead)
def _read(levels: RunLevels, read: SegmentRead) -> int:
    return read.bytes_


@disk_reads.of(StretchesRead)
def _bodies(levels: RunLevels, read: StretchesRead) -> int:
    return sum(many for _msg_no, many, _size in read.runs) if read.by == "file" else 0


@bytes_read.of(StretchesRead)
def _body_bytes(levels: RunLevels, read: StretchesRead) -> int:
    return sum(size for _msg_no, _many, size in read.runs) if read.by == "file" else 0


@bytes_written.of(CombineStepped)
def _copied(levels: RunLevels, step: CombineStepped) -> int:
    return step.bytes_ if step.step in COPIES else 0


@disk_writes.of(CombineStepped)
def _wrote(levels: RunLevels, step: CombineStepped) -> int:
    return int(_copied(levels, step) > 0)


@fsyncs.of(CombineStepped)
def _synced(levels: RunLevels, step: CombineStepped) -> int:
    return int(step.step == "synced")


@counted(_("journal flushes"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(JournalFlushed,))
def journal_flushes(levels: RunLevels, flush: JournalFlushed) -> int:
    """How often a journal went to the segments."""
    return 1


@counted(_("segment writes"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(SegmentWritten,))
def segments_written(levels: RunLevels, write: SegmentWritten) -> int:
    """How often a segment file was written."""
    return 1


@counted(_("segments deleted"), MetricUnit.COUNT, BetterWay.NEITHER, TotalOf, reads=(SegmentDeleted,))
def segments_deleted(levels: RunLevels, deletion: SegmentDeleted) -> int:
    """Segment files that were deleted because all their messages were acknowledged."""
    return 1


@counted(_("store files combined"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(FilesCombined,))
def files_combined(levels: RunLevels, combination: FilesCombined) -> int:
    """How often the garbage collection made one store file of two."""
    return 1


@counted(
    _("bytes rewritten by collection"), MetricUnit.BYTES, BetterWay.LOWER, TotalOf, reads=(CombineStepped,)
)
def bytes_combined(levels: RunLevels, step: CombineStepped) -> int:
    """Bytes that the garbage collection copied from one place to another."""
    return int(_copied(levels, step))
