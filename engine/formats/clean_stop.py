"""What a stop in order leaves for the next start: `clean.dot`, `.ets`, `recovery.dets` (S94, S211, S212)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final, TypeGuard

import msgspec

from engine.formats import terms
from engine.formats.terms import ErlangAtom, Term, TermError

MAGIC: Final = b"\x00\xab\xcd\xef"
ACTIVE: Final = b"\x12\x34\x56\x78"
"""The mark of a bucket that holds objects, behind its size."""
MOST_BYTES: Final = 1 << 20
"""Of one queue's terms: those of ten thousand segments take a tenth of it."""
MOST_WASTED_BYTES: Final = 4 << 20
"""Of what looked like terms and was none; then the rest is not looked at."""

_SIZE = struct.Struct(">I")


class RecoveryTerms(msgspec.Struct, frozen=True):
    """One queue's.

    Args:
        segments: number and live messages of each segment in the index's map.
        version: of the index, 1 or 2 (W94).
        delivered_below: messages before this one have been delivered; None in terms without it.
        counted: messages whose deliveries are counted, as 4.3 does, with how often (W42).
        delivered_by: which of `next_deliver_seq_id` (up to 4.0) and `redeliver_seq_id` they have.
        next_seq_id: position of the next message; None in terms without it.
        persistent_count, persistent_bytes: persistent messages that it holds.
        persistent_ref: by which it is known to the persistent store.
    """

    segments: tuple[tuple[int, int], ...]
    persistent_count: int
    persistent_ref: bytes
    version: int = 1
    delivered_below: int | None = None
    counted: dict[int, int] = {}
    delivered_by: str = "next_deliver_seq_id"
    next_seq_id: int | None = None
    persistent_bytes: int = 0


def read_recovery_terms(data: bytes) -> dict[str, RecoveryTerms] | None:
    """Return the terms by the queues' directories; None where the file is not such a table."""
    if data[4:8] != MAGIC:
        return None
    found: dict[str, RecoveryTerms] = {}
    wasted = 0
    for each in _objects(data):
        try:
            known = _terms_of(terms.decode(each))
        except TermError:
            known = None
        if known is not None:
            found[known[0]] = known[1]
            continue
        wasted += len(each)
        if wasted > MOST_WASTED_BYTES:
            break
    return found


def _objects(data: bytes) -> Iterator[bytes]:
    at = data.find(ACTIVE)
    while at >= 0:
        end = at - 4 + _SIZE.unpack_from(data, at - 4)[0]
        place = at + 4
        while place + 4 <= min(end, len(data)):
            (size,) = _SIZE.unpack_from(data, place)
            if not 4 < size <= MOST_BYTES or place + size > end:
                break
            yield data[place + 4 : place + size]
            place += size
        at = data.find(ACTIVE, max(at + 4, min(place, len(data))))


def _terms_of(found: Term) -> tuple[str, RecoveryTerms] | None:
    match found:
        case (list(name), list(listed)) if all(isinstance(sign, int) and 32 < sign < 127 for sign in name):
            directory = "".join(chr(sign) for sign in name if isinstance(sign, int))
        case _:
            return None
    values = {
        str(each[0]): each[1]
        for each in listed
        if isinstance(each, tuple) and len(each) == len(("key", "value")) and isinstance(each[0], ErlangAtom)
    }
    version, segments = 1, values.get("segments")
    match values.get("v2_index_state"):
        case (int(), terms.OpaqueTerm() as mapped):
            version, segments = 2, [*terms.pairs_of(mapped)]
    count, ref = (values.get(key) for key in ("persistent_count", "persistent_ref"))
    if not isinstance(segments, list) or not _is_number(count) or not isinstance(ref, bytes):
        return None
    pairs = tuple(each for each in segments if isinstance(each, tuple))
    if any(len(each) != len(("segment", "unacked")) or not all(map(_is_number, each)) for each in pairs):
        return None
    by = "redeliver_seq_id" if "redeliver_seq_id" in values else "next_deliver_seq_id"
    below, following, size = (values.get(key) for key in (by, "next_seq_id", "persistent_bytes"))
    counts = values.get("delivery_count")
    times = terms.pairs_of(counts) if isinstance(counts, terms.OpaqueTerm) else []
    return directory, RecoveryTerms(
        segments=pairs,
        persistent_count=count,
        persistent_ref=ref,
        version=version,
        delivered_below=_number(below),
        counted={key: many for key, many in times if _is_number(key) and _is_number(many)},
        delivered_by=by,
        next_seq_id=_number(following),
        persistent_bytes=_number(size) or 0,
    )


def _is_number(found: Term) -> TypeGuard[int]:
    """Return whether this is a number such as a broker has, and a page can show."""
    return isinstance(found, int) and 0 <= found < terms.NUMBERS_END


ETS_HEADER: Final = bytes.fromhex("0102030463584d0b")
ETS_MAGIC: Final = bytes.fromhex("62574c41")
END_OF_TABLE: Final = ErlangAtom("$end_of_table")
_COUNT: Final = ErlangAtom("count")


class CleanDot(msgspec.Struct, frozen=True):
    """The terms of `clean.dot`. `client_refs`: ids of the queues that were clients. `index_module`: name of
    the index's module; None from 4.0 on, which has one alone (W132).
    """

    client_refs: tuple[bytes, ...]
    index_module: str | None


def read_clean_dot(data: bytes) -> CleanDot | None:
    """Read `clean.dot`, or return None when it is not as the broker writes it (S211)."""
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
    """Return the rows of a table dump, without its description and its end (S212). Raises TermError: it is
    not a dump, is cut off, or counts other rows than it holds.
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
        length = _SIZE.unpack_from(data, at)[0]
        if data[at + 4 : at + 8] != ETS_MAGIC:
            raise TermError("no_table_item", at=at)
        if at + 8 + length > len(data):
            raise TermError("table_item_cut_off", at=at)
        yield terms.decode(data[at + 8 : at + 8 + length])
        at += 8 + length


def read_file_summary(data: bytes) -> list[FileSummaryRow]:
    """Read `file_summary.ets`, sorted by file number (S212). Raises TermError: it cannot be read."""
    rows = []
    for row in read_ets(data):
        match row:
            case (ErlangAtom(), file, valid, left, right, size, ErlangAtom(), int() | ErlangAtom()) if all(
                map(_is_number, (file, valid, size))
            ):
                rows.append(FileSummaryRow(file, valid, _number(left), _number(right), size))
            case _:
                raise TermError("no_row_of_file_summary", row=terms.shown(row))
    return sorted(rows, key=lambda row: row.file)


def read_index(data: bytes) -> list[IndexRow]:
    """Read `msg_store_index.ets`, sorted by id (S212). Raises TermError: it cannot be read."""
    rows = []
    for row in read_ets(data):
        match row:
            case (ErlangAtom(), bytes(id16), *numbers) if len(numbers) == 4 and all(map(_is_number, numbers)):
                rows.append(IndexRow(id16, *numbers))
            case _:
                raise TermError("no_row_of_store_index", row=terms.shown(row))
    return sorted(rows, key=lambda row: row.id16)


def _number(value: Term) -> int | None:
    return value if _is_number(value) else None
