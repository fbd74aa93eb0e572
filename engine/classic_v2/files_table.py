"""What a queue of version 2 has in its directory and in its write buffers, by its transitions.

The fold keeps one for each queue, and the queue's own store follows its transitions with another, so that both show the
same slots and bodies; what they show is held to the files themselves (tests/unit/classic_v2/test_files_table.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from engine.classic_v2.transitions import (
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
    StretchesBuffered,
)
from engine.report.transitions.base import Transition
from engine.values.sizes import Length, total
from engine.values.stretches import RangeSet, Stretches, StretchRecord, pairs

LIVE, ACKED, ERASED = 0, 1, 2
"""The state of a slot: its message is there; it was acknowledged; it was acknowledged before it was written (W86)."""
WAITING, WRITTEN, HOLE = 0, 1, 2
"""A body in `.qs`: not written yet; written for good (W119); never written, so its place stays empty (W116)."""
ENTRY_HEADER_BYTES = 8
"""Size of the header before each body in `.qs` (W112)."""


class KnownSlots(StretchRecord, frozen=True, array_like=True, gc=False):
    """Slots of consecutive positions that are in the same state."""

    code: int


class KnownBodies(StretchRecord, frozen=True, array_like=True, gc=False):
    """Bodies of consecutive positions that lie back to back in one `.qs` file.

    Args:
        start: first position.
        offset: where the lowest of them begins.
        entry_bytes: bytes of each, with its header: one number, or lengths that differ.
        code: WAITING, WRITTEN or HOLE.
        msg_no: number of the first one's message, by which lengths are found; 0 where all are alike.
    """

    offset: int
    entry_bytes: Length
    code: int
    msg_no: int = 0

    @property
    def size_bytes(self) -> int:
        return total(self.entry_bytes, self.msg_no, self.count)

    def part(self, offset: int, count: int) -> KnownBodies:
        at = self.offset + total(self.entry_bytes, self.msg_no, offset)
        number = 0 if isinstance(self.entry_bytes, int) else self.msg_no + offset
        return KnownBodies(self.start + offset, count, at, self.entry_bytes, self.code, number)

    def continued_by(self, after: KnownBodies) -> bool:
        return (
            self.code == after.code
            and self.entry_bytes == after.entry_bytes
            and self.offset + self.size_bytes == after.offset
            and (isinstance(self.entry_bytes, int) or self.msg_no + self.count == after.msg_no)
        )


class FilesTable:
    """Files and write buffers of one queue. What a transition changes is said at its class."""

    __slots__ = (
        "segments",
        "bodies",
        "unread",
        "buffered",
        "acks",
        "waiting",
        "waiting_bytes",
        "slots",
        "places",
    )

    def __init__(self) -> None:
        self.segments: dict[int, list[int]] = {}
        """For each segment the bytes of its `.qi` file and its live messages."""
        self.bodies: dict[int, int] = {}
        """For each `.qs` file its bytes."""
        self.unread: dict[int, int] = {}
        """Of each that a start found, how far it reached: what is not in `places` below that, nobody has looked at."""
        self.buffered = RangeSet()
        self.acks = RangeSet()
        self.waiting = RangeSet()
        self.waiting_bytes = 0
        self.slots: Stretches[KnownSlots] = Stretches()
        """Of segments that have a file, what became of each slot since the queue started, and the live ones before."""
        self.places: Stretches[KnownBodies] = Stretches()
        """Of the same segments, where bodies lie that came since then, dead ones too, and live ones from before."""

    def follow(self, transition: Transition) -> None:
        handler = HANDLERS.get(type(transition))
        if handler is not None:
            handler(self, transition)

    def _mark(self, start: int, count: int, code: int) -> None:
        self.slots.remove(start, count)
        self.slots.insert(KnownSlots(start, count, code))

    def _place(self, start: int, count: int, code: int) -> None:
        """Give the known bodies of these positions another code."""
        for run in self.places.remove(start, count):
            self.places.insert(msgspec.structs.replace(run, code=code))

    def slots_buffered(self, t: SlotsBuffered) -> None:
        """Entries or acks entered the index's write buffer (W86, W91)."""
        if t.action == "publish":
            self.buffered.add(t.start, t.count)
            self.segments[t.segment][1] += t.count
            self._mark(t.start, t.count, LIVE)
            return
        self._mark(t.start, t.count, ACKED)
        self.segments[t.segment][1] -= t.count
        at = t.start
        for gone in self.buffered.discard(t.start, t.count):
            if gone.start > at:
                self.acks.add(at, gone.start - at)
            at = gone.end
            self._mark(gone.start, gone.count, ERASED)
        if at < t.start + t.count:
            self.acks.add(at, t.start + t.count - at)

    def index_file_created(self, t: IndexFileCreated) -> None:
        self.segments[t.segment] = [t.bytes_, 0]

    def index_flushed(self, t: IndexFlushed) -> None:
        self.acks = RangeSet()
        if t.full:
            self.buffered = RangeSet()
        for segment, size in t.segments:
            self.segments[segment][0] = size

    def index_file_deleted(self, t: IndexFileDeleted) -> None:
        self.segments.pop(t.segment, None)
        self.acks.discard(t.start, t.end - t.start)
        self.slots.remove(t.start, t.end - t.start)
        self.places.remove(t.start, t.end - t.start)

    def bodies_buffered(self, t: BodiesBuffered) -> None:
        self._wait(KnownBodies(t.start, t.count, t.offset, t.bytes_ // t.count + ENTRY_HEADER_BYTES, WAITING))

    def stretches_buffered(self, t: StretchesBuffered) -> None:
        for bodies in bodies_of(t):
            self._wait(bodies)

    def _wait(self, bodies: KnownBodies) -> None:
        self.waiting.add(bodies.start, bodies.count)
        self.waiting_bytes += bodies.size_bytes - bodies.count * ENTRY_HEADER_BYTES
        self.places.remove(bodies.start, bodies.count)
        self.places.insert(bodies)

    def bodies_forgotten(self, t: BodiesForgotten) -> None:
        self.waiting.discard(t.start, t.count)
        self.waiting_bytes -= t.bytes_
        self._place(t.start, t.count, HOLE)

    def bodies_written(self, t: BodiesWritten) -> None:
        for each in self.waiting:
            self._place(each.start, each.count, WRITTEN)
        self.waiting = RangeSet()
        self.waiting_bytes = 0
        self.bodies.update(t.files)

    def body_file_deleted(self, t: BodyFileDeleted) -> None:
        self.bodies.pop(t.segment, None)
        self.unread.pop(t.segment, None)

    def files_reset(self, t: FilesReset) -> None:
        self.files_found(FilesFound(t.rule, t.queue, True, (), ()))

    def files_found(self, t: FilesFound) -> None:
        self.segments = {number: [size, live] for number, size, live in t.segments}
        self.bodies = dict(t.bodies)
        self.unread = dict(t.bodies)
        self.buffered, self.acks, self.waiting = RangeSet(), RangeSet(), RangeSet()
        self.waiting_bytes = 0
        self.slots = Stretches(KnownSlots(each.start, each.count, LIVE) for each in t.live)
        self.places = Stretches(KnownBodies(*each, WRITTEN) for each in t.places)

    def to_json(self) -> dict[str, Any]:
        """Return the plain shape of a snapshot."""
        return {
            "segments": [[number, *values] for number, values in sorted(self.segments.items())],
            "bodies": [[number, size] for number, size in sorted(self.bodies.items())],
            "buffered": pairs(self.buffered),
            "acks": pairs(self.acks),
            "waiting": pairs(self.waiting),
            "waiting_bytes": self.waiting_bytes,
            **self.parts(),
        }

    def parts(self) -> dict[str, Any]:
        """Return slots and bodies alone, and which of them are not known."""
        return {
            "unread": [[number, size] for number, size in sorted(self.unread.items())],
            "slots": [[run.start, run.count, run.code] for run in self.slots],
            "places": [list(astuple(run)) for run in self.places],
        }


def bodies_of(t: StretchesBuffered) -> Iterator[KnownBodies]:
    """Yield the bodies of several runs that enter the write buffer, each run behind the one before."""
    offset, each = t.offset, t.term_bytes + ENTRY_HEADER_BYTES
    for start, count, msg_no in t.runs:
        yield KnownBodies(start, count, offset, each, WAITING, msg_no)
        offset += total(each, msg_no, count)


HANDLERS: Final[dict[type[Transition], Callable[[FilesTable, Any], None]]] = {
    SlotsBuffered: FilesTable.slots_buffered,
    IndexFileCreated: FilesTable.index_file_created,
    IndexFlushed: FilesTable.index_flushed,
    IndexFileDeleted: FilesTable.index_file_deleted,
    BodiesBuffered: FilesTable.bodies_buffered,
    StretchesBuffered: FilesTable.stretches_buffered,
    BodiesForgotten: FilesTable.bodies_forgotten,
    BodiesWritten: FilesTable.bodies_written,
    BodyFileDeleted: FilesTable.body_file_deleted,
    FilesReset: FilesTable.files_reset,
    FilesFound: FilesTable.files_found,
}
