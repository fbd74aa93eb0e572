"""What the garbage collector does to files, one step at a time (S183, S184).

Each function is a generator: between two steps anything else may happen, even a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from engine.classic_v1.store.index_table import StoreIndexRow
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.transitions.stores import CombineStepped
from engine.report.transitions.stores import RowsForgotten, RowsMoved
from engine.values.errors import InvariantBroken
from engine.values.ranges import Range, RangeSet


def delete(state: StoreState, file: int, done: Callable[[int], None]) -> Iterator[None]:
    """Delete a locked file without live records (S184).

    Args:
        state: the store's tables.
        file: number of the file.
        done: called with it at the end.
    """
    if _vacuum(state, file, "S184"):
        raise InvariantBroken(f"file {file} is deleted but holds live records (S184)")
    done(file)
    yield from ()


def combine(
    state: StoreState, source: int, destination: int, done: Callable[[int, int, int], None]
) -> Iterator[None]:
    """Bring the live records of two locked neighbours together in the left one (S183).

    Args:
        state: the store's tables.
        source: number of the right file, which is removed.
        destination: number of the left file.
        done: called with source, destination and the bytes of the result.
    """
    storage = state.storage
    into, out_of, tmp = state.path(destination), state.path(source), state.path(destination, "rdt")

    def stepped(step: str, size_bytes: int) -> None:
        state.emit(CombineStepped("S183", state.name, source, destination, step, size_bytes))

    kept = state.files[destination].valid
    total = kept + state.files[source].valid
    live = _live(state, destination)
    stepped("destination_scanned", state.files[destination].file_size)
    yield
    top, moving = _contiguous(live)
    if moving:
        storage.create(tmp)
        for low, size in _blocks(moving):
            storage.copy(into, low, size, tmp)
        storage.fsync(tmp)
        _move(state, moving, destination, top)
        stepped("tmp_written", kept - top)
        yield
    storage.truncate(into, top)
    storage.truncate(into, total)
    stepped("truncated", total)
    yield
    if moving:
        storage.overwrite(into, top, tmp, kept - top)
        storage.fsync(into)
        stepped("copied_back", kept - top)
        yield
        storage.delete(tmp)
        stepped("tmp_deleted", kept - top)
        yield
    live = _live(state, source)
    stepped("source_scanned", state.files[source].file_size)
    yield
    # Appending behind the cut gives the same bytes as overwriting the zeros.
    storage.truncate(into, kept)
    for low, size in _blocks(live):
        storage.copy(out_of, low, size, into)
    _move(state, live, destination, kept)
    stepped("source_copied", total - kept)
    yield
    storage.fsync(into)
    stepped("synced", total)
    yield
    done(source, destination, total)


def _live(state: StoreState, file: int) -> list[StoreIndexRow]:
    """Return the rows of live records in file order, after forgetting those without references."""
    live = _vacuum(state, file, "S183")
    size = sum(row.size_bytes for row in live)
    if size != state.files[file].valid:
        raise InvariantBroken(
            f"file {file} holds {size} live bytes; its summary says {state.files[file].valid} (S183)"
        )
    return live


def _vacuum(state: StoreState, file: int, rule: str) -> list[StoreIndexRow]:
    """Forget the entries of a file that have no reference; return the others in the order of their records."""
    rows = state.index.in_file(file)
    garbage = RangeSet(Range(row.start, row.count) for row in rows if not row.refs)
    if garbage:
        for each in garbage:
            state.index.forget(each.start, each.count)
        state.emit(RowsForgotten(rule, state.name, tuple(garbage)))
    return [row for row in rows if row.refs]


def _contiguous(live: list[StoreIndexRow]) -> tuple[int, list[StoreIndexRow]]:
    """Return the bytes at the file's beginning that are live without a gap, and the rows behind the first gap."""
    top = 0
    for at, row in enumerate(live):
        if row.low != top:
            return top, live[at:]
        top += row.size_bytes
    return top, []


def _blocks(live: Iterable[StoreIndexRow]) -> Iterator[tuple[int, int]]:
    """Yield (offset, bytes) of the stretches without a gap."""
    low = size = 0
    for row in live:
        if size and row.low != low + size:
            yield low, size
            size = 0
        if not size:
            low = row.low
        size += row.size_bytes
    if size:
        yield low, size


def _move(state: StoreState, live: list[StoreIndexRow], file: int, low: int) -> None:
    """Give records their new place, packed from `low`; their reference counts may have changed meanwhile (S183)."""
    moved: list[tuple[int, int, int, int]] = []
    for row in live:
        for each in state.index.rows.overlapping(row.start, row.count):
            skip = each.start - row.start
            new = row.at(file, low).part(skip, each.count).with_refs(each.refs)
            state.index.replace(new)
            moved.append((new.start, new.count, new.file, new.offset))
        low += row.size_bytes
    state.emit(RowsMoved("S183", state.name, tuple(moved)))
