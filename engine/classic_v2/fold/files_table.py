"""What a queue of version 2 has in its directory and in its write buffers, by its transitions."""

from __future__ import annotations

from typing import Any

from engine.classic_v2.transitions.files import (
    BodiesBuffered,
    BodiesForgotten,
    BodiesWritten,
    BodyFileDeleted,
    FilesFound,
    FilesReset,
    IndexFileCreated,
    IndexFileDeleted,
    IndexFlushed,
    SlotsBuffered,
)
from engine.values.ranges import RangeSet
from engine.values.stretches import pairs


class FilesTable:
    """Files and write buffers of one queue."""

    __slots__ = ("segments", "bodies", "buffered", "acks", "waiting", "waiting_bytes")

    def __init__(self) -> None:
        self.segments: dict[int, list[int]] = {}
        """For each segment the bytes of its `.qi` file and its live messages."""
        self.bodies: dict[int, int] = {}
        """For each `.qs` file its bytes."""
        self.buffered = RangeSet()
        self.acks = RangeSet()
        self.waiting = RangeSet()
        self.waiting_bytes = 0

    def slots_buffered(self, t: SlotsBuffered) -> None:
        """Entries or acks entered the index's write buffer (W86, W91)."""
        if t.action == "publish":
            self.buffered.add(t.start, t.count)
            self.segments[t.segment][1] += t.count
            return
        self.segments[t.segment][1] -= t.count
        at = t.start
        for gone in self.buffered.discard(t.start, t.count):
            if gone.start > at:
                self.acks.add(at, gone.start - at)
            at = gone.end
        if at < t.start + t.count:
            self.acks.add(at, t.start + t.count - at)

    def index_file_created(self, t: IndexFileCreated) -> None:
        """A segment begins (W82)."""
        self.segments[t.segment] = [t.bytes_, 0]

    def index_flushed(self, t: IndexFlushed) -> None:
        """The buffer was written (W87)."""
        self.acks = RangeSet()
        if t.full:
            self.buffered = RangeSet()
        for segment, size in t.segments:
            self.segments[segment][0] = size

    def index_file_deleted(self, t: IndexFileDeleted) -> None:
        """A segment is gone, with its buffered acks (W91)."""
        self.segments.pop(t.segment, None)
        self.acks.discard(t.start, t.end - t.start)

    def bodies_buffered(self, t: BodiesBuffered) -> None:
        """Bodies wait to be written (W114)."""
        self.waiting.add(t.start, t.count)
        self.waiting_bytes += t.bytes_

    def bodies_forgotten(self, t: BodiesForgotten) -> None:
        """Bodies were removed before they were written (W116)."""
        self.waiting.discard(t.start, t.count)
        self.waiting_bytes -= t.bytes_

    def bodies_written(self, t: BodiesWritten) -> None:
        """The buffer of `.qs` was written (W114)."""
        self.waiting = RangeSet()
        self.waiting_bytes = 0
        self.bodies.update(t.files)

    def body_file_deleted(self, t: BodyFileDeleted) -> None:
        """A `.qs` file is gone (W119)."""
        self.bodies.pop(t.segment, None)

    def files_reset(self, t: FilesReset) -> None:
        """The directory was deleted (W56)."""
        self.files_found(FilesFound(t.rule, t.queue, True, (), ()))

    def files_found(self, t: FilesFound) -> None:
        """The files as a start found them (W96, W97)."""
        self.segments = {number: [size, live] for number, size, live in t.segments}
        self.bodies = dict(t.bodies)
        self.buffered, self.acks, self.waiting = RangeSet(), RangeSet(), RangeSet()
        self.waiting_bytes = 0

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "segments": [[number, *values] for number, values in sorted(self.segments.items())],
            "bodies": [[number, size] for number, size in sorted(self.bodies.items())],
            "buffered": pairs(self.buffered),
            "acks": pairs(self.acks),
            "waiting": pairs(self.waiting),
            "waiting_bytes": self.waiting_bytes,
        }
