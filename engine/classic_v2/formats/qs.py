"""Entries of `<n>.qs`: the bodies of a queue's small messages (W112)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final

import msgspec

from engine.formats.arrays import np
from engine.formats.chunks import RecordRun, count_matching
from engine.formats.message import FIRST_FOREIGN, MessageCodec
from engine.formats.terms import TermError
from engine.values.errors import EngineError
from engine.values.sizes import Each, Length, Sizes, total

ENTRY_HEADER_BYTES: Final = 8
ENTRY: Final = struct.Struct(">IBHB")
"""Size, flags, checksum, a zero."""


class EntryDamaged(EngineError):
    """An entry ends early, has another size or another checksum than it should, or holds no message (W117, W120)."""


class StoreEntries(RecordRun, frozen=True, eq=False):
    """Entries of consecutive message numbers, back to back (W112).

    Args:
        msg_no: number of the first message.
        body_bytes: body bytes of each message: one number, or a column.
        raw_persistent: the message's own delivery mode is 2.
        template: number of the term's template.
        checked: entries have a checksum.
        term: the very terms of another node's messages, back to back, all of one length.
        step: -1 where message numbers fall.
    """

    msg_no: int
    count: int
    body_bytes: Each
    raw_persistent: bool
    template: int
    checked: bool
    codec: MessageCodec
    term: bytes | None = None
    step: int = 1

    @property
    def record_bytes(self) -> Length:
        if self.term is not None:
            return len(self.term) // self.count + ENTRY_HEADER_BYTES
        term = self.codec.term_length(self.template, self.body_bytes, self.raw_persistent)
        return term + ENTRY_HEADER_BYTES

    def written_bytes(self, count: int) -> int:
        low = self.msg_no if self.step > 0 else self.msg_no - count + 1
        return total(self.record_bytes, low, count)

    def part(self, offset: int, count: int) -> StoreEntries:
        term = self.term
        if term is not None and count < self.count:
            each = len(term) // self.count
            term = term[offset * each : (offset + count) * each]
        return msgspec.structs.replace(self, msg_no=self.msg_no + offset * self.step, count=count, term=term)

    def turned(self) -> StoreEntries:
        last = self.msg_no + (self.count - 1) * self.step
        term = None if self.term is None else b"".join(reversed(self._foreign_terms()))
        return msgspec.structs.replace(self, msg_no=last, step=-self.step, term=term)

    def encode(self) -> bytes:
        """Return the bytes of the entries."""
        if self.term is not None:
            return b"".join(self._head(len(each), each) + each for each in self._foreign_terms())
        each, body_bytes = self.record_bytes, self.body_bytes
        if not isinstance(each, int) or not isinstance(body_bytes, int):
            return b"".join(self._each())
        if self.step < 0:
            turned = self.turned().encode()
            return b"".join(turned[at : at + each] for at in range(len(turned) - each, -1, -each))
        size = each - ENTRY_HEADER_BYTES
        rows = np.empty((self.count, size + ENTRY_HEADER_BYTES), np.uint8)
        rows[:, :ENTRY_HEADER_BYTES] = np.frombuffer(ENTRY.pack(size, self.checked, 0, 0), np.uint8)
        rows[:, ENTRY_HEADER_BYTES:] = self.codec.terms(
            self.msg_no, self.count, self.template, body_bytes, self.raw_persistent
        )
        if not self.checked:
            return rows.tobytes()
        data = bytearray(rows.tobytes())
        view = memoryview(data)
        for at in range(0, len(data), size + ENTRY_HEADER_BYTES):
            checksum = zlib.crc32(view[at + ENTRY_HEADER_BYTES : at + ENTRY_HEADER_BYTES + size]) & 0xFFFF
            data[at + 5] = checksum >> 8
            data[at + 6] = checksum & 0xFF
        return bytes(data)

    def _each(self) -> Iterator[bytes]:
        """Yield the entries of messages whose bodies differ."""
        sizes, low = self.body_bytes, min(self.msg_no, self.msg_no + (self.count - 1) * self.step)
        assert isinstance(sizes, Sizes)
        terms = list(self.codec.each_term(low, self.count, self.template, sizes, self.raw_persistent))
        for term in terms[:: self.step]:
            yield self._head(len(term), term)
            yield term

    def _foreign_terms(self) -> list[bytes]:
        """Return the terms of another node's messages."""
        term = self.term or b""
        each = len(term) // self.count
        return [term[at : at + each] for at in range(0, len(term), each)]

    def _head(self, size: int, term: bytes) -> bytes:
        return ENTRY.pack(size, self.checked, zlib.crc32(term) & 0xFFFF if self.checked else 0, 0)


def read_entry(data: bytes, at: int, term_bytes: int, codec: MessageCodec) -> StoreEntries:
    """Read one entry and check it, as the broker does (W117, W120).

    Args:
        at: offset of the entry's header.
        term_bytes: size that the index states.

    Raises:
        EntryDamaged: it cannot be read.
    """
    end = at + ENTRY_HEADER_BYTES + term_bytes
    if end > len(data):
        raise EntryDamaged(f"the entry at {at} ends early")
    size, flags, checksum, _ = ENTRY.unpack_from(data, at)
    if size != term_bytes:
        raise EntryDamaged(f"the entry at {at} has {size} bytes and not {term_bytes}")
    term = bytes(data[at + ENTRY_HEADER_BYTES : end])
    checked = bool(flags & 1)
    if checked and zlib.crc32(term) & 0xFFFF != checksum:
        raise EntryDamaged(f"the entry at {at} has another checksum")
    try:
        message = codec.read_term(term)
    except TermError as error:
        raise EntryDamaged(f"the entry at {at} holds no message: {error}") from None
    return StoreEntries(
        message.msg_no,
        1,
        message.size_bytes,
        message.raw_persistent,
        message.template,
        checked,
        codec,
        None if message.body_is_generated else term,
    )


def read_entries(
    data: bytes, at: int, term_bytes: int, count: int, codec: MessageCodec
) -> list[StoreEntries]:
    """Read entries that lie back to back into the longest runs; arguments and errors as in `read_entry`."""
    found: list[StoreEntries] = []
    stride = term_bytes + ENTRY_HEADER_BYTES
    view = np.frombuffer(data, np.uint8)
    while count:
        run = first = read_entry(data, at, term_bytes, codec)
        if run.term is None and count > 1:

            def rising(skip: int, more: int, first: StoreEntries = first) -> bytes:
                return first.part(skip, more).encode()

            most = min(count, FIRST_FOREIGN - run.msg_no)
            run = run.part(0, count_matching(view, at, stride, most, rising))
        elif run.term is not None and count > 1:
            run = _foreign_run(data, at, count, run, run.term)
        found.append(run)
        count -= run.count
        at += run.count * stride
    return found


def _foreign_run(data: bytes, at: int, count: int, first: StoreEntries, term: bytes) -> StoreEntries:
    """Return the longest run of another node's messages that begins with an entry: alike, and numbered one by
    one. `at`: offset of the entry's header. `count`: most entries of the run. `first`: the entry.
    """
    codec, shared = first.codec, first.codec.shared_places(term)
    if shared is None or first.msg_no < FIRST_FOREIGN:
        return first
    id_at, stride = shared[-1][0] - 16, len(term) + ENTRY_HEADER_BYTES
    same = [(begin, term[begin:end]) for begin, end in shared]
    size, flags, _checksum, zero = ENTRY.unpack_from(data, at)
    terms = [term]
    for begin in range(at + stride, at + count * stride, stride):
        each = bytes(data[begin + ENTRY_HEADER_BYTES : begin + stride])
        if len(each) < len(term) or not all(each.startswith(part, place) for place, part in same):
            break
        head = ENTRY.unpack_from(data, begin)
        checksum = zlib.crc32(each) & 0xFFFF if first.checked else head[2]
        if head != (size, flags, checksum, zero) or each.startswith(codec.id_prefix, id_at):
            break
        if codec.msg_no_of(each[id_at : id_at + 16]) != first.msg_no + len(terms):
            break
        terms.append(each)
    return msgspec.structs.replace(first, count=len(terms), term=b"".join(terms))
