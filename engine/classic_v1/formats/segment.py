"""Segment files of the queue index: `<n>.idx` (S60, S61, S65, S90, S119)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import msgspec

from engine.classic_v1.formats import publishing
from engine.classic_v1.formats.publishing import PublishRecord
from engine.formats.arrays import Bytes2D, np
from engine.formats.chunks import RecordRun, count_alike, count_matching, growing
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.values.chunks import ByteChunk, RawBytes, ZeroBytes
from engine.values.errors import IndexCorrupt
from engine.values.sizes import Length, Sizes, total

PERSISTENT_PUBLISH: Final = 0xC000
TRANSIENT_PUBLISH: Final = 0x8000
MARK: Final = 0x4000
"""Deliver the first time it appears for an entry, ack the second (S60)."""
MARK_BYTES: Final = 2
PUBLISH_BYTES: Final = 34
REL_MASK: Final = 0x3FFF

_HEAD = struct.Struct(">H")


class SegmentRecords(RecordRun, frozen=True, eq=False):
    """Entries of one segment with consecutive seq_ids, written in descending order (S65).

    Args:
        start: lowest seq_id.
        count: number of entries, all in one segment.
        publish: contents of the publish records (its msg_no belongs to `start`); None without them.
        marks: deliver and ack records of each entry, 0 to 2.
        term: the embedded term of another node's message; then `count` is 1.
    """

    start: int
    count: int
    publish: PublishRecord | None
    marks: int
    entry_count: int
    codec: MessageCodec
    term: bytes | None = None

    @property
    def record_bytes(self) -> Length:
        """Bytes of each entry: its publish record and marks."""
        size = MARK_BYTES * self.marks
        if self.publish is None:
            return size
        return publishing.embedded_bytes(self.codec, self.publish, self.term) + (PUBLISH_BYTES + size)

    @property
    def size_bytes(self) -> int:
        marks, publish = MARK_BYTES * self.marks, self.publish
        if publish is None:
            return marks * self.count
        return publishing.total_bytes(self.codec, publish, self.term, self.count, PUBLISH_BYTES + marks)

    def written_bytes(self, count: int) -> int:
        """Return the bytes of the first `count` entries in the order of writing."""
        high = 0 if self.publish is None else self.publish.msg_no + self.count
        return total(self.record_bytes, high - count, count)

    def part(self, offset: int, count: int) -> SegmentRecords:
        """Return `count` entries beginning `offset` seq_ids after `start`."""
        publish = self.publish.later(offset) if self.publish is not None else None
        return SegmentRecords(
            self.start + offset, count, publish, self.marks, self.entry_count, self.codec, self.term
        )

    def written(self, skip: int, count: int) -> SegmentRecords:
        """Return `count` entries in the order of writing, after the first `skip`."""
        return self.part(self.count - skip - count, count)

    def encode(self) -> bytes:
        """Return the bytes of the entries, highest seq_id first."""
        count = self.count
        if count == 1:
            return self._encode_one()
        record_bytes = self.record_bytes
        if not isinstance(record_bytes, int):
            return b"".join(reversed(list(self.each_entry())))
        high = self.start % self.entry_count + count - 1
        rels = np.arange(high, high - count, -1).astype(np.uint16)
        rows = np.empty((count, record_bytes), np.uint8)
        at = 0
        publish = self.publish
        if publish is not None:
            head = PERSISTENT_PUBLISH if publish.persistent else TRANSIENT_PUBLISH
            rows[:, 0:2] = _heads(rels, head)
            ids = self.codec.ids(publish.msg_no, count)[::-1]
            publishing.fill_publish(rows, 2, self.codec, publish, ids, self.term, -1)
            at = record_bytes - MARK_BYTES * self.marks
        if self.marks:
            mark = _heads(rels, MARK)
            for _ in range(self.marks):
                rows[:, at : at + 2] = mark
                at += MARK_BYTES
        return rows.tobytes()

    def each_entry(self) -> Iterator[bytes]:
        """Yield the entries of messages whose bodies differ and lie in them, lowest seq_id first."""
        publish, pack, marks = self.publish, _HEAD.pack, self.marks
        assert publish is not None
        head = PERSISTENT_PUBLISH if publish.persistent else TRANSIENT_PUBLISH
        shared = publishing.each_publish(self.codec, publish, self.count)
        for rel, each in enumerate(shared, self.start % self.entry_count):
            yield pack(head | rel) + each + pack(MARK | rel) * marks

    def _encode_one(self) -> bytes:
        """Return the bytes of a single entry: without tables, which take several times as long."""
        rel = self.start % self.entry_count
        data = b""
        publish = self.publish
        if publish is not None:
            head = PERSISTENT_PUBLISH if publish.persistent else TRANSIENT_PUBLISH
            data = _HEAD.pack(head | rel) + publishing.one_publish(self.codec, publish, self.term)
        return data + _HEAD.pack(MARK | rel) * self.marks


def _heads(rels: np.ndarray[tuple[int], np.dtype[np.uint16]], kind: int) -> Bytes2D:
    return (rels | np.uint16(kind)).astype(">u2").view(np.uint8).reshape(len(rels), 2)


def decode_segment(data: bytes, segment: int, entry_count: int, codec: MessageCodec) -> list[ByteChunk]:
    """Read a segment file into the longest runs.

    Returns:
        `SegmentRecords`s in file order. The 2-byte head of a publish record that the file's end cuts off is `RawBytes`
        (skipped, S90); a file of nothing but zero bytes is one `ZeroBytes`.

    Raises:
        IndexCorrupt: the broker would crash on it (S119).
    """
    return [chunk for _, chunk in scan_segment(data, segment, entry_count, codec)]


def scan_segment(
    data: bytes, segment: int, entry_count: int, codec: MessageCodec
) -> Iterator[tuple[int, ByteChunk]]:
    """Yield (offset in bytes, chunk) as `decode_segment` does, raising where the damage begins."""
    if data and not data[0] and data.count(0) == len(data):
        yield 0, ZeroBytes(len(data))
        return
    view = np.frombuffer(data, np.uint8)
    base = segment * entry_count
    publishing.number_by_position(_published_ids(data), codec)
    reader = publishing.PublishReader(data, codec)
    at = 0
    while at < len(data):
        if at + 1 == len(data):
            raise IndexCorrupt("stray_byte", at=at)
        head = _HEAD.unpack_from(data, at)[0]
        rel = head & REL_MASK
        kind = head & ~REL_MASK
        if not kind:
            raise IndexCorrupt("no_record_begins", found=f"{head:#06x}", at=at)
        if kind == MARK:
            run = SegmentRecords(base + rel, 1, None, _marks(data, at, rel), entry_count, codec)
            alike = True
        else:
            read = reader.read(at + 2, kind == PERSISTENT_PUBLISH)
            if read is None:
                yield at, RawBytes(bytes(data[at : at + 2]))
                at += 2
                continue
            marks = _marks(data, at + 2 + read.length, rel)
            run = SegmentRecords(base + rel, 1, read.publish, marks, entry_count, codec, read.term)
            alike = read.term is None
        if rel >= entry_count:
            raise IndexCorrupt("entry_too_high", entry=rel, at=at, entries=entry_count)
        if alike:
            run = _longest(data, view, at, run)
        yield at, run
        at += run.size_bytes


def _published_ids(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (entry, id) of each publish record up to the first that is none or not whole, in file order."""
    at = 0
    while at + MARK_BYTES <= len(data):
        head = _HEAD.unpack_from(data, at)[0]
        kind = head & ~REL_MASK
        at += MARK_BYTES
        if kind == MARK:
            continue
        if not kind or at + publishing.FIXED_BYTES > len(data):
            return
        yield head & REL_MASK, data[at : at + 16]
        length = data[at + publishing.SIZE_AT + 4 : at + publishing.FIXED_BYTES]
        at += publishing.FIXED_BYTES + int.from_bytes(length, "big")


def _marks(data: bytes, at: int, rel: int) -> int:
    mark = _HEAD.pack(MARK | rel)
    if data[at : at + 2] != mark:
        return 0
    return 2 if data[at + 2 : at + 4] == mark else 1


def _may_go_on(data: bytes, at: int, first: SegmentRecords) -> bool:
    """Return cheaply whether the entry at this offset can continue the one before it."""
    rel = first.start % first.entry_count
    publish = first.publish
    if publish is None:
        return rel > 0 and data[at : at + 2] == _HEAD.pack(MARK | (rel - 1))
    kind = PERSISTENT_PUBLISH if publish.persistent else TRANSIENT_PUBLISH
    if not rel or data[at : at + 2] != _HEAD.pack(kind | (rel - 1)):
        return False
    start, end, stride = at + 18, at + PUBLISH_BYTES, first.size_bytes  # what follows the id
    if data[start:end] != data[start - stride : end - stride]:
        return False
    if not 0 < publish.msg_no < FIRST_FOREIGN:
        return True
    return data[at + 2 : at + 18] == first.codec.id_bytes(publish.msg_no - 1)


def _longest(
    data: bytes, view: np.ndarray[tuple[int], np.dtype[np.uint8]], at: int, first: SegmentRecords
) -> SegmentRecords:
    """Return the longest descending run that begins with this entry."""
    publish, stride = first.publish, first.size_bytes
    if publish is not None and isinstance(publish.size_bytes, int):
        column = first.codec.column_of(publish.msg_no, publish.size_bytes)
        if column is not None:
            return _longest_unequal(data, view, at, first, publish, column)
    if not _may_go_on(data, at + stride, first):
        return first
    most = first.start % first.entry_count + 1
    ids_at = None
    pattern = first
    if publish is not None:
        if publish.msg_no >= FIRST_FOREIGN:
            ids_at = 2
            pattern = msgspec.structs.replace(first, publish=publishing.with_any_ids(publish))
        else:
            most = min(most, publish.msg_no + 1)

    def expected(skip: int, count: int) -> bytes:
        return pattern.part(1 - skip - count, count).encode()

    count = count_matching(view, at, stride, most, expected, ids_at)
    if ids_at is not None:
        count = publishing.number_foreign(view, at, stride, count, ids_at, first.codec, -1)
    end = at + count * stride
    if count > 1 and first.marks < 2:
        # The last one has a mark more than the others, so it begins the next run.
        last = first.start % first.entry_count - count + 1
        if view[end : end + 2].tobytes() == _HEAD.pack(MARK | last):
            count -= 1
    return first.part(1 - count, count)


def _written_entries(run: SegmentRecords) -> Iterator[bytes]:
    """Yield the entries of a run in the order of the file, block by block: mostly only the first are asked for."""
    for block in growing(run.count):
        yield from reversed(list(run.written(*block).each_entry()))


def _longest_unequal(
    data: bytes,
    view: np.ndarray[tuple[int], np.dtype[np.uint8]],
    at: int,
    first: SegmentRecords,
    publish: PublishRecord,
    column: Sizes,
) -> SegmentRecords:
    """Return the longest descending run of messages of a column, the first of which is this entry."""
    behind = at + first.size_bytes
    rel = first.start % first.entry_count
    kind = PERSISTENT_PUBLISH if publish.persistent else TRANSIENT_PUBLISH
    if (
        not rel
        or publish.msg_no == column.first
        or data[behind : behind + 2] != _HEAD.pack(kind | (rel - 1))
        or not publishing.may_be(data, behind + 2, publish, column.at(publish.msg_no - 1))
    ):
        # Often in a log of many kinds: nothing needs to be written for a comparison.
        return msgspec.structs.replace(first, publish=msgspec.structs.replace(publish, size_bytes=column))
    most = min(first.start % first.entry_count, publish.msg_no - column.first)
    lowest = msgspec.structs.replace(publish, msg_no=publish.msg_no - most, size_bytes=column)
    run = msgspec.structs.replace(first, start=first.start - most, count=most + 1, publish=lowest)
    stride = run.record_bytes
    if isinstance(stride, int):
        found = count_matching(
            view, at, stride, run.count, lambda skip, count: run.written(skip, count).encode()
        )
    else:
        found = count_alike(data, at, _written_entries(run))
    if found > 1 and first.marks < 2:
        end = at + run.written_bytes(found)
        last = first.start % first.entry_count - found + 1
        if data[end : end + 2] == _HEAD.pack(MARK | last):
            found -= 1  # the last one has a mark more than the others, so it begins the next run
    return run.written(0, max(1, found))
