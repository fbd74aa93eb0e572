"""The dirty start: the index is built anew from references and files (S207, S209)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.formats.chunks import RawBytes
from engine.formats.record import StoreRun, decode_store
from engine.msg_store.index_table import Row, row_at
from engine.msg_store.state import StoreState
from engine.msg_store.tallies import Tallies
from engine.ranges import Range

SIZE_FIELD_BYTES = 8

Reference = Range | tuple[int, int]
"""A run of message numbers: start and count."""


def rebuild(state: StoreState, numbers: Sequence[int], references: Iterable[Reference]) -> None:
    """Fill the tables from what queues refer to and what the files hold (S207).

    Args:
        state: empty tables to fill.
        numbers: the store files on disk, ascending.
        references: runs that queues need, one reference for each time a message is in one.
    """
    wanted = Tallies()
    for each in references:
        msg_no, count = (each.start, each.count) if isinstance(each, Range) else each
        wanted.change(msg_no, count, _one_more)
    for number in numbers:
        records, end = scan(state, number)
        valid = valid_end = 0
        for low, run in reversed(records):
            for row in _claim(wanted, number, low, run):
                state.index.insert(row)
                valid += row.size_bytes
                valid_end = max(valid_end, row.low + row.size_bytes)
        last = number == numbers[-1]
        state.files.open(number, valid_end if last else end, valid)


def _claim(wanted: Tallies, file: int, low: int, run: StoreRun) -> list[Row]:
    """Take the records that are wanted and have no place yet out of `wanted`; return their rows."""
    whole = row_at(run.msg_no, run.count, file, low, run.record_bytes, run.step)
    found = wanted.runs.remove(run.msg_no, run.count)
    return [whole.part(each.start - run.msg_no, each.count).with_refs(each.value) for each in found]


def scan(state: StoreState, number: int) -> tuple[list[tuple[int, StoreRun]], int]:
    """Read a store file as the broker's scanner does (S209).

    Args:
        state: the store's tables.
        number: number of the file.

    Returns:
        (offset in bytes, records) ascending, and the end of the last complete record.
    """
    codec = state.codec
    chunks = state.storage.read(state.path(number), lambda data: decode_store(data, codec))
    records: list[tuple[int, StoreRun]] = []
    at = end = 0
    for chunk in chunks:
        if isinstance(chunk, StoreRun):
            records.append((at, chunk))
            end = at + chunk.size_bytes
        elif isinstance(chunk, RawBytes) and _complete(chunk.data):
            end = at + chunk.size_bytes
        else:
            break
        at += chunk.size_bytes
    return records, end


def _complete(data: bytes) -> bool:
    """Tell whether skipped bytes are one complete record, with a wrong marker."""
    size = int.from_bytes(data[:SIZE_FIELD_BYTES], "big")
    return len(data) >= SIZE_FIELD_BYTES and size > 0 and size + 9 == len(data)


def _one_more(value: int) -> int:
    return value + 1
