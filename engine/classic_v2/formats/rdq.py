"""Records of `<n>.rdq` in 4.x, and the scanner that finds them (S54, W143)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from engine.classic_v2.formats.mc import McCodec
from engine.formats.arrays import np
from engine.formats.chunks import AnyChunk, cut_records
from engine.formats.message import RECORD_OVERHEAD_BYTES
from engine.formats.terms import TermError
from engine.values.sizes import Each, Length, Sizes, total

MARKER: Final = 255
ID_BYTES: Final = 16
_SIZE = struct.Struct(">Q")


class SharedRecords(msgspec.Struct, frozen=True, eq=False):
    """Records of consecutive message numbers, back to back (S54).

    Args:
        msg_no: number of the first message.
        count: number of records.
        body_bytes: body bytes of each message: one number, or a column.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
        codec: encodes the messages; not compared.
        term: the very term of another node's message; then `count` is 1.
    """

    msg_no: int
    count: int
    body_bytes: Each
    raw_persistent: bool
    template: int
    codec: McCodec
    term: bytes | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SharedRecords) and self._values() == other._values()

    def _values(self) -> tuple[object, ...]:
        return self.msg_no, self.count, self.body_bytes, self.raw_persistent, self.template, self.term

    @property
    def record_bytes(self) -> Length:
        """Bytes of each record."""
        if self.term is not None:
            return len(self.term) + RECORD_OVERHEAD_BYTES
        return self.codec.record_length(self.template, self.body_bytes, self.raw_persistent)

    @property
    def size_bytes(self) -> int:
        """Bytes of all records."""
        return self.written_bytes(self.count)

    def written_bytes(self, count: int) -> int:
        """Return the bytes of the first `count` records."""
        return total(self.record_bytes, self.msg_no, count)

    def part(self, offset: int, count: int) -> SharedRecords:
        """Return `count` records from the one at `offset` on."""
        return msgspec.structs.replace(self, msg_no=self.msg_no + offset, count=count)

    written = part
    """Records are in the order of message numbers."""

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
            return b"".join(self._each())
        rows = np.empty((self.count, record_bytes), np.uint8)
        rows[:, :8] = np.frombuffer(_SIZE.pack(record_bytes - 9), np.uint8)
        rows[:, 8:24] = codec.ids(self.msg_no, self.count)
        layout = codec.layout(self.template, body_bytes, self.raw_persistent)
        codec.fill_terms(rows, 24, layout, self.msg_no, self.count)
        rows[:, -1] = MARKER
        return rows.tobytes()

    def _each(self) -> Iterator[bytes]:
        """Yield the parts of each record of messages whose bodies differ."""
        codec, sizes = self.codec, self.body_bytes
        assert isinstance(sizes, Sizes)
        terms = codec.each_term(self.msg_no, self.count, self.template, sizes, self.raw_persistent)
        for number, term in enumerate(terms, self.msg_no):
            yield _SIZE.pack(ID_BYTES + len(term))
            yield codec.id_bytes(number)
            yield term
            yield b"\xff"


def read_record(data: bytes, at: int, total_bytes: int, codec: McCodec) -> SharedRecords:
    """Read one complete record; a term that the codec would not write the same is kept as it is.

    Args:
        data: the file.
        at: offset of the record.
        total_bytes: bytes of the whole record.
        codec: reads the message.
    """
    msg_no = codec.msg_no_of(bytes(data[at + 8 : at + 24]))
    term = bytes(data[at + 24 : at + total_bytes - 1])
    try:
        message = codec.read_term(term)
    except TermError:
        return SharedRecords(msg_no, 1, 0, True, 0, codec, term)
    generated = message.body_is_generated and message.msg_no == msg_no
    return SharedRecords(
        msg_no,
        1,
        message.size_bytes,
        message.raw_persistent,
        message.template,
        codec,
        None if generated else term,
    )


def scan(
    data: bytes, accept: Callable[[bytes, int, int], bool], stops_early: bool
) -> Iterator[tuple[int, int, bytes]]:
    """Yield (offset, total bytes, id) of each record, as the broker's scanner does: byte by byte (W143).

    Args:
        data: the whole file.
        accept: called with id, total bytes and offset; a record that it refuses is none.
        stops_early: 4.0's bound: what looks like a record that ends up to 9 bytes behind the file ends the scan.
    """
    at = 0
    length = len(data)
    found: set[bytes] = set()
    while at + 8 <= length:
        if data[at]:  # no file is as long as such a size
            nearest = data.find(b"\0", at)
            if nearest < 0:
                return
            at = nearest
            continue
        size = int.from_bytes(data[at : at + 8], "big")
        if not size:
            at += _zeros(data, at)
            continue
        end = at + size + 9
        if size >= ID_BYTES and end <= length and data[end - 1] == MARKER:
            id16 = bytes(data[at + 8 : at + 24])
            if id16 not in found and accept(id16, size + 9, at):
                found.add(id16)
                yield at, size + 9, id16
                at = end
                continue
        elif end > length and size < length - at and stops_early:
            return
        at += 1


def _zeros(data: bytes, at: int) -> int:
    """Return how many positions from `at` on begin with eight zero bytes."""
    step = 64
    end = at + 8
    while end < len(data):
        block = data[end : end + step]
        rest = block.lstrip(b"\0")
        end += len(block) - len(rest)
        if rest:
            break
        step = min(2 * step, 1 << 20)
    return end - at - 7
