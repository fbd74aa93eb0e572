"""Files of a message store: `<n>.rdq` (S54, S209)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from engine.formats.arrays import np
from engine.formats.chunks import count_matching
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.formats.store_records import ID_BYTES, MARKER, SIZE, StoreRecords, read_record
from engine.values.chunks import ByteChunk, RawBytes, raw
from engine.values.errors import StoreCorrupt
from engine.values.sizes import Sizes


class RecordHead(msgspec.Struct, frozen=True):
    """A record of another node's message, of which size, id and marker were read, as a start reads it (S209).
    `msg_no`: number of the message. `begin`: offset of the record. `record_bytes`: bytes of all of it.
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
        return bytes(self.data[self.begin : self.begin + self.record_bytes])

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        return RawBytes(self.encode()).cut(offset_bytes)


def decode_store(data: bytes, codec: MessageCodec, heads: bool = False) -> list[ByteChunk]:
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


def scan_store(data: bytes, codec: MessageCodec, heads: bool = False) -> Iterator[tuple[int, ByteChunk]]:
    """Yield (offset in bytes, chunk) as `decode_store` does, raising where the damage begins. `data`: the
    whole file. `codec`: reads messages and ids. `heads`: whether the terms of other nodes' messages are
    passed over.
    """
    view = None
    at = 0
    while len(data) - at >= SIZE.size:
        size = int.from_bytes(data[at : at + SIZE.size], "big")
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


def _longest(
    data: bytes, view: np.ndarray[tuple[int], np.dtype[np.uint8]], at: int, first: StoreRecords
) -> StoreRecords:
    """Return the longest run in either direction that begins with this record."""
    stride = first.record_bytes
    assert isinstance(stride, int)
    behind = at + stride
    prefix = first.codec.id_bytes(first.msg_no)[:8]
    neighbours = (prefix + SIZE.pack(first.msg_no + 1), prefix + SIZE.pack(max(first.msg_no - 1, 0)))
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
