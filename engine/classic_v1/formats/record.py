"""Files of a message store: `<n>.rdq` (S54, S209)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import msgspec

from engine.formats.arrays import np
from engine.formats.chunks import AnyChunk, RawBytes, count_alike, count_matching, cut_records, growing, raw
from engine.formats.message import FIRST_FOREIGN, RECORD_OVERHEAD_BYTES, MessageCodec
from engine.formats.terms import TermError
from engine.values.errors import StoreCorrupt
from engine.values.sizes import FRAME_BYTES, FRAMED, Each, Length, Sizes, framed_bytes, reach, total

MARKER: Final = 255
ID_BYTES: Final = 16

_SIZE = struct.Struct(">Q")


class StoreRecords(msgspec.Struct, frozen=True, eq=False):
    """Store records of consecutive message numbers, back to back (S54).

    Args:
        msg_no: number of the first message.
        count: number of records.
        body_bytes: body bytes of each message: one number, or a column.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
        codec: encodes the messages; not compared.
        term: the very term of another node's message; then `count` is 1.
        step: 1 when the lowest number comes first in the file, -1 when the highest does (alphas are paged out
            newest first); a single record has step 1.
    """

    msg_no: int
    count: int
    body_bytes: Each
    raw_persistent: bool
    template: int
    codec: MessageCodec
    term: bytes | None = None
    step: int = 1

    def __post_init__(self) -> None:
        if self.count == 1 and self.step != 1:
            msgspec.structs.force_setattr(self, "step", 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoreRecords) and self._values() == other._values()

    def _values(self) -> tuple[object, ...]:
        return (
            self.msg_no,
            self.count,
            self.body_bytes,
            self.raw_persistent,
            self.template,
            self.term,
            self.step,
        )

    @property
    def record_bytes(self) -> Length:
        """Bytes of each record, the `total_size` of S54."""
        if self.term is not None:
            return len(self.term) + RECORD_OVERHEAD_BYTES
        return self.codec.record_length(self.template, self.body_bytes, self.raw_persistent)

    @property
    def size_bytes(self) -> int:
        sizes = self.body_bytes
        if self.term is None and not isinstance(
            sizes, int
        ):  # as `record_bytes` has it, without an object for it
            bare = self.codec.record_bytes(self.template, 0, self.raw_persistent)
            return bare * self.count + sizes.total(self.msg_no, self.count, FRAMED)
        return total(self.record_bytes, self.msg_no, self.count)

    def written_bytes(self, count: int) -> int:
        """Return the bytes of the first `count` records in the order of writing."""
        low = self.msg_no if self.step > 0 else self.msg_no + self.count - count
        return total(self.record_bytes, low, count)

    def reaching(self, needed: int) -> int:
        """Return the bytes of the first records, in the order of writing, that have `needed` bytes together."""
        return self.written_bytes(reach(self.record_bytes, self.msg_no, self.count, self.step, needed))

    def part(self, offset: int, count: int) -> StoreRecords:
        """Return `count` records from the one at `offset` on."""
        return StoreRecords(
            self.msg_no + offset,
            count,
            self.body_bytes,
            self.raw_persistent,
            self.template,
            self.codec,
            self.term,
            self.step,
        )

    def written(self, skip: int, count: int) -> StoreRecords:
        """Return `count` records in the order of writing, after the first `skip`."""
        return self.part(skip if self.step > 0 else self.count - skip - count, count)

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        """Split at a byte offset; a record cut through is RawBytes on both sides."""
        return cut_records(self, offset_bytes, self.written_bytes)

    def encode(self) -> bytes:
        """Return the bytes of the records."""
        codec = self.codec
        if self.term is not None:
            size = _SIZE.pack(ID_BYTES + len(self.term))
            return b"".join((size, codec.id_bytes(self.msg_no), self.term, b"\xff"))
        record_bytes, body_bytes = self.record_bytes, self.body_bytes
        if not isinstance(record_bytes, int) or not isinstance(body_bytes, int):
            return b"".join(chain.from_iterable(list(self._each_parts())[:: self.step]))
        ids = codec.ids(self.msg_no, self.count)[:: self.step]
        rows = np.empty((self.count, record_bytes), np.uint8)
        rows[:, :8] = np.frombuffer(_SIZE.pack(record_bytes - 9), np.uint8)
        rows[:, 8:24] = ids
        codec.fill(rows, 24, codec.layout(self.template, body_bytes, self.raw_persistent), ids)
        rows[:, -1] = MARKER
        return rows.tobytes()

    def each_record(self) -> Iterator[bytes]:
        """Yield the records of messages whose bodies differ, in the order of their numbers."""
        return map(b"".join, self._each_parts())

    def _each_parts(self) -> Iterator[tuple[bytes | memoryview, ...]]:
        """Yield the parts of each of these records: what writes them all copies a body once."""
        sizes, prefix = self.body_bytes, self.codec.id_prefix
        assert isinstance(sizes, Sizes)
        terms = self.codec.each_term_parts(self.msg_no, self.count, self.template, sizes, self.raw_persistent)
        bare, pack = self.codec.record_bytes(self.template, 0, self.raw_persistent) - 9, _SIZE.pack
        own = sizes.of(self.msg_no, self.count)
        for number, (size, parts) in enumerate(zip(own, terms, strict=True), self.msg_no):
            framed = size + 10 if 0 < size <= FRAME_BYTES else framed_bytes(size)
            yield pack(bare + framed), prefix, pack(number), *parts, b"\xff"

    def alike_at(self, data: bytes | memoryview, at: int) -> int:
        """Return how many of these records, whose bodies differ, lie one after the other at a place of a file."""
        if self.step > 0:
            return count_alike(data, at, self.each_record())
        blocks = (reversed(list(self.written(*block).each_record())) for block in growing(self.count))
        return count_alike(data, at, chain.from_iterable(blocks))


class RecordHead(msgspec.Struct, frozen=True):
    """A record of another node's message, of which size, id and marker were read, as a start reads it (S209).

    Args:
        msg_no: number of the message.
        begin: offset of the record.
        record_bytes: bytes of all of it.
    """

    count = 1
    step = 1
    term = b""
    msg_no: int
    data: bytes
    begin: int
    record_bytes: int

    @property
    def size_bytes(self) -> int:
        return self.record_bytes

    def encode(self) -> bytes:
        """Return the bytes of the record."""
        return bytes(self.data[self.begin : self.begin + self.record_bytes])

    def cut(self, offset_bytes: int) -> tuple[Sequence[AnyChunk], Sequence[AnyChunk]]:
        return RawBytes(self.encode()).cut(offset_bytes)


def decode_store(data: bytes, codec: MessageCodec, heads: bool = False) -> list[AnyChunk]:
    """Read a store file into the longest runs, as the scanner of S209 does.

    Args:
        heads: whether the terms of other nodes' messages are passed over.

    Returns:
        `StoreRecords`s in file order. `RawBytes` or `Zeros` is what the scanner skips (a complete record with a wrong
        marker) and, last, what lies behind the place where it stops.

    Raises:
        StoreCorrupt: a size of 1 to 15, on which the broker crashes.
    """
    return [chunk for _, chunk in scan_store(data, codec, heads)]


def scan_store(data: bytes, codec: MessageCodec, heads: bool = False) -> Iterator[tuple[int, AnyChunk]]:
    """Yield (offset in bytes, chunk) as `decode_store` does, raising where the damage begins.

    Args:
        data: the whole file.
        codec: reads messages and ids.
        heads: whether the terms of other nodes' messages are passed over.
    """
    view = None
    at = 0
    while len(data) - at >= _SIZE.size:
        size = int.from_bytes(data[at : at + _SIZE.size], "big")
        end = at + size + 9
        if not size or end > len(data):
            break
        if data[end - 1] != MARKER:
            yield at, RawBytes(bytes(data[at:end]))
            at = end
            continue
        if size < ID_BYTES:
            raise StoreCorrupt("record_too_small", size=size, at=at)
        if heads and not codec.is_own(data[at + 8 : at + 24]):
            yield at, RecordHead(codec.msg_no_of(data[at + 8 : at + 24]), data, at, size + 9)
            at = end
            continue
        run = read_record(data, at, size, codec)
        if run.term is None:
            if view is None:
                data = bytes(data)
                view = np.frombuffer(data, np.uint8)
            run = _longest(data, view, at, run)
        yield at, run
        at += run.size_bytes
    for chunk in raw(data[at:]):
        yield at, chunk


def read_record(data: bytes, at: int, size: int, codec: MessageCodec) -> StoreRecords:
    """Read one complete record; a term that the codec would not write the same is kept as it is.

    Args:
        at: offset of the record.
        size: value of its size field.
    """
    msg_no = codec.msg_no_of(bytes(data[at + 8 : at + 24]))
    term = bytes(data[at + 24 : at + 8 + size])
    try:
        message = codec.read_term(term)
    except TermError:
        return StoreRecords(msg_no, 1, 0, True, 0, codec, term)
    generated = message.body_is_generated and message.msg_no == msg_no
    return StoreRecords(
        msg_no,
        1,
        message.size_bytes,
        message.raw_persistent,
        message.template,
        codec,
        None if generated else term,
    )


def _longest(
    data: bytes, view: np.ndarray[tuple[int], np.dtype[np.uint8]], at: int, first: StoreRecords
) -> StoreRecords:
    """Return the longest run in either direction that begins with this record."""
    stride = first.record_bytes
    assert isinstance(stride, int)
    behind = at + stride
    prefix = first.codec.id_bytes(first.msg_no)[:8]
    neighbours = (prefix + _SIZE.pack(first.msg_no + 1), prefix + _SIZE.pack(max(first.msg_no - 1, 0)))
    if data[behind + 8 : behind + 24] not in neighbours:
        return first
    assert isinstance(first.body_bytes, int)
    column = first.codec.column_of(first.msg_no, first.body_bytes)
    if column is not None:
        return _longest_unequal(data, at, first, column)

    def rising(skip: int, count: int) -> bytes:
        return first.part(skip, count).encode()

    count = count_matching(view, at, stride, FIRST_FOREIGN - first.msg_no, rising)
    if count > 1:
        return first.part(0, count)

    def falling(skip: int, count: int) -> bytes:
        return msgspec.structs.replace(
            first, msg_no=first.msg_no - skip - count + 1, count=count, step=-1
        ).encode()

    count = count_matching(view, at, stride, first.msg_no + 1, falling)
    return msgspec.structs.replace(first, msg_no=first.msg_no - count + 1, count=count, step=-1)


def _longest_unequal(data: bytes, at: int, first: StoreRecords, column: Sizes) -> StoreRecords:
    """Return the longest run in either direction of messages of a column, the first of which is this record."""
    behind = column.first + len(column) - first.msg_no
    rising = msgspec.structs.replace(first, count=behind, body_bytes=column)
    count = rising.alike_at(data, at)
    if count > 1:
        return rising.part(0, count)
    before = first.msg_no - column.first + 1
    falling = msgspec.structs.replace(first, msg_no=column.first, count=before, body_bytes=column, step=-1)
    return falling.written(0, max(1, falling.alike_at(data, at)))
