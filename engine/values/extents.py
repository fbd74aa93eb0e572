"""The extent: the unit that moves through a queue (rules Q1-Q4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from engine.values.errors import ProcessCrash
from engine.values.sizes import Each, Length, reach, sides, total
from engine.values.stretches import Range, StretchRecord

PERSISTENT: Final = 1
"""Queue durable and delivery_mode 2 (Q1)."""
IN_RAM: Final = 2
"""The body is held in RAM (`body` is not NONE)."""
IN_STORE: Final = 4
"""The content has been written to a message store (`place` = STORE)."""
INDEXED: Final = 8
"""A publish record was handed to the queue index."""
HOME_STORE: Final = 16
"""The body's home is the store; without it the body is embedded in the index (Q12)."""
WANTS_CONFIRM: Final = 32
"""The publisher waits for a confirm that depends on disk (K1)."""
RAW_PERSISTENT: Final = 64
"""The message's own delivery_mode is 2, whatever the queue is (Q20)."""
READ_BACK: Final = 128
"""The message was read from a file, has an expiration of its own, and nobody decoded its properties since (P9)."""
DELIVERED: Final = 256
"""The entry itself records its delivery, as in 3.8; later releases keep one number for the queue instead (V1)."""


AT_ONCE: Final = 512
"""Runs of a log of which one transition tells, at most."""


class Extent(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The longest stretch of consecutive messages whose other fields are all equal; bodies may differ by a column.

    Args:
        start: seq_id of the first message.
        count: number of messages, at least 1.
        msg_no: number of the first message's id; the others follow one by one.
        size_bytes: body bytes of each message: one number, or a column in which each has its own.
        flags: sum of the flag constants of this module.
        expiry_us: absolute wall-clock microseconds, 0 for never.
        template: which exchange, routing key and properties the stored term carries.
    """

    start: int
    count: int
    msg_no: int
    size_bytes: Each
    flags: int
    expiry_us: int = 0
    template: int = 0

    @property
    def end(self) -> int:
        """One past the last seq_id."""
        return self.start + self.count

    @property
    def total_bytes(self) -> int:
        return total(self.size_bytes, self.msg_no, self.count)

    @property
    def mean_bytes(self) -> int:
        """Body bytes of one message, on average where they differ."""
        each = self.size_bytes
        return each if isinstance(each, int) else self.total_bytes // self.count

    @property
    def persistent(self) -> bool:
        return self.flags & PERSISTENT != 0

    @property
    def in_ram(self) -> bool:
        return self.flags & IN_RAM != 0

    @property
    def in_store(self) -> bool:
        return self.flags & IN_STORE != 0

    @property
    def indexed(self) -> bool:
        return self.flags & INDEXED != 0

    @property
    def home_store(self) -> bool:
        return self.flags & HOME_STORE != 0

    @property
    def wants_confirm(self) -> bool:
        return self.flags & WANTS_CONFIRM != 0

    @property
    def raw_persistent(self) -> bool:
        return self.flags & RAW_PERSISTENT != 0

    @property
    def read_back(self) -> bool:
        return self.flags & READ_BACK != 0

    @property
    def delivered(self) -> bool:
        return self.flags & DELIVERED != 0

    def part(self, offset: int, count: int) -> Extent:
        """Return `count` messages beginning at `offset`."""
        return Extent(
            self.start + offset,
            count,
            self.msg_no + offset,
            self.size_bytes,
            self.flags,
            self.expiry_us,
            self.template,
        )

    def sides(self, border: int) -> list[tuple[Extent, bool]]:
        """Return the same messages by runs on one side of a border of body bytes, with whether they reach it."""
        found = sides(self.size_bytes, self.msg_no, self.count, border)
        if len(found) == 1:
            return [(self, found[0][2])]
        return [(self.part(skip, count), reached) for skip, count, reached in found]

    def equal_parts(self) -> list[Extent]:
        """Return the same messages as extents with equal bodies: one by one if a column has their sizes."""
        if isinstance(self.size_bytes, int):
            return [self]
        own = self.size_bytes.of(self.msg_no, self.count)
        return [replace(self.part(skip, 1), size_bytes=size) for skip, size in enumerate(own)]

    def continued_by(self, after: Extent) -> bool:
        """Return whether `after` (adjacent in seq_id) has equal fields and following message numbers."""
        return (
            self.flags == after.flags
            and self.size_bytes == after.size_bytes
            and self.msg_no + self.count == after.msg_no
            and self.expiry_us == after.expiry_us
            and self.template == after.template
        )

    def merged(self, count: int) -> Extent:
        return Extent(
            self.start, count, self.msg_no, self.size_bytes, self.flags, self.expiry_us, self.template
        )

    def with_flags(self, set_: int = 0, clear: int = 0) -> Extent:
        flags = (self.flags | set_) & ~clear
        if flags == self.flags:
            return self
        return Extent(
            self.start, self.count, self.msg_no, self.size_bytes, flags, self.expiry_us, self.template
        )


def as_ranges(extents: Iterable[Extent]) -> list[Range]:
    """Return where messages are: one range for runs of a log that follow each other, and one for any other extent."""
    found: list[Range] = []
    before: Extent | None = None
    for each in extents:
        last = before
        before = None if isinstance(each.size_bytes, int) else each
        if last is not None and before is not None and last.start + last.count == each.start:
            found[-1] = Range(found[-1].start, found[-1].count + each.count)
        else:
            found.append(Range(each.start, each.count))
    return found


def together(extents: Iterable[Extent]) -> Iterator[list[Extent]]:
    """Yield messages as steps: runs of a log that follow each other as one, at most `AT_ONCE`, any other by itself."""
    some: list[Extent] = []
    for each in extents:
        equal = isinstance(each.size_bytes, int)
        if some and (equal or len(some) == AT_ONCE):
            yield some
            some = []
        some.append(each)
        if equal:
            yield some
            some = []
    if some:
        yield some


def unexpired(extents: Iterable[Extent], count: int, now_us: int) -> int:
    """Return how many of the first `count` messages come before one that has expired (P10); at least 1."""
    ahead = 0
    for extent in extents:
        if ahead >= count or 0 < extent.expiry_us <= now_us:
            break
        ahead += extent.count
    return max(1, min(count, ahead))


class DeltaExtent(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The `#delta{}` term: all that RAM keeps of the messages in delta (Q4).

    Args:
        start: first seq_id covered, None when blank.
        count: live ready messages in it.
        transient: how many of those are transient (may go negative, Q20).
        end: one past the last seq_id covered, None when blank.
    """

    start: int | None = None
    count: int = 0
    transient: int = 0
    end: int | None = None

    @property
    def blank(self) -> bool:
        """The test used everywhere: start == end and count == 0."""
        return self.start == self.end and self.count == 0

    def asserted(self, queue: str) -> DeltaExtent:
        """Return it, if it claims no more messages than seq_ids; else the process of `queue` crashes (Q4, V9)."""
        if self.start is None or self.end is None or self.start + self.count <= self.end:
            return self
        term = f"{{delta,{self.start},{self.count},{self.transient},{self.end}}}"
        raise ProcessCrash(queue, "rabbit_variable_queue,d", term)

    def extended(self, start: int, count: int, transient: int) -> DeltaExtent:
        """Return delta grown by `count` messages with seq_ids [start, start+count). `transient` is how many
        of them count as transient. Implements `extend` of Q4 for a run at once.
        """
        return self.spanned(start, start + count, count, transient)

    def spanned(self, start: int, end: int, count: int, transient: int) -> DeltaExtent:
        """Return it grown by `count` messages that lie in [start, end); `transient` as for `extended`."""
        first, last = self.start, self.end
        if first is None or last is None or (first == last and not self.count):
            return DeltaExtent(start, count, transient, end)
        return DeltaExtent(
            first if first < start else start,
            self.count + count,
            self.transient + transient,
            last if last > end else end,
        )


BLANK: Final = DeltaExtent()


class StoreRow(StretchRecord, frozen=True, array_like=True, gc=False):
    """Store index rows of consecutive messages whose records lie back to back (S130).

    Args:
        start: number of the first message.
        refs: reference count of each; 0 is garbage that stays until the file goes.
        offset: offset in bytes of the record of `start`.
        step: 1 when the following messages lie behind, -1 when they lie before (written newest first).
    """

    refs: int
    file: int
    offset: int
    record_bytes: Length
    step: int = 1

    def offset_of(self, skip: int) -> int:
        """Return the offset of the record of the message `skip` behind the first."""
        each = self.record_bytes
        if isinstance(each, int):
            return self.offset + skip * self.step * each
        if self.step > 0:
            return self.offset + each.total(self.start, skip)
        return self.offset - each.total(self.start + 1, skip)

    def part(self, offset: int, count: int) -> StoreRow:
        return replace(self, start=self.start + offset, count=count, offset=self.offset_of(offset))

    def continued_by(self, after: StoreRow) -> bool:
        """Return whether `after` (adjacent in message numbers) goes on in the same file and direction."""
        return (
            self.refs == after.refs
            and self.file == after.file
            and self.record_bytes == after.record_bytes
            and self.step == after.step
            and self.offset_of(self.count) == after.offset
        )

    def merged(self, count: int) -> StoreRow:
        return StoreRow(self.start, count, self.refs, self.file, self.offset, self.record_bytes, self.step)

    @property
    def low(self) -> int:
        """Offset in bytes of the record that comes first in the file."""
        return self.offset if self.step > 0 else self.offset_of(self.count - 1)

    @property
    def size_bytes(self) -> int:
        return total(self.record_bytes, self.start, self.count)

    def first_bytes(self, count: int, step: int) -> int:
        """Return the bytes of `count` records: with step 1 of the lowest numbers, with -1 of the highest."""
        low = self.start if step > 0 else self.start + self.count - count
        return total(self.record_bytes, low, count)

    def until(self, needed: int, step: int) -> int:
        """Return how many records, taken as by `first_bytes`, have `needed` bytes; all if they have not."""
        return reach(self.record_bytes, self.start, self.count, step, needed)

    def with_refs(self, refs: int) -> StoreRow:
        return StoreRow(self.start, self.count, refs, self.file, self.offset, self.record_bytes, self.step)

    def equal_parts(self) -> list[StoreRow]:
        """Return the same rows by runs of one size: one by one where lengths differ."""
        each = self.record_bytes
        if isinstance(each, int):
            return [self]
        singles = [self.part(skip, 1) for skip in range(self.count)]
        return [replace(row, record_bytes=each.at(row.start)) for row in singles]

    def at(self, file: int, low: int) -> StoreRow:
        """Return these entries moved as one block to `file`, the first byte at `low`."""
        offset = low if self.step > 0 else low + total(self.record_bytes, self.start + 1, self.count - 1)
        return replace(self, file=file, offset=offset)
