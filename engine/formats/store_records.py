"""Records of a message store's files, `<n>.rdq` (S54)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain
from typing import Final

import msgspec

from engine.formats.arrays import np
from engine.formats.chunks import RecordRun, count_alike, growing
from engine.formats.message import RECORD_OVERHEAD_BYTES, MessageCodec
from engine.formats.terms import TermError
from engine.values.sizes import FRAME_BYTES, FRAMED, Each, Length, Sizes, framed_bytes, reach, total

MARKER: Final = 255
ID_BYTES: Final = 16

SIZE: Final = struct.Struct(">Q")


class StoreRecords(RecordRun, frozen=True, eq=False):
    """Store records of consecutive message numbers, back to back (S54).

    Args:
        msg_no: number of the first message.
        body_bytes: body bytes of each message: one number, or a column.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
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

    @property
    def record_bytes(self) -> Length:
        """Bytes of each record, the `total_size` of S54."""
        if self.term is not None:
            return len(self.term) + RECORD_OVERHEAD_BYTES
        return self.codec.record_length(self.template, self.body_bytes, self.raw_persistent)

    @property
    def size_bytes(self) -> int:
        sizes = self.body_bytes
        # as `record_bytes` has it, without an object for it
        if self.term is None and not isinstance(sizes, int):
            bare = self.codec.record_bytes(self.template, 0, self.raw_persistent)
            return bare * self.count + sizes.total(self.msg_no, self.count, FRAMED)
        return total(self.record_bytes, self.msg_no, self.count)

    def written_bytes(self, count: int) -> int:
        low = self.msg_no if self.step > 0 else self.msg_no + self.count - count
        return total(self.record_bytes, low, count)

    def reaching(self, needed: int) -> int:
        """Return the bytes of the first records, in the order of writing, that have `needed` bytes together."""
        return self.written_bytes(reach(self.record_bytes, self.msg_no, self.count, self.step, needed))

    def part(self, offset: int, count: int) -> StoreRecords:
        """Return `count` records from the one of the number `offset` higher on."""
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
        return self.part(skip if self.step > 0 else self.count - skip - count, count)

    def encode(self) -> bytes:
        """Return the records as they lie in the file, in the order of writing."""
        codec = self.codec
        if self.term is not None:
            size = SIZE.pack(ID_BYTES + len(self.term))
            return b"".join((size, codec.id_bytes(self.msg_no), self.term, b"\xff"))
        record_bytes, body_bytes = self.record_bytes, self.body_bytes
        if not isinstance(record_bytes, int) or not isinstance(body_bytes, int):
            return b"".join(chain.from_iterable(list(self._each_parts())[:: self.step]))
        ids = codec.ids(self.msg_no, self.count)[:: self.step]
        rows = np.empty((self.count, record_bytes), np.uint8)
        rows[:, :8] = np.frombuffer(SIZE.pack(record_bytes - 9), np.uint8)
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
        bare, pack = self.codec.record_bytes(self.template, 0, self.raw_persistent) - 9, SIZE.pack
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


def read_record(data: bytes, at: int, size: int, codec: MessageCodec) -> StoreRecords:
    """Read one complete record; a term that the codec would not write the same is kept as it is. `at`: offset
    of the record. `size`: value of its size field.
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
