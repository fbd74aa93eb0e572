"""The dirty start: the index is built anew from references and files (S207, S209)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.classic_v1.formats.record import StoreRecords, decode_store
from engine.classic_v1.store.index_table import StoreIndexRow, row_at
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.tallies import FileTallies, one_more
from engine.formats.chunks import RawBytes
from engine.values.ranges import Range

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
    wanted = FileTallies()
    runs = ((each.start, each.count) if isinstance(each, Range) else each for each in references)
    for msg_no, count in sorted(runs):  # in this order each run is added at the end
        wanted.change(msg_no, count, one_more)
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


def _claim(wanted: FileTallies, file: int, low: int, run: StoreRecords) -> list[StoreIndexRow]:
    """Take the records that are wanted and have no place yet out of `wanted`; return their rows."""
    whole = row_at(run.msg_no, run.count, file, low, run.record_bytes, run.step)
    found = wanted.runs.remove(run.msg_no, run.count)
    return [whole.part(each.start - run.msg_no, each.count).with_refs(each.value) for each in found]


def scan(state: StoreState, number: int) -> tuple[list[tuple[int, StoreRecords]], int]:
    """Read a store file as the broker's scanner does (S209).

    Args:
        state: the store's tables.
        number: number of the file.

    Returns:
        (offset in bytes, records) ascending, in the longest runs, and the end of the last complete record.
    """
    codec = state.codec
    chunks = state.storage.read(state.path(number), lambda data: decode_store(data, codec))
    records: list[tuple[int, StoreRecords]] = []
    at = end = 0
    for chunk in chunks:
        if isinstance(chunk, StoreRecords):
            _append(records, at, chunk)
            end = at + chunk.size_bytes
        elif isinstance(chunk, RawBytes) and _complete(chunk.data):
            end = at + chunk.size_bytes
        else:
            break
        at += chunk.size_bytes
    return records, end


def _append(records: list[tuple[int, StoreRecords]], at: int, run: StoreRecords) -> None:
    """Add records to the longest runs of those before, as a reader of the bytes would.

    A ledger gives them as they were written, cut wherever a write ended; the tables must not depend on that.
    """
    if records:
        low, before = records[-1]
        step = before.step if before.count > 1 else _written(run, 0) - before.msg_no
        follows = abs(step) == 1 and _written(run, 0) == _written(before, before.count - 1) + step
        if follows and _alike(before, run):
            taken = run.count if run.count == 1 or run.step == step else 1
            first = min(before.msg_no, run.written(0, taken).msg_no)
            records[-1] = (low, replace(before, msg_no=first, count=before.count + taken, step=step))
            if taken == run.count:
                return
            at += run.written_bytes(taken)
            run = run.written(taken, run.count - taken)
    records.append((at, run))


def _written(run: StoreRecords, at: int) -> int:
    """Return the number of the message that was written as the run's `at`-th."""
    return run.msg_no + at if run.step > 0 else run.msg_no + run.count - 1 - at


def _alike(before: StoreRecords, run: StoreRecords) -> bool:
    """Return whether two runs differ in nothing but their messages' numbers."""
    return (
        before.term is None
        and run.term is None
        and (before.body_bytes, before.raw_persistent, before.template)
        == (run.body_bytes, run.raw_persistent, run.template)
    )


def _complete(data: bytes) -> bool:
    """Return whether skipped bytes are one complete record, with a wrong marker."""
    size = int.from_bytes(data[:SIZE_FIELD_BYTES], "big")
    return len(data) >= SIZE_FIELD_BYTES and size > 0 and size + 9 == len(data)
