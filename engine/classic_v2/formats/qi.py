"""Slots of `<n>.qi`: one for each position of the segment (W83, W84)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Final

import msgspec

from engine.classic_v2.formats.qs import ENTRY_HEADER_BYTES
from engine.formats.arrays import np
from engine.formats.chunks import RecordRun, count_matching
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.values.chunks import ByteChunk, RawBytes, raw
from engine.values.sizes import Each, Length, at, total

HEADER_BYTES: Final = 64
INDEX_MAGIC: Final = b"RCQI"
STORE_MAGIC: Final = b"RCQS"
VERSION: Final = 2
NEEDED_BYTES: Final = 21
"""Magic, version and the two numbers: what the broker looks at, so that a shorter file is no file (W205)."""

_HEADER = struct.Struct(">4sBQQ43x")


class FileHeader(msgspec.Struct, frozen=True):
    """The header of a segment's file. `magic`: INDEX_MAGIC or STORE_MAGIC. `first`: first position of the
    segment. `end`: first position after it.
    """

    magic: bytes
    first: int
    end: int

    @property
    def size_bytes(self) -> int:
        return HEADER_BYTES

    def encode(self) -> bytes:
        return _HEADER.pack(self.magic, VERSION, self.first, self.end)

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        if offset_bytes <= 0:
            return [], [self]
        if offset_bytes >= HEADER_BYTES:
            return [self], []
        data = self.encode()
        return raw(data[:offset_bytes]), raw(data[offset_bytes:])


def read_header(data: bytes, magic: bytes) -> FileHeader | None:
    """Return the header that the bytes begin with, or None when it is none of this kind (W97, W120). `data`:
    at least the beginning of the file; where it is shorter than 64 bytes, 21 are enough. `magic`: INDEX_MAGIC
    or STORE_MAGIC.
    """
    if len(data) < NEEDED_BYTES or data[:4] != magic or data[4] != VERSION:
        return None
    first, end = struct.unpack_from(">QQ", data, 5)
    return FileHeader(magic, first, end)


class BlankBytes(msgspec.Struct, frozen=True):
    """Zero bytes in the place of records. `size_bytes`: how many."""

    size_bytes: int

    def encode(self) -> bytes:
        return bytes(self.size_bytes)

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        at = min(max(offset_bytes, 0), self.size_bytes)
        return blanks(at), blanks(self.size_bytes - at)


def blanks(size_bytes: int) -> list[BlankBytes]:
    return [BlankBytes(size_bytes)] if size_bytes else []


SLOT_BYTES: Final = 32
_NOTHING: Final = bytes(SLOT_BYTES)
_SLOT: Final = struct.Struct(">BBBB16sIQ")
_PLACE: Final = struct.Struct(">QI4x")


class BodyLocation(IntEnum):
    """Where the body of an indexed message is."""

    MEMORY = 0
    SHARED = 1
    QUEUE = 2


class IndexSlots(RecordRun, frozen=True, eq=False):
    """Live slots of consecutive positions whose messages are alike (W83).

    Args:
        persistent: effective persistence.
        location: where the bodies are.
        body_bytes: body bytes of each: one number, or a column.
        expiry_us: microseconds since 1970, 0 for never.
        msg_no: number of the first message; only of bodies in the shared store, and with a column.
        offset: of the first body's entry in `.qs`; only of bodies in the per-queue store.
        term_bytes: bytes of each stored term: a number or lengths; only of bodies in the per-queue store.
        step: -1 where bodies in the per-queue store lie from the last to the first.
    """

    count: int
    persistent: bool
    location: BodyLocation
    body_bytes: Each
    expiry_us: int
    msg_no: int
    offset: int
    term_bytes: Length
    codec: MessageCodec
    step: int = 1

    @property
    def record_bytes(self) -> int:
        return SLOT_BYTES

    def written_bytes(self, count: int) -> int:
        return count * SLOT_BYTES

    @property
    def numbered(self) -> bool:
        """Whether the messages are known: the index itself names only those in the shared store."""
        return self.location is BodyLocation.SHARED or not isinstance(self.body_bytes, int)

    def offset_of(self, skip: int) -> int:
        """Return where the entry of the slot `skip` behind the first is in `.qs`; 0 for other locations."""
        if self.location is not BodyLocation.QUEUE:
            return self.offset
        return self.offset + self.step * total(self.term_bytes + ENTRY_HEADER_BYTES, self.msg_no, skip)

    def part(self, offset: int, count: int) -> IndexSlots:
        return msgspec.structs.replace(
            self,
            count=count,
            msg_no=self.msg_no + offset if self.numbered else self.msg_no,
            offset=self.offset_of(offset),
        )

    def equal_parts(self) -> Sequence[IndexSlots]:
        """Return the slots as a reader of the file finds them: one by one if a column has their sizes."""
        if isinstance(self.body_bytes, int):
            return (self,)
        found, offset = [], self.offset
        for number, size in enumerate(self.body_bytes.of(self.msg_no, self.count), self.msg_no):
            term_bytes = at(self.term_bytes, number)
            known = number if self.location is BodyLocation.SHARED else 0
            found.append(
                msgspec.structs.replace(
                    self, count=1, body_bytes=size, msg_no=known, offset=offset, term_bytes=term_bytes
                )
            )
            if self.location is BodyLocation.QUEUE:
                offset += term_bytes + ENTRY_HEADER_BYTES
        return found

    def continued_by(self, after: IndexSlots) -> bool:
        """Return whether the slots after this run can join it."""
        return (
            self.persistent == after.persistent
            and self.location == after.location
            and self.body_bytes == after.body_bytes
            and self.expiry_us == after.expiry_us
            and self.term_bytes == after.term_bytes
            and self.step == after.step
            and self.offset_of(self.count) == after.offset
            and (not self.numbered or self.msg_no + self.count == after.msg_no)
        )

    def merged(self, count: int) -> IndexSlots:
        return msgspec.structs.replace(self, count=count)

    def encode(self) -> bytes:
        """Return the bytes of the slots."""
        if not isinstance(self.body_bytes, int) or not isinstance(self.term_bytes, int):
            return b"".join([each.encode() for each in self.equal_parts()])
        place = (
            _PLACE.pack(self.offset, self.term_bytes) if self.location is BodyLocation.QUEUE else bytes(16)
        )
        if self.location is BodyLocation.SHARED:
            place = self.codec.id_bytes(self.msg_no)
        one = _SLOT.pack(1, self.persistent, 0, self.location, place, self.body_bytes, self.expiry_us)
        if self.count == 1 or self.location is BodyLocation.MEMORY:
            return one * self.count
        rows = np.empty((self.count, SLOT_BYTES), np.uint8)
        rows[:, :] = np.frombuffer(one, np.uint8)
        if self.location is BodyLocation.SHARED:
            rows[:, 4:20] = self.codec.ids(self.msg_no, self.count)
        else:
            stride = self.step * (self.term_bytes + ENTRY_HEADER_BYTES)
            offsets = range(self.offset, self.offset + self.count * stride, stride)
            joined = struct.pack(f">{self.count}Q", *offsets)
            rows[:, 4:12] = np.frombuffer(joined, np.uint8).reshape(self.count, 8)
        return rows.tobytes()


def decode_index(data: bytes, codec: MessageCodec) -> list[ByteChunk]:
    """Read a `.qi` file into the longest runs (W81-W84).

    Returns:
        A `FileHeader`, then `IndexSlots`, `BlankBytes` for empty slots, and `RawBytes` for every slot that is neither:
        one that recovery marked as acknowledged, or a damaged one. A file without a header is `RawBytes` alone.
    """
    header = read_header(data, INDEX_MAGIC)
    if header is None or len(data) < HEADER_BYTES:
        return raw(data)
    chunks: list[ByteChunk] = [header]
    whole = HEADER_BYTES + (len(data) - HEADER_BYTES) // SLOT_BYTES * SLOT_BYTES
    begin = HEADER_BYTES
    while begin < whole:
        found = _longest(data, begin, whole, read_slot(data[begin : begin + SLOT_BYTES], codec))
        _join(chunks, found)
        begin += found.size_bytes
    return chunks + raw(data[whole:])


def _longest(data: bytes, begin: int, end: int, first: ByteChunk) -> ByteChunk:
    """Return the longest run that begins with this slot; ids of other nodes get numbers one by one."""
    most = (end - begin) // SLOT_BYTES
    written: Callable[[int, int], bytes]
    if isinstance(first, BlankBytes):
        written = _blank
    elif isinstance(first, IndexSlots) and first.msg_no < FIRST_FOREIGN:
        written = _written(first)
        if first.numbered:
            most = min(most, FIRST_FOREIGN - first.msg_no)
    else:
        return first
    if most < 2 or data[begin + SLOT_BYTES : begin + 2 * SLOT_BYTES] != written(1, 1):
        return first
    count = count_matching(np.frombuffer(data, np.uint8), begin, SLOT_BYTES, most, written)
    return BlankBytes(count * SLOT_BYTES) if isinstance(first, BlankBytes) else first.part(0, count)


def _blank(_skip: int, count: int) -> bytes:
    return bytes(count * SLOT_BYTES)


def _written(first: IndexSlots) -> Callable[[int, int], bytes]:
    return lambda skip, count: first.part(skip, count).encode()


def read_slot(slot: bytes, codec: MessageCodec) -> ByteChunk:
    """Return what one slot holds, as `decode_index` does."""
    if slot == _NOTHING:
        return BlankBytes(SLOT_BYTES)
    status, flags, zero, location, place, size, expiry = _SLOT.unpack(slot)
    if status != 1 or flags > 1 or zero or location > BodyLocation.QUEUE:
        return RawBytes(bytes(slot))
    if location == BodyLocation.SHARED:
        number, offset, term = codec.msg_no_of(place), 0, 0
    elif location == BodyLocation.QUEUE and not any(place[12:]):
        number = 0
        offset, term = _PLACE.unpack(place)
    elif any(place):
        return RawBytes(bytes(slot))
    else:
        number = offset = term = 0
    return IndexSlots(1, bool(flags), BodyLocation(location), size, expiry, number, offset, term, codec)


def _join(chunks: list[ByteChunk], found: ByteChunk) -> None:
    """Append a chunk, or make the last one longer by it."""
    last: Any = chunks[-1]
    if isinstance(found, IndexSlots) and isinstance(last, IndexSlots) and last.continued_by(found):
        chunks[-1] = last.merged(last.count + found.count)
    elif isinstance(found, BlankBytes) and isinstance(last, BlankBytes):
        chunks[-1] = BlankBytes(last.size_bytes + found.size_bytes)
    else:
        chunks.append(found)
