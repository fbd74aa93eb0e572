"""The shared store's garbage collection: one file at a time, in place (W140-W145)."""

from __future__ import annotations

from itertools import pairwise

from engine.classic_v2.formats.blank import BlankBytes
from engine.classic_v2.store.state import V2StoreState
from engine.classic_v2.store.tables import FileMessage
from engine.classic_v2.transitions.stores import CollectionTimed, FileCompacted
from engine.report.transitions.base import Why
from engine.report.transitions.stores import FileCut, FileDeleted, FileLocked, RowsMoved


def candidate(state: V2StoreState, number: int, removes: int) -> None:
    """Note a file in which messages were removed; the first one starts the 15 s timer (W140).

    Args:
        removes: how many messages, one after the other.
    """
    if number == state.current:
        return
    if state.gc_timer is None:
        state.gc_timer = frozenset(state.gc_candidates | {number})
        state.gc_candidates = set()
        removes -= 1
        state.emit(CollectionTimed("W140", state.name, False, tuple(sorted(state.gc_timer))))
        state.on_timer()
    if removes:
        state.gc_candidates.add(number)


def delete_if_empty(state: V2StoreState, number: int) -> None:
    """Order the deletion of a file without valid data, unless it is the current one (W138)."""
    if number != state.current and not state.files[number].valid:
        state.gc_work.append(("delete", number, 0))
        state.gc_candidates.discard(number)


def tick(state: V2StoreState) -> frozenset[int] | None:
    """Let the 15 s timer fire; return the files in its message, None while it does not run (W140, W141)."""
    fired = state.gc_timer
    if fired is None:
        return None
    state.gc_timer = None
    state.emit(CollectionTimed("W140", state.name, True, tuple(sorted(fired))))
    for number in sorted(fired - state.gc_candidates):
        file = state.files.get(number)
        if file is not None and 0 < file.valid * 2 < file.size and not file.locked:
            file.locked = True
            state.emit(FileLocked("W141", state.name, number, True))
            state.gc_work.append(("compact", number, 0))
    return fired


def work(state: V2StoreState) -> bool:
    """Do all that the collector's process was asked; what readers hold up stays (W145).

    Returns:
        Whether anything was done.
    """
    done = False
    waiting = state.gc_work
    state.gc_work = []
    deleting = {number for what, number, _ in waiting if what == "delete"}
    for what, number, size in waiting:
        if what == "compact":
            done = True
            if number in state.files:
                _compact(state, number)
        elif state.held.get(number):
            state.gc_work.append((what, number, size))
        elif what == "delete":
            done = True
            _delete(state, number)
        elif number in state.files and number not in deleting:
            done = True
            state.storage.truncate(state.path(number), size)
            state.files[number].size = size
            state.emit(FileCut("W145", state.name, number, size))
    return done


def _delete(state: V2StoreState, number: int) -> None:
    if number not in state.files:
        return
    state.forget_rows(state.rows_of(number))
    state.storage.delete(state.path(number))
    size = state.files.pop(number).size
    state.emit(FileDeleted("W145", state.name, number, size))


def _compact(state: V2StoreState, number: int) -> None:
    """Move records from the end of a file into its gaps, then order the cut behind the last one (W142)."""
    found = state.rows_of(number)
    live = [row for row in found if row.refs]
    state.forget_rows([row for row in found if not row.refs])
    path = state.path(number)
    _blank(state, path, live)
    records = [row.part(skip, 1) for row in live for skip in range(row.count)]
    size, moved = _moves(records)
    for row, offset in moved:
        state.storage.overwrite(path, offset, path, row.size_bytes, row.offset)
    state.storage.fsync(path)
    for row, offset in moved:
        state.rows.remove(row.start, 1)
        state.rows.insert(FileMessage(row.start, 1, row.refs, row.file, offset, row.record_bytes))
    file = state.files[number]
    if moved:
        rows = tuple((row.start, 1, number, offset) for row, offset in moved)
        state.emit(RowsMoved("W142", state.name, rows))
    why: Why = {"valid": file.valid, "size": file.size, "moved": len(moved)}
    state.emit(FileCompacted("W142", state.name, number, why))
    file.locked = False
    state.emit(FileLocked("W142", state.name, number, False))
    if size:
        state.gc_work.append(("truncate", number, size))


def _blank(state: V2StoreState, path: str, live: list[FileMessage]) -> None:
    """Write zeros over the gaps before and between live records (W142).

    Where a file begins with a gap, the one behind its first record stays as it is: the broker's own quirk.
    """
    rest = live
    if live and live[0].offset:
        state.storage.write(path, 0, [BlankBytes(live[0].offset)])
        first = live[0]
        rest = ([first.part(1, first.count - 1)] if first.count > 1 else []) + live[1:]
    for one, two in pairwise(rest):
        end = one.offset + one.size_bytes
        if end < two.offset:
            state.storage.write(path, end, [BlankBytes(two.offset - end)])


def _moves(records: list[FileMessage]) -> tuple[int, list[tuple[FileMessage, int]]]:
    """Return where the file ends afterwards, and which record moves to which offset (W142)."""
    moved: list[tuple[FileMessage, int]] = []
    offset, first, last = 0, 0, len(records) - 1
    while first <= last:
        start, end = records[first], records[last]
        if end.size_bytes <= start.offset - offset:
            moved.append((end, offset))
            offset += end.size_bytes
            if first == last:
                return offset, moved
            last -= 1
        elif first == last:
            return end.offset + end.size_bytes, moved
        else:
            offset = start.offset + start.size_bytes
            first += 1
    return offset, moved
