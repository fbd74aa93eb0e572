"""Messages come into a shared store (W133-W137)."""

from __future__ import annotations

from itertools import pairwise

from engine.classic_v2.formats.qi import BlankBytes
from engine.classic_v2.store.state import V2Peer, V2StoreState
from engine.classic_v2.transitions import CollectionTimed, FileCompacted
from engine.formats.message import RECORD_OVERHEAD_BYTES
from engine.formats.store_records import StoreRecords
from engine.report.transitions.base import Why
from engine.report.transitions.queue import (
    BufferWritten,
    FileCut,
    FileDeleted,
    FileLocked,
    RowsMoved,
    StoreWritten,
    WriteIgnored,
)
from engine.values.errors import InvariantBroken
from engine.values.extents import Extent, StoreRow
from engine.values.sizes import at, most_of, reach
from engine.values.stretches import Range, RangeSet, one_less


def candidate(state: V2StoreState, number: int, removes: int) -> None:
    """Note a file in which messages were removed; the first one starts the 15 s timer (W140). `removes`: how
    many messages, one after the other.
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
    """Do all that the collector's process was asked, but for what readers hold up; return whether it was anything
    (W145).
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
        state.rows.insert(StoreRow(row.start, 1, row.refs, row.file, offset, row.record_bytes))
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


def _blank(state: V2StoreState, path: str, live: list[StoreRow]) -> None:
    """Write zeros over the gaps before and between live records (W142). Where a file begins with a gap, the
    one behind its first record stays as it is: the broker's own quirk.
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


def _moves(records: list[StoreRow]) -> tuple[int, list[tuple[StoreRow, int]]]:
    """Return where the file ends afterwards, and which record moves to which offset (W142)."""
    moved: list[tuple[StoreRow, int]] = []
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


def handle_remove(state: V2StoreState, client: V2Peer, extents: tuple[Extent, ...], descending: bool) -> None:
    """Handle one remove with many ids, from the last to the first where `descending`."""
    pieces: list[tuple[int, int]] = []
    for extent in extents:
        at = extent.start
        for early in client.overtaken.discard(extent.start, extent.count):
            if early.start > at:
                pieces.append((extent.msg_no + at - extent.start, early.start - at))
            client.in_flight.discard(early.start, early.count)
            at = early.end
        if at < extent.end:
            pieces.append((extent.msg_no + at - extent.start, extent.end - at))
    if descending:
        pieces.reverse()
    for start, count in pieces:
        found = state.rows.pieces(start, count)
        if descending:
            found.reverse()
        for first, many, row in found:
            _remove(state, client, first, many, row)


def _remove(state: V2StoreState, client: V2Peer, start: int, count: int, row: StoreRow | None) -> None:
    death = state.dying.get(client.ref)
    if death is not None and (row is None or (row.file, row.offset) > death):
        return
    if row is None or not row.refs:
        raise InvariantBroken(f"messages {start} to {start + count - 1} are removed and have no reference")
    state.set_refs(row, row.refs - 1)
    candidate(state, row.file, count)
    if row.refs == 1:
        delete_if_empty(state, row.file)


def handle_write(state: V2StoreState, client: V2Peer, extent: Extent) -> None:
    """Handle a write of each message, in order; an entry in flight stays until its remove, where one overtook it."""
    at = extent.start
    for early in client.overtaken.inside(extent.start, extent.count):
        _handle(state, client, extent.part(at - extent.start, early.start - at))
        _ignore(state, extent.part(early.start - extent.start, early.count))
        at = early.end
    _handle(state, client, extent.part(at - extent.start, extent.end - at))


def _handle(state: V2StoreState, client: V2Peer, extent: Extent) -> None:
    if extent.count:
        _write(state, client, extent)
        client.in_flight.discard(extent.start, extent.count)


def _ignore(state: V2StoreState, extent: Extent) -> None:
    """Pass over writes that a remove overtook (W52)."""
    state.emit(WriteIgnored("W52", state.name, extent.msg_no, extent.count))
    state.cache.change(extent.msg_no, extent.count, one_less)
    for start, count, row in state.rows.pieces(extent.msg_no, extent.count):
        if row is None or row.file != state.current:
            state.cache.drop_zeros(start, count)


def _write(state: V2StoreState, client: V2Peer, extent: Extent) -> None:
    death = state.dying.get(client.ref)
    for start, count, row in state.rows.pieces(extent.msg_no, extent.count):
        part = extent.part(start - extent.msg_no, count)
        if row is None and death is not None:
            state.cache.change(start, count, one_less)
            state.cache.drop_zeros(start, count)
        elif row is None:
            _append(state, client, part)
        elif death is not None and (row.file, row.offset) > death:
            state.cache.change(start, count, one_less)
            if row.file != state.current:
                state.cache.drop_zeros(start, count)
        else:
            _once_more(state, client, part, row)


def _once_more(state: V2StoreState, client: V2Peer, extent: Extent, row: StoreRow) -> None:
    """Write messages that have a row: count them, or forget the row where its file is about to go (W134)."""
    file = state.files.get(row.file)
    if not row.refs and (file is None or file.locked or (not file.valid and row.file != state.current)):
        state.forget_rows([row])
        _append(state, client, extent)
        return
    state.cache.change(extent.msg_no, extent.count, one_less)
    state.set_refs(row, row.refs + 1)
    if row.file == state.current:
        state.await_sync(client, extent.msg_no, extent.count)
    else:
        state.cache.drop_zeros(extent.msg_no, extent.count)
        client.confirm(RangeSet([Range(extent.msg_no, extent.count)]))


def _append(state: V2StoreState, client: V2Peer, extent: Extent) -> None:
    """Append records, rolling over and handing over exactly where single writes would (W134, W136)."""
    settings = state.settings
    records = StoreRecords(
        extent.msg_no, extent.count, extent.size_bytes, extent.raw_persistent, extent.template, state.codec
    )
    each, done = records.record_bytes, 0
    while done < extent.count:
        number, left = extent.msg_no + done, extent.count - done
        if most_of(each) - RECORD_OVERHEAD_BYTES >= settings.large_message_bytes:  # some are large, or all
            left = 1
            if at(each, number) - RECORD_OVERHEAD_BYTES >= settings.large_message_bytes:
                _append_large(state, client, records.part(done, 1))
                done += 1
                continue
        needed = min(
            settings.msg_store_file_size_limit - state.offset,
            settings.write_buffer_bytes - state.buffer_bytes,
        )
        count = reach(each, number, left, 1, needed)
        part = records.part(done, count)
        state.cache.change(part.msg_no, count, one_less)
        state.await_sync(client, part.msg_no, count)
        state.buffer.append(part)
        state.buffer_bytes += part.size_bytes
        _enter(state, part, state.current, state.offset)
        state.offset += part.size_bytes
        if state.offset >= settings.msg_store_file_size_limit:
            state.sync()
            state.open_next(state.current + 1)
            state.cache.drop_all_zeros()
        elif state.buffer_bytes >= settings.write_buffer_bytes:
            state.sync()
        done += count


def _enter(state: V2StoreState, records: StoreRecords, file: int, offset: int) -> None:
    state.rows.insert(StoreRow(records.msg_no, records.count, 1, file, offset, records.record_bytes))
    rule, name = "W134", state.name
    state.emit(StoreWritten(rule, name, file, offset, records.msg_no, records.count, records.record_bytes))
    state.files[file].valid += records.size_bytes
    state.files[file].size += records.size_bytes


def _append_large(state: V2StoreState, client: V2Peer, record: StoreRecords) -> None:
    """Write a message of 4 MB or more into a file of its own (W137)."""
    state.cache.change(record.msg_no, 1, one_less)
    state.await_sync(client, record.msg_no, 1)
    before = state.current
    number = before
    if state.offset:
        state.flush()
        number = before + 1
        state.open_next(number)
    _enter(state, record, number, 0)
    state.storage.append(state.path(number), [record])
    state.emit(BufferWritten("W137", state.name, number, record.size_bytes))
    state.offset = record.size_bytes
    if number != before and state.settings.deletes_empty_before_large:
        delete_if_empty(state, before)
    state.open_next(number + 1)
    state.cache.drop_all_zeros()
    state.sync()
