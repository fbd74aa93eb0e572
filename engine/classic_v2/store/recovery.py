"""Starting and stopping a shared store (W99, W150, W192)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeGuard

import msgspec
from msgspec.structs import astuple

from engine.backing_queue.stores import CLEAN, take_clean_stop
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.formats.rdq import scan
from engine.classic_v2.store.state import V2FileRow, V2StoreState
from engine.classic_v2.store.writer import delete_if_empty, work
from engine.formats.store_records import StoreRecords
from engine.values.chunks import ByteChunk, RawBytes
from engine.values.extents import StoreRow
from engine.values.sizes import equal
from engine.values.stretches import Stretches

Reference = tuple[int, int]
"""Messages to which an index refers once: the number of the first, and how many (W99)."""


class V2CleanStop(msgspec.Struct, frozen=True):
    """What a clean stop leaves. `refs`: names of the clients. `files`: (number, size, valid) by number.
    `rows`: the index, with rows that have no reference.
    """

    refs: tuple[str, ...]
    files: tuple[tuple[int, int, int], ...]
    rows: tuple[tuple[int, int, int, int, int, int], ...]


def save(state: V2StoreState) -> None:
    """Write what a clean start needs."""
    stop = V2CleanStop(
        tuple(sorted(state.refs)),
        tuple((each.number, each.size, each.valid) for each in state.files.values()),
        tuple(astuple(one)[:6] for row in state.rows for one in row.equal_parts()),
    )
    path = f"{state.directory}/{CLEAN}"
    state.storage.create(path)
    state.storage.append(path, [RawBytes(msgspec.json.encode(stop))])
    state.storage.fsync(path)


def start_new(state: V2StoreState) -> None:
    """Erase the directory and begin with one empty file."""
    state.storage.delete_directory(state.directory)
    state.open_next(0)
    state.report_start(clean=False)


def start(state: V2StoreState, refs: frozenset[str], references: Callable[[], Iterable[Reference]]) -> bool:
    """Start on the files that are there; return whether the start is clean (W150)."""
    stop = take_clean_stop(state.storage, state.directory, V2CleanStop)
    names = [name for name in state.storage.list(state.directory) if name.endswith(".rdq")]
    numbers = sorted(int(name[:-4]) for name in names if name[:-4].isdecimal())
    if stop is not None and stop.refs == tuple(sorted(refs)):
        for number, size, valid in stop.files:
            state.files[number] = V2FileRow(number, valid, size)
        state.rows.insert_all(StoreRow(*row) for row in stop.rows)
        state.refs.update(refs)
        state.current = max(state.files)
        _cut(state, state.files[state.current].size)
        state.report_start(clean=True)
        return True
    known = _counted(state, references())
    for number in numbers:
        _scan_file(state, number, known)
    if not numbers:
        state.open_next(0)
        state.report_start(clean=False)
        return False
    state.current = numbers[-1]
    _cut(state, state.files[state.current].size)
    state.report_start(clean=False)
    for number in numbers:
        delete_if_empty(state, number)
    while work(state):
        pass
    return False


def _cut(state: V2StoreState, size: int) -> None:
    """Open the current file, cut behind its last record."""
    path = state.path(state.current)
    if state.storage.size(path) is None:
        state.storage.create(path)
    state.storage.truncate(path, size)
    state.offset = size


def _counted(state: V2StoreState, references: Iterable[Reference]) -> Stretches[StoreRow]:
    """Return a row without a file for each message that an index refers to, with its count (W99, W192)."""
    first = 2 if state.settings.counts_references_twice else 1
    known: Stretches[StoreRow] = Stretches()
    for start, count in references:
        at = start
        end = start + count
        for row in known.remove(start, count):
            if row.start > at:
                known.insert(StoreRow(at, row.start - at, first, -1, 0, 0))
            known.insert(row.with_refs(row.refs + 1))
            at = row.end
        if at < end:
            known.insert(StoreRow(at, end - at, first, -1, 0, 0))
    return known


def _scan_file(state: V2StoreState, number: int, known: Stretches[StoreRow]) -> None:
    """Enter the records of one file that an index refers to and no earlier file had (W150)."""
    file = state.files[number] = V2FileRow(number)
    path = state.path(number)
    chunks = state.storage.read(path, _as_bytes)
    if any(_is_own(chunk) for chunk in chunks) and not any(
        getattr(chunk, "plain", False) for chunk in chunks
    ):
        offset = 0
        for chunk in chunks:
            if _is_own(chunk):
                run = StoreRow(chunk.msg_no, chunk.count, 1, number, offset, chunk.record_bytes)
                for row in run.equal_parts():
                    size = equal(row.record_bytes)
                    _enter_run(state, file, known, row.start, row.count, row.offset, size)
            offset += chunk.size_bytes
        return
    data = chunks[0].encode() if len(chunks) == 1 else b"".join(chunk.encode() for chunk in chunks)

    def accept(id16: bytes, total: int, offset: int) -> bool:
        number = state.codec.msg_no_of(id16)
        return _enter_run(state, file, known, number, 1, offset, total)

    for _ in scan(data, accept, state.settings.scan_stops_early):
        pass


def _is_own(chunk: ByteChunk) -> TypeGuard[StoreRecords]:
    """Return whether a chunk was written by 4.x; what 3.x wrote is scanned."""
    return isinstance(chunk, StoreRecords) and isinstance(chunk.codec, McCodec)


def _as_bytes(data: bytes) -> list[ByteChunk]:
    return [RawBytes(data)] if data else []


def _enter_run(
    state: V2StoreState,
    file: V2FileRow,
    known: Stretches[StoreRow],
    msg_no: int,
    count: int,
    offset: int,
    total: int,
) -> bool:
    """Enter records that lie back to back, as far as they are wanted; return whether any was."""
    found = known.remove(msg_no, count)
    for row in found:
        at = offset + (row.start - msg_no) * total
        state.rows.insert(StoreRow(row.start, row.count, row.refs, file.number, at, total))
        file.valid += row.count * total
        file.size = max(file.size, at + row.count * total)
    return bool(found)
