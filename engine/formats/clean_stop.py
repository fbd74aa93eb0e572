"""What a store leaves behind at a clean stop: `clean.dot` and the `.ets` dumps (S211, S212)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

import msgspec

from engine.formats import terms
from engine.formats.terms import ErlangAtom, Term, TermError

ETS_HEADER: Final = bytes.fromhex("0102030463584d0b")
ETS_MAGIC: Final = bytes.fromhex("62574c41")
END_OF_TABLE: Final = ErlangAtom("$end_of_table")
_COUNT: Final = ErlangAtom("count")

_LENGTH = struct.Struct(">I")


class CleanDot(msgspec.Struct, frozen=True):
    """The terms of `clean.dot`.

    Args:
        client_refs: ids of the queues that were clients.
        index_module: name of the index's module; None from 4.0 on, which has one alone (W132).
    """

    client_refs: tuple[bytes, ...]
    index_module: str | None


def read_clean_dot(data: bytes) -> CleanDot | None:
    """Read `clean.dot`, or return None when it is not as the broker writes it (S211).

    Args:
        data: the file.
    """
    text = data.decode("latin-1")
    refs = re.search(r"\{client_refs,\s*\[([\d<>,\s]*)\]\}\.", text)
    module = re.search(r"\{index_module,\s*(\w+)\}\.", text)
    if not refs:
        return None
    found = []
    for listed in re.findall(r"<<([\d,\s]*)>>", refs[1]):
        numbers = re.findall(r"\d+", listed)
        if any(len(number) > 3 or int(number) > 255 for number in numbers):
            return None
        found.append(bytes(map(int, numbers)))
    return CleanDot(tuple(found), module[1] if module else None)


class FileSummaryRow(msgspec.Struct, frozen=True):
    """One row of `file_summary.ets` (S131); left and right are None at the ends."""

    file: int
    valid_bytes: int
    left: int | None
    right: int | None
    file_bytes: int


class IndexRow(msgspec.Struct, frozen=True):
    """One row of `msg_store_index.ets` (S130)."""

    id16: bytes
    ref_count: int
    file: int
    offset: int
    record_bytes: int


def read_ets(data: bytes) -> list[Term]:
    """Return the rows of a table dump, without its description and its end (S212).

    Args:
        data: the file.

    Raises:
        TermError: it is not a dump, is cut off, or counts other rows than it holds.
    """
    items = list(_items(data))
    if not items:
        raise TermError("table_without_description")
    *rows, last = items[1:] or [None]
    match last:
        case [ErlangAtom() as mark, list(trailer)] if mark == END_OF_TABLE:
            if (_COUNT, len(rows)) not in trailer:
                raise TermError("table_counts_other_rows", count=len(rows), trailer=terms.shown(trailer))
        case _:
            raise TermError("table_without_end", count=len(rows))
    return rows


def _items(data: bytes) -> Iterator[Term]:
    if data[:8] != ETS_HEADER:
        raise TermError("no_table_dump", wanted=ETS_HEADER.hex(" "))
    at = 8
    while at < len(data):
        if at + 8 > len(data):
            raise TermError("table_cut_off", at=at)
        length = _LENGTH.unpack_from(data, at)[0]
        if data[at + 4 : at + 8] != ETS_MAGIC:
            raise TermError("no_table_item", at=at)
        if at + 8 + length > len(data):
            raise TermError("table_item_cut_off", at=at)
        yield terms.decode(data[at + 8 : at + 8 + length])
        at += 8 + length


def read_file_summary(data: bytes) -> list[FileSummaryRow]:
    """Read `file_summary.ets`, sorted by file number (S212).

    Raises:
        TermError: it cannot be read.
    """
    rows = []
    for row in read_ets(data):
        match row:
            case (
                ErlangAtom(),
                int(file),
                int(valid),
                left,
                right,
                int(size),
                ErlangAtom(),
                int() | ErlangAtom(),
            ) if _are_numbers(file, valid, size):
                rows.append(FileSummaryRow(file, valid, _number(left), _number(right), size))
            case _:
                raise TermError("no_row_of_file_summary", row=terms.shown(row))
    return sorted(rows, key=lambda row: row.file)


def read_index(data: bytes) -> list[IndexRow]:
    """Read `msg_store_index.ets`, sorted by id (S212).

    Raises:
        TermError: it cannot be read.
    """
    rows = []
    for row in read_ets(data):
        match row:
            case (ErlangAtom(), bytes(id16), int(refs), int(file), int(offset), int(size)) if _are_numbers(
                refs, file, offset, size
            ):
                rows.append(IndexRow(id16, refs, file, offset, size))
            case _:
                raise TermError("no_row_of_store_index", row=terms.shown(row))
    return sorted(rows, key=lambda row: row.id16)


def _are_numbers(*found: int) -> bool:
    """Return whether numbers are such as a broker has, and a page can show."""
    return all(0 <= each < terms.NUMBERS_END for each in found)


def _number(value: Term) -> int | None:
    return value if isinstance(value, int) and _are_numbers(value) else None
