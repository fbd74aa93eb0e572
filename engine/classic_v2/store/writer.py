"""Messages come into a shared store (W133-W137)."""

from __future__ import annotations

from engine.classic_v2.formats.rdq import SharedRecords
from engine.classic_v2.store.client import SharedClient
from engine.classic_v2.store.collector import delete_if_empty
from engine.classic_v2.store.state import V2StoreState
from engine.classic_v2.store.tables import FileMessage, gaps
from engine.formats.message import RECORD_OVERHEAD_BYTES
from engine.report.transitions.stores import BufferWritten, StoreWritten, WriteIgnored
from engine.values.extents import Extent
from engine.values.ranges import RangeSet
from engine.values.sizes import at, most_of, reach


def handle_write(state: V2StoreState, client: SharedClient, extent: Extent) -> None:
    """Handle a write of each message, in order; an entry in flight stays until its remove, where one overtook it."""
    at = extent.start
    for early in client.overtaken.inside(extent.start, extent.count):
        _handle(state, client, extent.part(at - extent.start, early.start - at))
        _ignore(state, extent.part(early.start - extent.start, early.count))
        at = early.end
    _handle(state, client, extent.part(at - extent.start, extent.end - at))


def _handle(state: V2StoreState, client: SharedClient, extent: Extent) -> None:
    if extent.count:
        _write(state, client, extent)
        client.in_flight.discard(extent.start, extent.count)


def _ignore(state: V2StoreState, extent: Extent) -> None:
    """Pass over writes that a remove overtook (W52)."""
    state.emit(WriteIgnored("W52", state.name, extent.msg_no, extent.count))
    state.cache.handled(extent.msg_no, extent.count)
    for start, count, row in gaps(state.rows, extent.msg_no, extent.count):
        if row is None or row.file != state.current:
            state.cache.forget(start, count)


def _write(state: V2StoreState, client: SharedClient, extent: Extent) -> None:
    death = state.dying.get(client.ref)
    for start, count, row in list(gaps(state.rows, extent.msg_no, extent.count)):
        part = extent.part(start - extent.msg_no, count)
        if row is None and death is not None:
            state.cache.handled(start, count)
            state.cache.forget(start, count)
        elif row is None:
            _append(state, client, part)
        elif death is not None and (row.file, row.offset) > death:
            state.cache.handled(start, count)
            if row.file != state.current:
                state.cache.forget(start, count)
        else:
            _once_more(state, client, part, row)


def _once_more(state: V2StoreState, client: SharedClient, extent: Extent, row: FileMessage) -> None:
    """Write messages that have a row: count them, or forget the row where its file is about to go (W134)."""
    file = state.files.get(row.file)
    if not row.refs and (file is None or file.locked or (not file.valid and row.file != state.current)):
        state.forget_rows([row])
        _append(state, client, extent)
        return
    state.cache.handled(extent.msg_no, extent.count)
    state.set_refs(row, row.refs + 1)
    if row.file == state.current:
        state.await_sync(client, extent.msg_no, extent.count)
    else:
        state.cache.forget(extent.msg_no, extent.count)
        if client.on_disk is not None:
            written = RangeSet()
            written.add(extent.msg_no, extent.count)
            client.on_disk(written)


def _append(state: V2StoreState, client: SharedClient, extent: Extent) -> None:
    """Append records, rolling over and handing over exactly where single writes would (W134, W136)."""
    settings = state.settings
    records = SharedRecords(
        extent.msg_no,
        extent.count,
        extent.size_bytes,
        extent.raw_persistent,
        extent.template,
        state.codec,
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
        state.cache.handled(part.msg_no, count)
        state.await_sync(client, part.msg_no, count)
        state.buffer.append(part)
        state.buffer_bytes += part.size_bytes
        _enter(state, part, state.current, state.offset)
        state.offset += part.size_bytes
        if state.offset >= settings.msg_store_file_size_limit:
            state.sync()
            state.open_next(state.current + 1)
            state.cache.forget_all()
        elif state.buffer_bytes >= settings.write_buffer_bytes:
            state.sync()
        done += count


def _enter(state: V2StoreState, records: SharedRecords, file: int, offset: int) -> None:
    state.rows.insert(FileMessage(records.msg_no, records.count, 1, file, offset, records.record_bytes))
    rule, name = "W134", state.name
    state.emit(StoreWritten(rule, name, file, offset, records.msg_no, records.count, records.record_bytes))
    state.files[file].valid += records.size_bytes
    state.files[file].size += records.size_bytes


def _append_large(state: V2StoreState, client: SharedClient, record: SharedRecords) -> None:
    """Write a message of 4 MB or more into a file of its own (W137)."""
    state.cache.handled(record.msg_no, 1)
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
    state.cache.forget_all()
    state.sync()
