"""What segment and journal publish records share: 32 bytes and the embedded term (S60, S62)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import msgspec

from engine.formats.arrays import Bytes2D, np
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.formats.terms import TermError
from engine.values.errors import IndexCorrupt
from engine.values.sizes import FRAMED, Each, Length, Sizes
from engine.values.sizes import at as one_of


class PublishRecord(msgspec.Struct, frozen=True):
    """Contents of the publish records of a run of index entries (S60, S62).

    A record of a message that is in a store does not contain the message's own delivery mode nor its template; such a
    publish takes `persistent` for the one and 0 for the other, so that a file read back equals what was written.

    Args:
        msg_no: number of the first entry's message; the others follow one by one.
        size_bytes: body bytes of each: one number, or a column.
        expiry_us: absolute microseconds, 0 for never.
        persistent: queue durable and message persistent.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
    """

    msg_no: int
    size_bytes: Each
    expiry_us: int = 0
    persistent: bool = True
    embedded: bool = False
    raw_persistent: bool = True
    template: int = 0

    def __post_init__(self) -> None:
        """Forget what the record of a message in a store cannot contain."""
        if not self.embedded and (self.template or self.raw_persistent != self.persistent):
            msgspec.structs.force_setattr(self, "template", 0)
            msgspec.structs.force_setattr(self, "raw_persistent", self.persistent)

    def later(self, offset: int) -> PublishRecord:
        """Return the same for the entries that begin `offset` messages on."""
        if not offset:
            return self
        return PublishRecord(
            self.msg_no + offset,
            self.size_bytes,
            self.expiry_us,
            self.persistent,
            self.embedded,
            self.raw_persistent,
            self.template,
        )


FIXED_BYTES: Final = 32
"""Id, expiry, body size and length of the embedded term."""
_NO_TERM: Final = bytes(4)
SIZE_AT: Final = 24
"""Where in them the body size stands."""

SAMPLE_NUMBER: Final = 1 << 40
"""A message number far from both ends, for records whose ids are not compared."""

_FIXED = struct.Struct(">QII")


def embedded_bytes(codec: MessageCodec, publish: PublishRecord, term: bytes | None) -> Length:
    """Return the length of each embedded term, 0 when the message is in a store. `term`: the very bytes of
    another node's message, or None.
    """
    if not publish.embedded:
        return 0
    if term is not None:
        return len(term)
    return codec.term_length(publish.template, publish.size_bytes, publish.raw_persistent)


def total_bytes(
    codec: MessageCodec, publish: PublishRecord, term: bytes | None, count: int, besides: int
) -> int:
    """Return the bytes of `count` publish records; other arguments as for `embedded_bytes`. `besides`: bytes
    of each record besides its embedded term.
    """
    sizes = publish.size_bytes
    if not publish.embedded:
        return besides * count
    if term is not None:
        return (besides + len(term)) * count
    if isinstance(sizes, int):
        return (besides + codec.term_bytes(publish.template, sizes, publish.raw_persistent)) * count
    bare = besides + codec.term_bytes(publish.template, 0, publish.raw_persistent)
    return bare * count + sizes.total(publish.msg_no, count, FRAMED)


def each_publish(codec: MessageCodec, publish: PublishRecord, count: int) -> Iterator[bytes]:
    """Yield the shared part of the publish records of messages whose bodies differ and lie in them,
    ascending. `codec`: encodes the terms. `publish`: contents of the publish records, of the first message.
    `count`: how many.
    """
    sizes, first, expiry_us = publish.size_bytes, publish.msg_no, publish.expiry_us
    assert isinstance(sizes, Sizes)
    pack, prefix = _FIXED.pack, codec.id_prefix
    own = sizes.of(first, count)
    terms = codec.each_term(first, count, publish.template, sizes, publish.raw_persistent)
    for number, size, term in zip(range(first, first + count), own, terms, strict=True):
        yield prefix + number.to_bytes(8, "big") + pack(expiry_us, size, len(term)) + term


def fill_publish(
    rows: Bytes2D,
    at: int,
    codec: MessageCodec,
    publish: PublishRecord,
    ids: Bytes2D,
    term: bytes | None,
    step: int = 1,
) -> None:
    """Write the shared part of publish records that are equally long into a table, a record a row.

    Args:
        rows: the table; its rows are in the order of `ids`.
        at: column of the id.
        publish: contents of the publish records, of the message with the lowest number.
        ids: 16 id bytes a row.
        term: the very bytes of another node's message, or None.
        step: 1 where the lowest number comes first, -1 where the highest does.
    """
    length, size_bytes = embedded_bytes(codec, publish, term), publish.size_bytes
    rows[:, at : at + 16] = ids
    if isinstance(size_bytes, Sizes):
        assert length == 0, "unequal bodies in the index make records of unequal length"
        rows[:, at + 16 : at + FIXED_BYTES] = np.frombuffer(_FIXED.pack(publish.expiry_us, 0, 0), np.uint8)
        own = size_bytes.of(publish.msg_no, len(ids))[::step]
        table = np.frombuffer(struct.pack(f">{len(own)}I", *own), np.uint8).reshape(len(own), 4)
        rows[:, at + SIZE_AT : at + SIZE_AT + 4] = table
        return
    assert isinstance(length, int)
    fixed = _FIXED.pack(publish.expiry_us, size_bytes, length)
    rows[:, at + 16 : at + FIXED_BYTES] = np.frombuffer(fixed, np.uint8)
    if not publish.embedded:
        return
    if term is not None:
        rows[:, at + FIXED_BYTES : at + FIXED_BYTES + length] = np.frombuffer(term, np.uint8)
    else:
        layout = codec.layout(publish.template, size_bytes, publish.raw_persistent)
        codec.fill(rows, at + FIXED_BYTES, layout, ids)


def one_publish(codec: MessageCodec, publish: PublishRecord, term: bytes | None) -> bytes:
    """Return the shared part of one publish record: what `fill_publish` writes into a table of one row."""
    own = codec.id_bytes(publish.msg_no)
    size_bytes = one_of(publish.size_bytes, publish.msg_no)
    if not publish.embedded:
        term = b""
    elif term is None:
        term = codec.one(own, publish.template, size_bytes, publish.raw_persistent)
    return own + _FIXED.pack(publish.expiry_us, size_bytes, len(term)) + term


class ReadPublish(msgspec.Struct, frozen=True):
    """The shared part of one publish record. `term`: the embedded term where the codec would not write the
    same, else None. `length`: bytes read.
    """

    publish: PublishRecord
    term: bytes | None
    length: int


def read_publish(
    data: bytes | memoryview, at: int, codec: MessageCodec, persistent: bool
) -> ReadPublish | None:
    """Read the shared part of a publish record.

    Args:
        at: offset of the id.
        persistent: the flag that stands before this part.

    Returns:
        None when the file ends inside it.

    Raises:
        IndexCorrupt: the embedded term is no message, or has another id (S60).
    """
    end = at + FIXED_BYTES
    if end > len(data):
        return None
    id16 = bytes(data[at : at + 16])
    expiry_us, size_bytes, length = _FIXED.unpack_from(data, at + 16)
    if end + length > len(data):
        return None
    if not length:
        publish = PublishRecord(
            codec.msg_no_of(id16), size_bytes, expiry_us, persistent, False, persistent, 0
        )
        return ReadPublish(publish, None, FIXED_BYTES)
    term = bytes(data[end : end + length])
    try:
        message = codec.read_term(term)
    except TermError as error:
        raise IndexCorrupt("embedded_unreadable", at=end, why=error) from None
    if codec.id_bytes(message.msg_no) != id16:
        raise IndexCorrupt("embedded_other_id", at=end)
    publish = PublishRecord(
        message.msg_no, size_bytes, expiry_us, persistent, True, message.raw_persistent, message.template
    )
    generated = message.body_is_generated and message.size_bytes == size_bytes
    return ReadPublish(publish, None if generated else term, FIXED_BYTES + length)


class PublishReader:
    """Reads the shared parts of the publish records of a file: another node's message by what differs from the last."""

    def __init__(self, data: bytes, codec: MessageCodec) -> None:
        self._data = data
        self._codec = codec
        self._last: ReadPublish | None = None
        self._fixed = b""
        self._places: tuple[tuple[int, int], ...] | None = None
        self._shared: list[tuple[bytes, int]] = []

    def read(self, at: int, persistent: bool) -> ReadPublish | None:
        """Read the shared part at an offset; as `read_publish`."""
        data, last = self._data, self._last
        if last is not None and data[at + 16 : at + FIXED_BYTES] == self._fixed:
            found = self._read_alike(last, bytes(data[at : at + last.length]), persistent)
            if found is not None:
                return found
        found = read_publish(data, at, self._codec, persistent)
        self._last = self._places = None
        if found is not None and found.term is not None and found.publish.msg_no >= FIRST_FOREIGN:
            self._last, self._fixed = found, data[at + 16 : at + FIXED_BYTES]
        return found

    def _read_alike(self, last: ReadPublish, part: bytes, persistent: bool) -> ReadPublish | None:
        """Read what differs from the last in body and id alone; None where more does."""
        if self._places is None:
            term = last.term or b""
            self._places = self._codec.shared_places(term) or ()
            self._shared = [(term[begin:end], begin + FIXED_BYTES) for begin, end in self._places]
        id16, known = part[:16], last.publish
        if (
            not self._places
            or len(part) != last.length
            or known.persistent != persistent
            or not part.startswith(id16, self._places[-1][0] - 16 + FIXED_BYTES)
            or id16.startswith(self._codec.id_prefix)
        ):
            return None
        for each, place in self._shared:
            if not part.startswith(each, place):
                return None
        publish = PublishRecord(
            self._codec.msg_no_of(id16),
            known.size_bytes,
            known.expiry_us,
            persistent,
            True,
            known.raw_persistent,
            known.template,
        )
        return ReadPublish(publish, part[FIXED_BYTES:], last.length)


def number_by_position(ids: Iterator[tuple[int, bytes]], codec: MessageCodec) -> None:
    """Give the ids of another node numbers in the order of positions, which a segment has the other way
    round. So messages that are alike follow one another in both, and the queue has them as one. `ids`:
    (position, id) of each message; no more than two are read where the first has a number already, or where
    positions ascend, so that reading in file order numbers them. `codec`: gives the numbers.
    """
    first, second = next(ids, None), next(ids, None)
    if first is None or second is None or first[0] < second[0] or codec.has_number(first[1]):
        return
    for _position, each in sorted((first, second, *ids)):
        codec.msg_no_of(each)


def may_be(data: bytes | memoryview, at: int, publish: PublishRecord, size_bytes: int) -> bool:
    """Return cheaply whether the shared part at an offset has a body of so many bytes where `publish` has its own."""
    size_at = at + SIZE_AT
    embedded = data[size_at + 4 : size_at + 8] != _NO_TERM
    return embedded == publish.embedded and data[size_at : size_at + 4] == size_bytes.to_bytes(4, "big")


def with_any_ids(publish: PublishRecord) -> PublishRecord:
    """Return the same with numbers that the codec can encode, where ids will not be compared."""
    return msgspec.structs.replace(publish, msg_no=SAMPLE_NUMBER)


def number_foreign(
    data: Bytes2D, at: int, stride: int, count: int, ids_at: int, codec: MessageCodec, step: int
) -> int:
    """Number the ids of equal records, and count those from the first whose numbers follow one another.

    Args:
        at: offset of the first record in bytes.
        stride: bytes of each record.
        ids_at: column of the id.
        codec: gives the numbers, in ascending order of the entries.
        step: 1 when the entries ascend in the file, -1 when they descend.
    """
    rows = data[at : at + count * stride].reshape(count, stride)[:, ids_at : ids_at + 16]
    joined = rows[::step].tobytes()
    numbers = [codec.msg_no_of(joined[at : at + 16]) for at in range(0, 16 * count, 16)][::step]
    for place in range(1, count):
        if numbers[place] != numbers[0] + step * place:
            return place
    return count
