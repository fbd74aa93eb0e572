"""Starting and stopping a store (S200-S213)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from engine.backing_queue.stores import CLEAN
from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.index_table import StoreIndexRow
from engine.classic_v1.store.rebuild import Reference, rebuild
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.views import disk
from engine.formats.chunks import RawBytes
from engine.report.transitions.stores import StoreRecovered
from engine.values.each import Length
from engine.values.errors import StoreCorrupt
from engine.values.sizes import plain, read_length

BROKERS_CLEAN = ("clean.dot", "file_summary.ets", "msg_store_index.ets")
"""What a broker leaves at a clean stop; stale as soon as the engine has written here (S206, S211)."""


class CleanStop(msgspec.Struct, frozen=True):
    """What a clean stop leaves (S201).

    Args:
        refs: names of the clients.
        files: (number, file_size, valid) by number.
        rows: the index, with entries that have no reference; for bytes that differ stands what is on the wire.
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
    """Start on the files that are there (S206-S208).

    Args:
        state: empty tables to fill.
        collector: called with the files without live records after a dirty start.
        refs: names of the clients that the queues' recovery terms hold.
        references: gives what the queues' indexes refer to; only called when dirty (S117).

    Returns:
        Whether the start is clean.
    """
    stop = _read_stop(state)
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
                StoreIndexRow(first, count, shares, place, at, read_length(state.codec.columns, each), step)
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


def _read_stop(state: StoreState) -> CleanStop | None:
    """Read and remove the note of a clean stop; remove a broker's too (S206)."""
    names = set(state.storage.list(state.directory))
    for name in names.intersection(BROKERS_CLEAN):
        state.storage.delete(f"{state.directory}/{name}")
    if CLEAN not in names:
        return None
    path = f"{state.directory}/{CLEAN}"
    data = state.storage.read_bytes(path, 0, state.storage.size(path) or 0)
    state.storage.delete(path)
    try:
        return msgspec.json.decode(data, type=CleanStop)
    except msgspec.DecodeError:
        return None


def _append_tmp_files(state: StoreState) -> bool:
    """Append what a crashed combination left to its file (S206.1, S191); return whether there was any."""
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


def _rows(state: StoreState) -> tuple[tuple[int, int, int, int, int, Length, int], ...]:
    return tuple(
        (row.start, row.count, row.refs, row.file, row.offset, row.record_bytes, row.step)
        for row in state.index.rows
    )
