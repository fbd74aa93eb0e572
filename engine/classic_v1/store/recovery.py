"""Starting and stopping a store (S200-S213)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import astuple, replace

from engine.backing_queue.stores import CLEAN, take_clean_stop
from engine.classic_v1.formats.record import RecordHead, decode_store
from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.state import FileRow, StoreState, row_at
from engine.formats.store_records import StoreRecords
from engine.report.transitions.queue import StoreRecovered
from engine.values.chunks import RawBytes
from engine.values.errors import InvariantBroken, StoreCorrupt
from engine.values.extents import StoreRow
from engine.values.sizes import plain, read_length
from engine.values.stretches import MessageTallies, Range, one_more


def disk(state: StoreState) -> list[tuple[int, int]]:
    """Return (number, bytes) of every store file on disk, by number."""
    names = state.storage.list(state.directory)
    numbers = sorted(int(name[:-4]) for name in names if name.endswith(".rdq"))
    return [(number, state.storage.size(state.path(number)) or 0) for number in numbers]


def verify(state: StoreState) -> None:
    """Check sums, links and places (S253). Raises InvariantBroken: one does not hold."""
    files = list(state.files)
    _same("sum_valid_data", state.files.sum_valid, sum(file.valid for file in files))
    _same("sum_file_size", state.files.sum_size, sum(file.file_size for file in files))
    _same("current file", state.files.current, files[-1].number)
    live: dict[int, int] = {}
    for row in state.index.rows:
        live[row.file] = live.get(row.file, 0) + (row.size_bytes if row.refs else 0)
    left: FileRow | None = None
    for file in files:
        _same(f"left of file {file.number}", file.left, None if left is None else left.number)
        if left is not None:
            _same(f"right of file {left.number}", left.right, file.number)
        left = file
        if not file.locked:
            _same(f"valid bytes of file {file.number}", file.valid, live.get(file.number, 0))
    current = files[-1]
    if state.started:
        _same("end of the current file", state.handle.virtual_offset, current.file_size)
    _same("right of the current file", current.right, None)
    _check_places(state)


def _check_places(state: StoreState) -> None:
    """Check that no two records overlap and that each lies inside its file."""
    ends: dict[int, int] = {}
    for row in sorted(state.index.rows, key=lambda row: (row.file, row.low)):
        if row.low < ends.get(row.file, 0):
            raise InvariantBroken(f"message {row.start} overlaps another record in file {row.file} (S253)")
        ends[row.file] = row.low + row.size_bytes
    for number, end in ends.items():
        file = state.files[number]
        if not file.locked and end > file.file_size:
            raise InvariantBroken(f"file {number} ends at {file.file_size}, its records at {end} (S253)")


def _same(what: str, kept: object, counted: object) -> None:
    if kept != counted:
        raise InvariantBroken(f"{what} is {kept!r} but should be {counted!r} (S253)")


SIZE_FIELD_BYTES = 8

_Records = StoreRecords | RecordHead
Reference = Range | tuple[int, int]
"""A run of message numbers: start and count."""


def rebuild(state: StoreState, numbers: Sequence[int], references: Iterable[Reference]) -> None:
    """Fill the tables from what queues refer to and what the files hold (S207). `state`: empty tables to
    fill. `numbers`: the store files on disk, ascending. `references`: runs that queues need, one reference
    for each time a message is in one.
    """
    wanted = MessageTallies()
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


def _claim(wanted: MessageTallies, file: int, low: int, run: _Records) -> list[StoreRow]:
    """Remove the records that are needed and have no place yet from `wanted`; return their rows."""
    whole = row_at(run.msg_no, run.count, file, low, run.record_bytes, run.step)
    found = wanted.runs.remove(run.msg_no, run.count)
    return [whole.part(each.start - run.msg_no, each.count).with_refs(each.value) for each in found]


def scan(state: StoreState, number: int) -> tuple[list[tuple[int, _Records]], int]:
    """Read a store file as the broker's scanner does (S209). Returns (offset in bytes, records) ascending, in the
    longest runs, and the end of the last complete record.
    """
    codec = state.codec
    chunks = state.storage.read(state.path(number), partial(decode_store, codec=codec, heads=True))
    records: list[tuple[int, _Records]] = []
    at = end = 0
    for chunk in chunks:
        if isinstance(chunk, StoreRecords | RecordHead):
            _append(records, at, chunk)
            end = at + chunk.size_bytes
        elif isinstance(chunk, RawBytes) and _complete(chunk.data):
            end = at + chunk.size_bytes
        else:
            break
        at += chunk.size_bytes
    return records, end


def _append(records: list[tuple[int, _Records]], at: int, run: _Records) -> None:
    """Add records to the longest runs of those before, as a reader of the bytes would. A ledger gives them as
    they were written, cut wherever a write ended; the tables must not depend on that.
    """
    low, before = records[-1] if records else (0, run)
    if records and isinstance(before, StoreRecords) and isinstance(run, StoreRecords):
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
    """Return whether two runs differ only in their messages' numbers."""
    return (
        before.term is None
        and run.term is None
        and (before.body_bytes, before.raw_persistent, before.template)
        == (run.body_bytes, run.raw_persistent, run.template)
    )


def _complete(data: bytes) -> bool:
    size = int.from_bytes(data[:SIZE_FIELD_BYTES], "big")
    return len(data) >= SIZE_FIELD_BYTES and size > 0 and size + 9 == len(data)


class CleanStop(msgspec.Struct, frozen=True):
    """What a clean stop leaves (S201). `refs`: names of the clients. `files`: (number, file_size, valid) by
    number. `rows`: the index, with entries that have no reference; bytes that differ are kept as on the wire.
    """

    refs: tuple[str, ...]
    files: tuple[tuple[int, int, int], ...]
    rows: tuple[tuple[int, int, int, int, int, int, int], ...]


def save(state: StoreState) -> None:
    """Write what a clean start needs (S201)."""
    files = tuple((file.number, file.file_size, file.valid) for file in state.files)
    stop = {"refs": sorted(state.refs), "files": files, "rows": _rows(state)}
    path = f"{state.directory}/{CLEAN}"
    tmp = f"{path}.tmp"
    state.storage.create(tmp)
    state.storage.append(tmp, [RawBytes(msgspec.json.encode(stop, enc_hook=plain))])
    state.storage.fsync(tmp)
    state.storage.rename(tmp, path)


def start_new(state: StoreState) -> None:
    """Erase the directory and begin with one empty file (S205)."""
    state.storage.delete_directory(state.directory)
    _open(state, 0, clean=False)


def start(
    state: StoreState,
    collector: GarbageCollector,
    refs: frozenset[str],
    references: Callable[[], Iterable[Reference]],
) -> bool:
    """Start on the files that are there; return whether cleanly (S206-S208). `state`: empty tables to fill.
    `collector`: asked to delete files without live records after a dirty start. `refs`, `references`: as of
    `MsgStore.start`.
    """
    stop = take_clean_stop(state.storage, state.directory, CleanStop)
    crashed = _append_tmp_files(state)
    on_disk = dict(disk(state))
    if (
        stop is not None
        and not crashed
        and stop.refs == tuple(sorted(refs))
        and all(on_disk.get(number) == size for number, size, _ in stop.files)
    ):
        for number, size, valid in stop.files:
            state.files.open(number, size, valid)
        for first, count, shares, place, at, each, step in stop.rows:
            state.index.insert(
                StoreRow(first, count, shares, place, at, read_length(state.codec.columns, each), step)
            )
        state.refs.update(refs)
        state.orphans = {n: size for n, size in on_disk.items() if n not in {f[0] for f in stop.files}}
        _open(state, state.files[state.files.current].file_size, clean=True)
        return True
    rebuild(state, sorted(on_disk), references())
    _open(state, state.files[state.files.current].file_size if len(state.files) else 0, clean=False)
    for file in list(state.files):
        collector.delete_if_empty(file.number)
    return False


def _append_tmp_files(state: StoreState) -> bool:
    """Append the leftovers of a crashed combination to its file (S206.1, S191); return whether there were any."""
    storage = state.storage
    names = [name for name in storage.list(state.directory) if name.endswith(".rdt")]
    for number in sorted(int(name[:-4]) for name in names):
        tmp, path = state.path(number, "rdt"), state.path(number)
        if storage.size(path) is None:
            raise StoreCorrupt("left_over_file", path=tmp, wanted=path)
        storage.copy(tmp, 0, storage.size(tmp) or 0, path)
        storage.fsync(path)
        storage.delete(tmp)
    return bool(names)


def _open(state: StoreState, offset: int, clean: bool) -> None:
    """Open the current file, cut it at `offset`, and report everything (S208)."""
    if not len(state.files):
        state.files.open(0)
    path = state.path(state.files.current)
    size = state.storage.size(path)
    if size is None:
        state.storage.create(path)
    elif size != offset:
        state.storage.truncate(path, offset)
    state.open_current()
    state.emit(
        StoreRecovered(
            "S208",
            state.name,
            clean,
            tuple(
                (
                    file.number,
                    file.file_size,
                    file.valid,
                    False,
                    state.storage.size(state.path(file.number)) or 0,
                )
                for file in state.files
            ),
            state.files.current,
            _rows(state),
            tuple(sorted(state.orphans.items())),
        )
    )


def _rows(state: StoreState) -> tuple[Any, ...]:
    return tuple(astuple(row) for row in state.index.rows)
