"""The journal of the queue index: `journal.jif` (S62, S63, S114)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

import msgspec

from engine.classic_v1.formats import publishing
from engine.classic_v1.formats.publishing import PublishRecord
from engine.formats.arrays import np
from engine.formats.chunks import RecordRun, count_alike, count_matching
from engine.formats.message import FIRST_FOREIGN, MessageCodec, big_endian
from engine.values.chunks import ByteChunk, raw
from engine.values.sizes import Length, Sizes, total

Action = Literal["publish", "deliver", "ack", "publish_deliver", "deliver_ack"]

RECORDS: Final[dict[Action, tuple[Action, ...]]] = {
    "publish": ("publish",),
    "deliver": ("deliver",),
    "ack": ("ack",),
    "publish_deliver": ("publish", "deliver"),
    "deliver_ack": ("deliver", "ack"),
}
"""The records that an action writes for each seq_id, in their order."""

PERSISTENT, TRANSIENT, DELIVER, ACK = 0, 1 << 62, 2 << 62, 3 << 62
"""The kind is in the two highest bits of the first 8 bytes (S62, S63)."""
SEQ_MASK: Final = (1 << 62) - 1
MARK_BYTES: Final = 8
PUBLISH_BYTES: Final = 40
ENDING_ZEROS: Final = bytes(40)

WINDOW: Final = 2048
"""Marks that are looked at together: whether they are kept as records rather than as runs."""
SCATTERED: Final = 4
"""Fewer marks than so many in a run, on average, are scattered."""

NEIGHBOURS: Final = frozenset({1, -1, DELIVER - ACK, ACK - DELIVER - 1})
"""By how much a mark differs from the next one in a run: upwards, downwards, and two by two (V1)."""

_WORD = struct.Struct(">Q")
_WORD_MASK = (1 << 64) - 1


class JournalRecords(RecordRun, frozen=True, eq=False):
    """One action on consecutive seq_ids, one after the other (S62).

    Args:
        action: "publish", "deliver", "ack", or "publish_deliver" and "deliver_ack" for both records of each seq_id in
            turn (S66, V1).
        start: first seq_id.
        publish: contents of the publish records; None where there are none.
        term: the embedded term of another node's message; then `count` is 1.
        step: 1 when the lowest seq_id comes first; -1 when the highest does (one call's acks are gathered by consing;
            messages leave q3 for delta from its tail, Q49); a single record has step 1.
    """

    action: Action
    start: int
    count: int
    publish: PublishRecord | None
    codec: MessageCodec
    term: bytes | None = None
    step: int = 1

    def __post_init__(self) -> None:
        if self.count == 1 and self.step != 1:
            msgspec.structs.force_setattr(self, "step", 1)

    @property
    def record_bytes(self) -> Length:
        if self.publish is None:
            return MARK_BYTES * len(RECORDS[self.action])
        size = PUBLISH_BYTES + (MARK_BYTES if self.action == "publish_deliver" else 0)
        return publishing.embedded_bytes(self.codec, self.publish, self.term) + size

    @property
    def size_bytes(self) -> int:
        publish, count = self.publish, self.count
        if publish is None:
            return MARK_BYTES * len(RECORDS[self.action]) * count
        each = PUBLISH_BYTES + (MARK_BYTES if self.action == "publish_deliver" else 0)
        return publishing.total_bytes(self.codec, publish, self.term, count, each)

    def written_bytes(self, count: int) -> int:
        """Return the bytes of the records of the first `count` seq_ids in the order of writing."""
        first = 0 if self.publish is None else self.publish.msg_no
        return total(self.record_bytes, first if self.step > 0 else first + self.count - count, count)

    def part(self, offset: int, count: int) -> JournalRecords:
        """Return the records of `count` seq_ids beginning `offset` after `start`."""
        publish = self.publish.later(offset) if self.publish is not None else None
        return JournalRecords(
            self.action, self.start + offset, count, publish, self.codec, self.term, self.step
        )

    def written(self, skip: int, count: int) -> JournalRecords:
        """Return the records of `count` seq_ids in the order of writing, after the first `skip`."""
        return self.part(skip if self.step > 0 else self.count - skip - count, count)

    def encode(self) -> bytes:
        """Return the records as they lie in the file, in the order of writing."""
        publish = self.publish
        if self.action == "deliver_ack":
            marks = np.empty((self.count, 2 * MARK_BYTES), np.uint8)
            marks[:, :8] = big_endian(DELIVER | self.start, self.count)
            marks[:, -8:] = big_endian(ACK | self.start, self.count)
            return marks.tobytes()
        if publish is None:
            kind = DELIVER if self.action == "deliver" else ACK
            if self.count == 1:
                return _WORD.pack(kind | self.start)
            return big_endian(kind | self.start, self.count)[:: self.step].tobytes()
        record_bytes = self.record_bytes
        if not isinstance(record_bytes, int):
            return b"".join(list(self.each_record())[:: self.step])
        rows = np.empty((self.count, record_bytes), np.uint8)
        kind = PERSISTENT if publish.persistent else TRANSIENT
        rows[:, :8] = big_endian(kind | self.start, self.count)
        ids = self.codec.ids(publish.msg_no, self.count)
        publishing.fill_publish(rows, 8, self.codec, publish, ids, self.term)
        if self.action == "publish_deliver":
            rows[:, -8:] = big_endian(DELIVER | self.start, self.count)
        return rows[:: self.step].tobytes()

    def each_record(self) -> Iterator[bytes]:
        """Yield the records of each message where bodies differ and lie in them, ascending."""
        publish, pack = self.publish, _WORD.pack
        assert publish is not None
        kind = PERSISTENT if publish.persistent else TRANSIENT
        delivered = self.action == "publish_deliver"
        shared = publishing.each_publish(self.codec, publish, self.count)
        for seq, each in enumerate(shared, self.start):
            yield pack(kind | seq) + each + (pack(DELIVER | seq) if delivered else b"")


class JournalMarks(msgspec.Struct, frozen=True):
    """Delivers and acks in no order of seq_ids, as the records that they are: objects would take ten times as
    much. Only a reader of bytes makes them; what is written are runs (`JournalRecords`).
    """

    data: bytes

    @property
    def count(self) -> int:
        return len(self.data) // MARK_BYTES

    @property
    def size_bytes(self) -> int:
        return len(self.data)

    def words(self) -> Iterator[tuple[Action, int]]:
        for (word,) in _WORD.iter_unpack(self.data):
            yield ("ack" if word >= ACK else "deliver"), word & SEQ_MASK

    def encode(self) -> bytes:
        return self.data

    def cut(self, offset_bytes: int) -> tuple[Sequence[ByteChunk], Sequence[ByteChunk]]:
        """Split at a byte offset; what is cut inside a record is RawBytes on both sides."""
        begin = offset_bytes - offset_bytes % MARK_BYTES
        end = begin if begin == offset_bytes else begin + MARK_BYTES
        before, behind = JournalMarks(self.data[:begin]), JournalMarks(self.data[end:])
        inside = self.data[begin:end]
        at = offset_bytes - begin
        return (
            [*([before] if begin else ()), *raw(inside[:at])],
            [*raw(inside[at:]), *([behind] if behind.data else ())],
        )


def decode_journal(data: bytes, codec: MessageCodec) -> list[ByteChunk]:
    """Read a journal into the longest runs.

    Returns:
        `JournalRecords`s in file order, with `JournalMarks` where very many marks are scattered; what lies behind the
        place where the replay ends silently (S114) is a last `RawBytes` or `Zeros`.

    Raises:
        IndexCorrupt: an embedded message cannot be read.
    """
    return [chunk for _, chunk in scan_journal(data, codec)]


def scan_journal(data: bytes, codec: MessageCodec) -> Iterator[tuple[int, ByteChunk]]:
    """Yield (offset in bytes, chunk) as `decode_journal` does, raising where the damage begins."""
    view = np.frombuffer(data, np.uint8)
    at = tried = 0
    while len(data) - at >= MARK_BYTES and data[at : at + 40] != ENDING_ZEROS:
        if at >= tried:
            end, tried = _scattered(data, at)
            if end > at:
                yield at, JournalMarks(bytes(data[at:end]))
                at = end
                continue
        word = _WORD.unpack_from(data, at)[0]
        seq = word & SEQ_MASK
        kind = word & ~SEQ_MASK
        alike = True
        if kind == DELIVER and data[at + 8 : at + 32] == _ended_at_once(seq):
            run = JournalRecords("deliver_ack", seq, 1, None, codec)
        elif kind in (DELIVER, ACK):
            run = JournalRecords("deliver" if kind == DELIVER else "ack", seq, 1, None, codec)
        else:
            read = publishing.read_publish(data, at + 8, codec, kind == PERSISTENT)
            if read is None:
                break
            alike = read.term is None
            behind = at + 8 + read.length
            delivered = data[behind : behind + 8] == _WORD.pack(DELIVER | seq)
            action: Action = "publish_deliver" if delivered else "publish"
            run = JournalRecords(action, seq, 1, read.publish, codec, read.term)
        if alike:
            run = _longest(data, view, at, run)
        yield at, run
        at += run.size_bytes
    for chunk in raw(data[at:]):
        yield at, chunk


def _ended_at_once(seq: int) -> bytes:
    """Return what follows a deliver where this message and the next one are marked and ended, one call each (V1)."""
    return _WORD.pack(ACK | seq) + _WORD.pack(DELIVER | seq + 1) + _WORD.pack(ACK | seq + 1)


def _scattered(data: bytes, at: int) -> tuple[int, int]:
    """Return where marks end that are better kept as records than as runs, and from where on to look again.
    Each byte is looked at once or twice, whatever stands there.
    """
    end = at
    while len(data) - end >= WINDOW * MARK_BYTES:
        words = struct.unpack_from(f">{WINDOW}Q", data, end)
        if min(words) < DELIVER:
            break
        breaks = sum(one - other not in NEIGHBOURS for one, other in pairwise(words))
        if breaks * SCATTERED < WINDOW:
            break
        end += WINDOW * MARK_BYTES
    return end, end + WINDOW * MARK_BYTES


def _longest(
    data: bytes, view: np.ndarray[tuple[int], np.dtype[np.uint8]], at: int, first: JournalRecords
) -> JournalRecords:
    """Return the longest run that begins with this record; marks and equal messages also run downwards."""
    stride = first.record_bytes
    assert isinstance(stride, int)
    word = _WORD.unpack_from(data, at)[0]
    behind = data[at + stride : at + stride + 8]
    if first.start and behind == _WORD.pack(word - 1):
        return _longest_down(view, at, first)
    if behind != _WORD.pack(word + 1 & _WORD_MASK):
        return first
    if first.publish is not None and isinstance(first.publish.size_bytes, int):
        column = first.codec.column_of(first.publish.msg_no, first.publish.size_bytes)
        if column is not None:
            return _longest_unequal(data, view, at, first, first.publish, column)
    if first.publish is not None and data[at + 24 : at + 40] != data[at + stride + 24 : at + stride + 40]:
        return first  # another size or expiry
    most = SEQ_MASK - first.start + 1
    publish = first.publish
    ids_at = None
    pattern = first
    if publish is not None and publish.msg_no >= FIRST_FOREIGN:
        ids_at = 8
        pattern = msgspec.structs.replace(first, publish=publishing.with_any_ids(publish))

    def expected(skip: int, count: int) -> bytes:
        return pattern.part(skip, count).encode()

    count = count_matching(view, at, stride, most, expected, ids_at)
    if ids_at is not None:
        count = publishing.number_foreign(view, at, stride, count, ids_at, first.codec, 1)
    if count > 1 and first.action == "publish":
        # The last one is delivered at once, so it begins the next run.
        end = at + count * stride
        if view[end : end + 8].tobytes() == _WORD.pack(DELIVER | (first.start + count - 1)):
            count -= 1
    return first.part(0, count)


def _longest_unequal(
    data: bytes,
    view: np.ndarray[tuple[int], np.dtype[np.uint8]],
    at: int,
    first: JournalRecords,
    publish: PublishRecord,
    column: Sizes,
) -> JournalRecords:
    """Return the longest run of messages of a column, the first of which is this record."""
    most = column.first + len(column) - publish.msg_no
    run = msgspec.structs.replace(
        first, count=most, publish=msgspec.structs.replace(publish, size_bytes=column)
    )
    stride = run.record_bytes
    if isinstance(stride, int):
        found = count_matching(view, at, stride, most, lambda skip, count: run.part(skip, count).encode())
    else:
        found = count_alike(data, at, run.each_record())
    found = max(1, found)
    if found > 1 and first.action == "publish":
        end = at + run.written_bytes(found)
        if data[end : end + 8] == _WORD.pack(DELIVER | (first.start + found - 1)):
            found -= 1  # the last one is delivered at once, so it begins the next run
    return run.part(0, found)


def _longest_down(
    view: np.ndarray[tuple[int], np.dtype[np.uint8]], at: int, first: JournalRecords
) -> JournalRecords:
    """Return the longest run on seq_ids that become smaller: of marks, or of equal messages of this node."""
    most, publish = first.start + 1, first.publish
    stride = first.record_bytes
    assert isinstance(stride, int)
    if publish is not None:
        if publish.msg_no >= FIRST_FOREIGN or first.term is not None:
            return first
        most = min(most, publish.msg_no + 1)
        publish = publish.later(1 - most)
    start = first.start + 1 - most
    all_of_them = msgspec.structs.replace(first, start=start, count=most, publish=publish, step=-1)
    count = count_matching(
        view, at, stride, most, lambda skip, count: all_of_them.written(skip, count).encode()
    )
    return all_of_them.written(0, count)
