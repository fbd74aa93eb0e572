"""What `.qi` and `.qs` files read and wrote; of both without the headers of new files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from engine.classic_v2.files_table import ENTRY_HEADER_BYTES, WAITING, KnownBodies, bodies_of
from engine.classic_v2.transitions import (
    BodiesBuffered,
    BodiesForgotten,
    BodiesRead,
    BodiesWritten,
    FileCompacted,
    FilesFound,
    FilesReset,
    IndexFileDeleted,
    IndexFlushed,
    SlotsRead,
    StretchesBuffered,
    TailLoaded,
)
from engine.counting.backlog import delta_out
from engine.counting.disk import bytes_read, bytes_written, disk_reads, disk_writes, fsyncs
from engine.counting.levels import RunLevels, follows
from engine.values.stretches import Stretches

SLOT_BYTES: Final = 32
"""Bytes of an entry, or of an ack, in a `.qi` file (W81)."""

delta_out.also(TailLoaded)
fsyncs.also(FileCompacted)


class BodyCounts(msgspec.Struct):
    """What is known of bodies in `.qs`, by queue.

    Args:
        waiting: bytes that wait to be written; `written` had waited before the last write.
        entries: how many bytes each body takes, over all starts of the queue.
    """

    waiting: dict[str, int] = {}
    written: int = 0
    entries: dict[str, Stretches[KnownBodies]] = {}

    def add(self, queue: str, more: int) -> None:
        self.waiting[queue] = self.waiting.get(queue, 0) + more


@follows(BodiesBuffered)
def _buffered(levels: RunLevels, at_us: int, change: BodiesBuffered) -> None:
    each = change.bytes_ // change.count + ENTRY_HEADER_BYTES
    _wait(levels, change.queue, (KnownBodies(change.start, change.count, change.offset, each, WAITING),))


@follows(StretchesBuffered)
def _runs_buffered(levels: RunLevels, at_us: int, change: StretchesBuffered) -> None:
    _wait(levels, change.queue, bodies_of(change))


def _wait(levels: RunLevels, queue: str, more: Iterable[KnownBodies]) -> None:
    bodies = levels.part(BodyCounts)
    entries = bodies.entries.setdefault(queue, Stretches())
    for each in more:
        bodies.add(queue, each.size_bytes)
        entries.remove(each.start, each.count)
        entries.insert(each)


@follows(BodiesForgotten)
def _forgotten(levels: RunLevels, at_us: int, change: BodiesForgotten) -> None:
    levels.part(BodyCounts).add(change.queue, -change.bytes_ - ENTRY_HEADER_BYTES * change.count)


@follows(BodiesWritten, FilesFound, FilesReset)
def _gone(levels: RunLevels, at_us: int, change: BodiesWritten | FilesFound | FilesReset) -> None:
    """Nothing waits any more: it was written, or its directory is gone, or it died with the queue."""
    bodies = levels.part(BodyCounts)
    bodies.written = bodies.waiting.pop(change.queue, 0)


@follows(IndexFileDeleted)
def _segment_gone(levels: RunLevels, at_us: int, change: IndexFileDeleted) -> None:
    """The bodies of a segment go with it (W119)."""
    entries = levels.part(BodyCounts).entries.get(change.queue)
    if entries is not None:
        entries.remove(change.start, change.end - change.start)


@disk_reads.of(SlotsRead, BodiesRead)
def _one(levels: RunLevels, read: SlotsRead | BodiesRead) -> int:
    return 1


@bytes_read.of(SlotsRead)
def _read(levels: RunLevels, read: SlotsRead) -> int:
    return SLOT_BYTES * (read.end - read.start)


@bytes_read.of(BodiesRead)
def _read_bodies(levels: RunLevels, read: BodiesRead) -> int:
    entries = levels.part(BodyCounts).entries.get(read.queue)
    found = entries.overlapping(read.start, read.count) if entries is not None else []
    return sum([run.size_bytes for run in found])


@bytes_written.of(IndexFlushed)
def _slots(levels: RunLevels, write: IndexFlushed) -> int:
    return SLOT_BYTES * (int(write.why.get("entries") or 0) + int(write.why.get("acks") or 0))


@bytes_written.of(BodiesWritten)
def _bodies(levels: RunLevels, write: BodiesWritten) -> int:
    return levels.part(BodyCounts).written


@disk_writes.of(IndexFlushed)
def _index_files(levels: RunLevels, write: IndexFlushed) -> int:
    return len(write.segments)


@disk_writes.of(BodiesWritten)
def _body_files(levels: RunLevels, write: BodiesWritten) -> int:
    return len(write.files)


@fsyncs.of(BodiesWritten)
def _synced(levels: RunLevels, write: BodiesWritten) -> int:
    return len(write.files) if write.fsync else 0
