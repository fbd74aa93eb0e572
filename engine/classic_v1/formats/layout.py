"""Records of the three kinds of files, field by field: what every byte of them means (S50-S64)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from engine.classic_v1.formats.journal import ACK, DELIVER, PERSISTENT, SEQ_MASK, TRANSIENT
from engine.classic_v1.formats.segment import MARK, PERSISTENT_PUBLISH, REL_MASK
from engine.formats.layout import FieldBits, FileField, FileLayout, FoundBytes, NoRecord, Read, term_fields
from engine.formats.store_records import MARKER

_SHARED = struct.Struct(">QII")
_SHARED_BYTES: Final = 32


def record_at(name: str, data: bytes, offset: int) -> FileLayout:
    """Return the record at an offset of a file. `name`: the file's name; its ending names its format.
    `offset`: of the record's first byte. Raises NoRecord: no whole record begins there, or the file is none
    of the three kinds.
    """
    part = data[offset:]
    if name.endswith(".idx"):
        return segment_record(part)
    if name == "journal.jif":
        return journal_record(part)
    if name.endswith(".rdq"):
        return store_record(part)
    raise NoRecord(f"{name} is neither a segment, nor a journal, nor a store file")


def segment_record(data: bytes, marks_before: int = 0) -> FileLayout:
    """Return a record of a segment file, with the deliver and ack records right behind it (S60, S61). `data`:
    bytes from the record on. `marks_before`: deliver and ack records of the same entry before this one.
    Raises NoRecord: the bytes are no whole record.
    """
    head = _first(data, 2, "a segment record")
    rel = head & REL_MASK
    if not head & ~REL_MASK:
        raise NoRecord(f"no segment record begins with {head:#06x}: its two highest bits are 0 (S60)")
    if head & ~REL_MASK == MARK:
        return FileLayout("mark", 2, (_mark(0, rel, marks_before),), rel)
    persistent = bool(head & ~REL_MASK == PERSISTENT_PUBLISH)
    words = _lasting(persistent)
    bits = (
        FieldBits("publish", 15, 15, 1, "publish"),
        FieldBits("persistent", 14, 14, int(persistent), words),
        FieldBits("rel", 13, 0, rel, f"entry {rel} of this segment"),
    )
    first = FileField("kind and entry", "head", 0, 2, f"publish, {words}, entry {rel}", "S61", 0, bits)
    shared, embedded = _shared(data, 2)
    fields = [first, *shared]
    at = 2 + _SHARED_BYTES + embedded
    seen = 0
    while seen < 2 and data[at : at + 2] == struct.pack(">H", MARK | rel):
        fields.append(_mark(at, rel, seen))
        seen += 1
        at += 2
    return FileLayout("publish", at, tuple(fields), rel, data[2:18], embedded)


def _mark(at: int, rel: int, before: int) -> FileField:
    which = "deliver" if before == 0 else "ack"
    bits = (
        FieldBits("mark", 15, 14, 1, "deliver the first time, ack the second"),
        FieldBits("rel", 13, 0, rel, f"entry {rel} of this segment"),
    )
    return FileField(which, "mark", at, 2, f"{which}, entry {rel}", "S66" if before == 0 else "S60", 0, bits)


def journal_record(data: bytes) -> FileLayout:
    """Return a record of the journal, with the deliver record right behind it (S62, S63). `data`: bytes from
    the record on. Raises NoRecord: the bytes are no whole record.
    """
    word = _first(data, 8, "a journal record")
    seq = word & SEQ_MASK
    kind = word & ~SEQ_MASK
    if kind not in (PERSISTENT, TRANSIENT):
        which = "deliver" if kind == DELIVER else "ack"
        return FileLayout(which, 8, (_journal_mark(0, word, which),), seq)
    if not any(data[:40]):
        raise NoRecord("40 zero bytes: the replay of a journal ends here (S114)")
    words = _lasting(kind == PERSISTENT)
    bits = (
        FieldBits("kind", 63, 62, kind >> 62, f"publish, {words}"),
        FieldBits("seq_id", 61, 0, seq, f"message {seq}"),
    )
    first = FileField("kind and seq_id", "head", 0, 8, f"publish, {words}, message {seq}", "S62", 0, bits)
    shared, embedded = _shared(data, 8)
    at = 8 + _SHARED_BYTES + embedded
    fields = [first, *shared]
    if data[at : at + 8] == struct.pack(">Q", DELIVER | seq):
        fields.append(_journal_mark(at, DELIVER | seq, "deliver"))
        at += 8
    return FileLayout("publish", at, tuple(fields), seq, data[8:24], embedded)


def _journal_mark(at: int, word: int, which: str) -> FileField:
    seq = word & SEQ_MASK
    bits = (FieldBits("kind", 63, 62, word >> 62, which), FieldBits("seq_id", 61, 0, seq, f"message {seq}"))
    return FileField(
        which, "mark", at, 8, f"{which}, message {seq}", "S66" if which == "deliver" else "S62", 0, bits
    )


def _shared(data: bytes, at: int) -> tuple[list[FileField], int]:
    """Return what publish records of both kinds share, and the length of the embedded term (S60, S62)."""
    if len(data) < at + _SHARED_BYTES:
        raise NoRecord("the file ends inside the publish record")
    expiry_us, size, embedded = _SHARED.unpack_from(data, at + 16)
    end = at + _SHARED_BYTES
    if len(data) < end + embedded:
        raise NoRecord("the file ends inside the embedded message")
    where = f"{embedded} bytes follow" if embedded else "0: the content is in a store"
    fields = [
        FileField("message id", "message id", at, 16, data[at : at + 16].hex(), "S56"),
        FileField("expiry", "expiry", at + 16, 8, f"at {expiry_us} us" if expiry_us else "none", "S64"),
        FileField("body size", "body size", at + 24, 4, f"{size} bytes", "S60"),
        FileField("embedded length", "embedded length", at + 28, 4, where, "S57"),
    ]
    if embedded:
        fields += term_fields(data[end : end + embedded], end)
    return fields, embedded


def store_record(data: bytes) -> FileLayout:
    """Return a record of a store file (S54). `data`: bytes from the record on. Raises NoRecord: the bytes are
    no whole record.
    """
    size = _first(data, 8, "a store record")
    if size < 16:
        raise NoRecord(f"a size of {size} has no room for the message id (S54)")
    if len(data) < size + 9:
        raise NoRecord(f"the record says {size + 9} bytes, but the file has {len(data)} from there on")
    marker = data[size + 8]
    meaning = (
        "255: the record is whole" if marker == MARKER else f"{marker} instead of 255: a broker skips this"
    )
    fields = (
        FileField("size", "size", 0, 8, f"{size} = 16 of the id + {size - 16} of the term", "S54"),
        FileField("message id", "message id", 8, 16, data[8:24].hex(), "S54"),
        *term_fields(data[24 : size + 8], 24),
        FileField("marker", "marker", size + 8, 1, meaning, "S54"),
    )
    return FileLayout("content", size + 9, fields, None, data[8:24])


def _first(data: bytes, count: int, what: str) -> int:
    if len(data) < count:
        raise NoRecord(f"the file ends before {what} can begin")
    return int.from_bytes(data[:count], "big")


def _lasting(persistent: bool) -> str:
    return "persistent" if persistent else "transient"


WINDOW_BYTES: Final = 64 * 1024
MOST_RECORDS: Final = 200_000
"""A search gives up after so many."""


class _Window:
    """Small reads out of large ones."""

    def __init__(self, read: Read, size: int) -> None:
        self._read, self.size = read, size
        self._at, self._data = 0, b""

    def take(self, offset: int, count: int) -> bytes:
        if not self._at <= offset or offset + count > self._at + len(self._data):
            self._at, self._data = offset, self._read(offset, max(count, WINDOW_BYTES))
        return self._data[offset - self._at : offset - self._at + count]


def records(name: str, read: Read, size: int) -> Iterator[FoundBytes]:
    """Yield the records of a file from front to back, up to where a broker would stop. `name`: the file's
    name; its ending names its format. `read`: returns some of its bytes. Raises NoRecord: the file is none of
    the three kinds.
    """
    window = _Window(read, size)
    if name.endswith(".idx"):
        return _segment(window)
    if name == "journal.jif":
        return _journal(window)
    if name.endswith(".rdq"):
        return _store(window)
    raise NoRecord(f"{name} is neither a segment, nor a journal, nor a store file")


def _segment(window: _Window) -> Iterator[FoundBytes]:
    at = 0
    while at + 2 <= window.size:
        head = int.from_bytes(window.take(at, 2), "big")
        kind, rel = head & ~REL_MASK, head & REL_MASK
        if kind == MARK:
            yield FoundBytes("mark", at, 2, rel, None)
            at += 2
        elif kind and at + 34 <= window.size:
            data = window.take(at, 34)
            size = 34 + int(struct.unpack_from(">I", data, 30)[0])
            yield FoundBytes("publish", at, size, rel, data[2:18])
            at += size
        else:
            return


def _journal(window: _Window) -> Iterator[FoundBytes]:
    at = 0
    while at + 8 <= window.size:
        word = int.from_bytes(window.take(at, 8), "big")
        kind, seq = word & ~SEQ_MASK, word & SEQ_MASK
        if kind in (DELIVER, ACK):
            yield FoundBytes("deliver" if kind == DELIVER else "ack", at, 8, seq, None)
            at += 8
            continue
        data = window.take(at, 40)
        if len(data) < 40 or not any(data):
            return
        size = 40 + int(struct.unpack_from(">I", data, 36)[0])
        yield FoundBytes("publish", at, size, seq, data[8:24])
        at += size


def _store(window: _Window) -> Iterator[FoundBytes]:
    at = 0
    while at + 25 <= window.size:
        data = window.take(at, 24)
        size = int.from_bytes(data[:8], "big")
        if size < 16 or at + size + 9 > window.size:
            return
        yield FoundBytes("content", at, size + 9, None, data[8:24])
        at += size + 9


def find_seq(name: str, read: Read, size: int, number: int, most: int = MOST_RECORDS) -> list[FoundBytes]:
    """Return all records of one message in a segment file or the journal, in file order. `read`: returns some
    of its bytes. `number`: the rel in a segment (S60), the seq_id in the journal (S62). `most`: records to
    look at before giving up.
    """
    steps = zip(range(most), records(name, read, size), strict=False)
    return [record for _, record in steps if record.number == number]


def find_id(name: str, read: Read, size: int, msg_id: bytes, most: int = MOST_RECORDS) -> FoundBytes | None:
    """Return the last record of a file that has this message id, or None. `read`: returns some of its bytes.
    `msg_id`: the 16 bytes. `most`: records to look at before giving up.
    """
    found = None
    for _, record in zip(range(most), records(name, read, size), strict=False):
        if record.msg_id == msg_id:
            found = record
    return found
