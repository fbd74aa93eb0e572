"""Finding a record without reading what is between: sizes lead from one to the next (S54, S60, S62)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from engine.classic_v1.formats.journal import ACK, DELIVER, SEQ_MASK
from engine.classic_v1.formats.segment import MARK, REL_MASK
from engine.formats.layout import FoundBytes, NoRecord, Read

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
    """Yield the records of a file from front to back, up to where a broker would stop.

    Args:
        name: the file's name; its ending names its format.
        read: returns some of its bytes.
        size: its length.

    Raises:
        NoRecord: the file is none of the three kinds.
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
    """Return all records of one message in a segment file or the journal, in file order.

    Args:
        name: the file's name.
        read: returns some of its bytes.
        size: its length.
        number: the rel in a segment (S60), the seq_id in the journal (S62).
        most: records to look at before giving up.
    """
    steps = zip(range(most), records(name, read, size), strict=False)
    return [record for _, record in steps if record.number == number]


def find_id(name: str, read: Read, size: int, msg_id: bytes, most: int = MOST_RECORDS) -> FoundBytes | None:
    """Return the last record of a file that has this message id, or None.

    Args:
        name: the file's name.
        read: returns some of its bytes.
        size: its length.
        msg_id: the 16 bytes.
        most: records to look at before giving up.
    """
    found = None
    for _, record in zip(range(most), records(name, read, size), strict=False):
        if record.msg_id == msg_id:
            found = record
    return found
