"""What a store looks like from outside: for the fold, for the golden traces, and its invariants."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engine.backing_queue.stores import StoreLoad
from engine.classic_v1.store.file_summary import FileRow
from engine.classic_v1.store.state import StoreState
from engine.values.errors import InvariantBroken


def load(state: StoreState) -> StoreLoad:
    """Return what the memory model counts."""
    cached = len(state.cache)
    valid = written = 0
    if cached:
        current = next(file for file in state.files if file.number == state.files.current)
        valid, written = current.valid, current.file_size
    return StoreLoad(len(state.files), state.index.rows.total, cached, valid, written)


def snapshot(state: StoreState) -> dict[str, Any]:
    """Return everything that transitions report, as plain values."""
    size = state.storage.size
    return {
        "files": [
            [file.number, file.file_size, file.valid, file.locked, size(state.path(file.number)) or 0]
            for file in state.files
        ],
        "current": state.files.current,
        "rows": [
            [row.start, row.count, row.refs, row.file, row.offset, row.record_bytes, row.step]
            for row in state.index.rows
        ],
        "cache": len(state.cache),
        "buffered_bytes": state.handle.pending_bytes if state.started else 0,
        "orphans": [[number, size_bytes] for number, size_bytes in sorted(state.orphans.items())],
    }


def disk(state: StoreState) -> list[tuple[int, int]]:
    """Return (number, bytes) of every store file on disk, by number."""
    names = state.storage.list(state.directory)
    numbers = sorted(int(name[:-4]) for name in names if name.endswith(".rdq"))
    return [(number, state.storage.size(state.path(number)) or 0) for number in numbers]


def vector(state: StoreState) -> dict[str, Any]:
    """Return what a golden trace records of a store, but for the client's credit."""
    on_disk = disk(state)
    expected = [(file.number, file.file_size) for file in state.files]
    return {
        "files": [[file.number, file.file_size, file.valid] for file in state.files],
        "disk": "same" if on_disk == expected else [list(each) for each in on_disk],
        "current": state.files.current,
        "valid": state.files.sum_valid,
        "total": state.files.sum_size,
        "index": len(state.index),
        "zero_refs": state.index.zero_refs,
        "cache": len(state.cache),
    }


def rows_by_references(state: StoreState) -> dict[int, int]:
    """Return how many messages have each number of references."""
    found: Counter[int] = Counter()
    for row in state.index.rows:
        found[row.refs] += row.count
    return dict(found)


def verify(state: StoreState) -> None:
    """Check sums, links and places (S253).

    Raises:
        InvariantBroken: one does not hold.
    """
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
