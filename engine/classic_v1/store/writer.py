"""The server handles writes, reads and removes (S141-S147, S155)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.requests import RemoveSent, WriteRequest
from engine.classic_v1.store.state import JudgedFile, StoreState, V1Peer, row_at
from engine.classic_v1.transitions import (
    OperationDeferred,
    StretchesRead,
    StretchesRecounted,
    StretchesWritten,
)
from engine.formats.store_records import StoreRecords
from engine.report.transitions.queue import (
    FileRolledOver,
    RowsForgotten,
    StoreRead,
    StoreWritten,
    WriteIgnored,
)
from engine.values.errors import InvariantBroken
from engine.values.extents import StoreRow
from engine.values.sizes import reach
from engine.values.stretches import Range, RangeSet, StretchTally, one_less


class BodyReader:
    """Answers reads, and whether messages are here. `state`: the store's tables. `collector`: where
    operations on locked files wait.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector) -> None:
        self._state = state
        self._collector = collector

    def read(self, peer: V1Peer, start: int, count: int) -> int:
        """Read messages, in ascending order; return how many reads wait for a locked file (S155)."""
        state = self._state
        waiting = 0
        at = start
        for cached in [*state.cache.runs.overlapping(start, count), None]:
            end = start + count if cached is None else cached.start
            waiting += self._read_rows(peer, at, end - at)
            if cached is not None:
                self._answer("S155", "cache", state.files.current, cached.start, cached.count, 0)
                at = cached.start + cached.count
        return waiting

    def _read_rows(self, peer: V1Peer | None, start: int, count: int) -> int:
        waiting = 0
        for at, many, row in self._state.index.rows.pieces(start, count) if count else ():
            if row is None or not row.refs:
                raise InvariantBroken(f"message {at} is read but the store does not hold it (S156)")
            waiting += self.read_row(peer, row, many)
        return waiting

    def read_row(self, peer: V1Peer | None, row: StoreRow, count: int) -> int:
        """Read records that lie together; `peer` is None when the server reads what had waited."""
        state = self._state
        if state.files[row.file].locked:
            self._collector.defer(row.file, partial(self._replay, row.start, count))
            state.emit(OperationDeferred("S187", state.name, row.file, "read", row.start, count))
            return count
        server_reads = peer is None or row.file == state.files.current
        if row.file == state.files.current:
            if row.low + row.size_bytes > state.handle.raw_offset:
                state.handle.flush()
        elif peer is not None:
            state.open_handles.close_marked(peer.ref)
            state.open_handles.opened(peer.ref, row.file)
        self._answer("S156" if server_reads else "S155", "file", row.file, row.start, count, row.size_bytes)
        return 0

    def _replay(self, start: int, count: int) -> None:
        self._read_rows(None, start, count)

    def _answer(self, rule: str, by: str, file: int, start: int, count: int, size_bytes: int) -> None:
        self._state.emit(StoreRead(rule, self._state.name, by, file, start, count, size_bytes))

    def must_wait(self, start: int, count: int) -> bool:
        """Return whether an answer about these messages waits for the collector (S157)."""
        return any(
            row.refs > 0 and self._collector.pending(row.file)
            for row in self._state.index.rows.overlapping(start, count)
        )

    def contains(self, start: int, count: int) -> RangeSet:
        """Return which of these messages are present (S157)."""
        found = RangeSet()
        for row in self._state.index.rows.overlapping(start, count):
            if row.refs:
                found.add(row.start, row.count)
        return found


class StoreRemover:
    """Handles remove messages, as many at once as nothing else can happen between. `state`: the store's
    tables.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector) -> None:
        self._state = state
        self._collector = collector

    def handle(self, remove: RemoveSent, quiesce: Callable[[], None] | None) -> None:
        """Handle all messages of `remove`. `remove`: one message with all ids, or one for each. `quiesce`:
        lets the garbage collector finish; called between two messages when it has something to do.
        """
        if remove.single:
            self._handle_singles(remove, quiesce)
            return
        processed = RangeSet()
        for each in remove.ranges:
            for judged in self._settled(remove.peer, each, remove.step):
                processed.add(judged.start, judged.count)
                self.remove(remove.peer, judged)
        self._message_done(remove.peer, processed)

    def _settled(self, peer: V1Peer, ids: Range, step: int) -> Iterator[JudgedFile]:
        """Settle the in-flight table for ids and yield what is to be processed (S147)."""
        for flying in peer.flying.over(ids.start, ids.count, step):
            if flying.value == -1:
                peer.flying.set(flying.start, flying.count, 0)
                yield from self._state.judge(peer, flying.start, flying.count, step)

    def _handle_singles(self, remove: RemoveSent, quiesce: Callable[[], None] | None) -> None:
        for ids in remove.ranges:
            left = ids
            while left.count:
                if quiesce is not None and self._collector.busy:
                    quiesce()
                done = self._singles(remove.peer, left, remove.step, quiesce is not None)
                left = left.part(done if remove.step > 0 else 0, left.count - done)

    def _singles(self, peer: V1Peer, ids: Range, step: int, stops: bool) -> int:
        """Handle single removes, with `stops` until the garbage collector has something to do; return how many."""
        done = 0
        for flying in peer.flying.over(ids.start, ids.count, step):
            if flying.value == -1:
                alike = self._state.judge(peer, flying.start, flying.count, step)
            else:
                alike = [JudgedFile(flying.start, flying.count, None, True)]
            for judged in alike:
                left: JudgedFile | None = judged
                while left is not None:
                    part, left = self._split(left, step)
                    processed = RangeSet()
                    if flying.value == -1:
                        peer.flying.set(part.start, part.count, 0)
                        processed.add(part.start, part.count)
                        self.remove(peer, part)
                    self._message_done(peer, processed)
                    done += part.count
                    if stops and self._collector.busy:
                        return done
        return done

    def alike(self, start: int, count: int) -> int:
        """Return how many single removes from `start` on end in one file before garbage collection may start."""
        at, many, row = self._state.index.rows.pieces(start, count)[0]
        return self._until_event(JudgedFile(at, many, row, False), 1)

    def _until_event(self, judged: JudgedFile, step: int) -> int:
        """Return after how many single removes garbage collection may start, at most all."""
        row, collector = judged.row, self._collector
        if row is None or judged.masked or row.refs != 1 or self._state.files[row.file].locked:
            return collector.until_start(None, step, judged.count)
        return collector.until_start(row, step, judged.count)

    def _split(self, judged: JudgedFile, step: int) -> tuple[JudgedFile, JudgedFile | None]:
        """Cut behind the first message after which garbage collection may start."""
        count = self._until_event(judged, step)
        if count == judged.count:
            return judged, None
        left = judged.count - count
        if step > 0:
            return part_of(judged, 0, count), part_of(judged, count, left)
        return part_of(judged, left, count), part_of(judged, 0, left)

    def _message_done(self, peer: V1Peer, processed: RangeSet) -> None:
        """Report removed messages that still awaited a sync, then look for files to combine (S147)."""
        pending = self._state.pending_confirms
        waiting = pending.get(peer.ref)
        if waiting is not None:
            due = waiting.intersection(processed)
            waiting.subtract(due)
            if not waiting:
                del pending[peer.ref]
            peer.confirm(due, "ignored")
        self._collector.maybe_compact()

    def remove(self, peer: V1Peer, judged: JudgedFile) -> None:
        """Take one reference away from messages alike, or let it wait for a locked file (S147, S150)."""
        row = judged.row
        if judged.masked or (row is not None and not row.refs and peer.ref in self._state.dying):
            return
        if row is None or not row.refs:
            raise InvariantBroken(f"message {judged.start} is removed but the store does not hold it (S147)")
        if row.refs > 1:
            self._state.set_refs("S147", row, row.refs - 1)
        elif self._state.files[row.file].locked:
            self.defer(peer, row)
        else:
            self._state.set_refs("S147", row, 0)
            self._collector.delete_if_empty(row.file)

    def defer(self, peer: V1Peer, row: StoreRow) -> None:
        """Let the remove of the last reference wait until the file is unlocked (S187)."""
        self._collector.defer(row.file, partial(self._remove_again, peer, row.start, row.count))
        self._state.emit(
            OperationDeferred("S187", self._state.name, row.file, "remove", row.start, row.count)
        )

    def _remove_again(self, peer: V1Peer, start: int, count: int) -> None:
        for judged in self._state.judge(peer, start, count, 1):
            self.remove(peer, judged)


def part_of(judged: JudgedFile, skip: int, count: int) -> JudgedFile:
    row = None if judged.row is None else judged.row.part(skip, count)
    return JudgedFile(judged.start + skip, count, row, judged.masked)


LEAST: Final = 2
"""Fewer runs go by themselves, and are told as such."""


class Ender:
    """Does at once what sending a remove and settling would, where nothing else is under way. `state`: the
    store's tables. `collector`: its garbage collector, asked after each message.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector, reader: BodyReader) -> None:
        self._state = state
        self._collector = collector
        self._reader = reader

    def end_many(self, peer: V1Peer, messages: Sequence[Range], read: bool) -> int:
        """End runs of messages that lie alone in one file while garbage collection cannot start; return how
        many runs. `peer`: their client, which has nothing under way. `messages`: their numbers, each a run of
        its own. `read`: whether their bodies are read before.
        """
        state = self._state
        rows, sizes = self._alone(messages)
        if read and rows:
            current = rows[0].file == state.files.current
            rows = rows[: self._alike_in_cache(rows, current)]
        if len(rows) < LEAST:
            return 0
        number = rows[0].file
        del sizes[len(rows) :]
        runs = [(row.start, row.count) for row in rows]
        if read and number == state.files.current:
            state.emit(
                StretchesRead("S155", state.name, "cache", number, tuple([(*each, 0) for each in runs]))
            )
        elif read:
            state.open_handles.close_marked(peer.ref)
            state.open_handles.opened(peer.ref, number)
            done = tuple([(*each, size) for each, size in zip(runs, sizes, strict=True)])
            state.emit(StretchesRead("S155", state.name, "file", number, done))
        state.index.replace_all([row.with_refs(0) for row in rows])
        state.files.revalue(number, -sum(sizes))
        state.emit(StretchesRecounted("S147", state.name, tuple(runs), 0))
        return len(rows)

    def _alone(self, messages: Sequence[Range]) -> tuple[list[StoreRow], list[int]]:
        """Return the rows of leading runs that lie alone in one file, and their bytes, as far as nothing starts."""
        state = self._state
        found: list[StoreRow] = []
        sizes: list[int] = []
        first = state.index.rows.at(messages[0].start)
        if first is None or state.files[first.file].locked:
            return found, sizes
        number, end = first.file, messages[0].start
        room = self._collector.room
        if number != state.files.current:
            room = min(room, state.files[number].valid - 1)  # without any it would be deleted
        each = first.record_bytes
        if isinstance(each, int):
            return found, sizes
        for run, row in zip(
            messages, state.index.rows.holding([each.start for each in messages]), strict=True
        ):
            start, count = run.start, run.count
            if (
                row is None
                or row.refs != 1
                or row.file != number
                or row.record_bytes != each
                or start < end
                or row.start + row.count < start + count
            ):
                break
            end, size = start + count, each.total(start, count)
            room -= size
            if room < 0:
                break
            found.append(row if row.count == count else row.part(start - row.start, count))
            sizes.append(size)
        return found, sizes

    def _alike_in_cache(self, rows: Sequence[StoreRow], current: bool) -> int:
        """Return how many leading runs are in the cache, all of them, where they are to be; else how many are not."""
        cached = self._state.cache.runs
        if not current:
            low, high = rows[0].start, rows[-1].start + rows[-1].count
            return 0 if cached.overlapping(low, high - low) else len(rows)
        for at, (row, held) in enumerate(zip(rows, cached.holding([row.start for row in rows]), strict=True)):
            if held is None or held.start + held.count < row.start + row.count:
                return at
        return len(rows)

    def end(self, peer: V1Peer, start: int, count: int, read: bool, finish: Callable[[], None]) -> int:
        """End messages up to the one after which garbage collection may start; return how many, 0 where it is
        unsure. `peer`: their client, which has nothing under way. `read`: whether their bodies are read before.
        `finish`: ends the call; asked when the garbage collector has something to do.
        """
        state, collector = self._state, self._collector
        row = state.index.rows.at(start)
        if row is None or row.refs != 1 or row.start + row.count < start + count:
            return 0
        number = row.file
        if state.files[number].locked:
            return 0
        if row.count != count:
            row = row.part(start - row.start, count)
        if count > 1:
            count = collector.until_start(row, 1, count)
            if row.count != count:
                row = row.part(0, count)
        if read:
            cached = number == state.files.current or state.cache.runs.at(start) is not None
            if cached:
                self._reader.read(peer, start, count)
            else:
                self._reader.read_row(peer, row, count)
        state.set_refs("S147", row, 0)
        collector.delete_if_empty(number)
        collector.maybe_compact()
        if collector.busy:
            finish()
        return count


_start = attrgetter("start")


class StoreWriter:
    """Handles write messages, as many at once as nothing else can happen between. `state`: the store's
    tables. `collector`: its garbage collector, asked after each roll-over.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector) -> None:
        self._state = state
        self._collector = collector

    def handle(self, write: WriteRequest, quiesce: Callable[[], None] | None) -> None:
        """Handle all messages of `write`. `quiesce`: lets the garbage collector finish; called between two
        messages when it has something to do.
        """
        while write.count:
            write = write.without(self._handle_some(write))
            if write.count and quiesce is not None and self._collector.busy:
                quiesce()

    def _handle_some(self, write: WriteRequest) -> int:
        """Handle messages up to the first roll-over; return how many."""
        state, peer, step = self._state, write.peer, write.step
        done = 0
        for flying in peer.flying.over(write.msg_no, write.count, step):
            if flying.value <= 0:
                self._arrive(peer, flying.start, flying.count)
                self._ignore("S145", peer, flying.start, flying.count)
                peer.confirm_range(flying.start, flying.count, "ignored")
                state.cache.drop_zeros(flying.start, flying.count)
                done += flying.count
                continue
            for judged in state.judge(peer, flying.start, flying.count, step):
                count, rolled = self._process(write, judged, flying.value)
                done += count
                if rolled:
                    return done
        return done

    def _arrive(self, peer: V1Peer, start: int, count: int) -> None:
        """Do what every write does first: grant credit, and count it no longer in flight in the cache (S141.1)."""
        peer.handled(count)
        self._state.cache.change(start, count, one_less)

    def _process(self, write: WriteRequest, judged: JudgedFile, flying: int) -> tuple[int, bool]:
        """Decide about messages alike (S142); return how many were handled and whether the file rolled over."""
        row = judged.row
        state, peer = self._state, write.peer
        locked = row is not None and not row.refs and state.files[row.file].locked
        if not judged.masked and (row is None or (locked and peer.ref not in state.dying)):
            return self._append(write, judged, flying)
        start, count = judged.start, judged.count
        self._arrive(peer, start, count)
        peer.flying.set(start, count, flying - 1)
        if judged.masked or locked:
            self._ignore("S150", peer, start, count)
            if row is None or row.file != state.files.current:
                state.cache.drop_zeros(start, count)
        else:
            assert row is not None
            self._duplicate(peer, row)
        return count, False

    def _ignore(self, rule: str, peer: V1Peer, start: int, count: int) -> None:
        self._state.emit(WriteIgnored(rule, self._state.name, start, count))

    def _duplicate(self, peer: V1Peer, row: StoreRow) -> None:
        """Count one more reference to records that are there already (S142, S144)."""
        state = self._state
        state.set_refs("S142", row, row.refs + 1)
        if row.file == state.files.current:
            state.await_sync(peer, row.start, row.count)
        else:
            state.cache.drop_zeros(row.start, row.count)
            peer.confirm_range(row.start, row.count, "written")

    def _append(self, write: WriteRequest, judged: JudgedFile, flying: int) -> tuple[int, bool]:
        """Append records up to the one that reaches the file's limit (S143, S171)."""
        state, peer, content = self._state, write.peer, write.content
        handle = state.handle
        limit = state.settings.msg_store_file_size_limit
        offset = handle.virtual_offset
        each = content.record_bytes
        count = reach(each, judged.start, judged.count, write.step, limit - offset)
        start = judged.start if write.step > 0 else judged.start + judged.count - count
        self._arrive(peer, start, count)
        peer.flying.set(start, count, flying - 1)
        if judged.row is not None:
            state.index.rows.remove(start, count)
            state.emit(RowsForgotten("S142", state.name, (Range(start, count),)))
        return count, self._append_records(write, start, count, offset)

    def handle_new(self, write: WriteRequest, quiesce: Callable[[], None] | None) -> None:
        """Handle messages that neither the index nor anybody's mail knows, as `handle` does once they are
        sent. `quiesce`: lets the garbage collector finish after a roll-over; None where all are sent by one
        call.
        """
        state, each, left = self._state, write.content.record_bytes, write
        limit = state.settings.msg_store_file_size_limit
        while left.count:
            offset = state.handle.virtual_offset
            count = reach(each, left.msg_no, left.count, left.step, limit - offset)
            part = left if count == left.count else left.first(count)
            write.peer.handled(count)
            state.cache.runs.insert(StretchTally(part.msg_no, count, 0))
            rolled = self._append_records(write, part.msg_no, count, offset)
            if rolled and quiesce is not None:
                quiesce()
            if count == left.count:
                return
            left = left.without(count)

    def handle_many(self, writes: Sequence[WriteRequest], quiesce: Callable[[], None] | None) -> None:
        """Handle runs, each as by `handle_new`, as many at once as the current file takes without being full."""
        at = 0
        while at < len(writes):
            sizes = self._fitting(writes, at)
            if len(sizes) > 1:
                self._append_runs(writes[at : at + len(sizes)], sizes)
                at += len(sizes)
            else:
                self.handle_new(writes[at], quiesce)
                at += 1

    def _fitting(self, writes: Sequence[WriteRequest], at: int) -> list[int]:
        """Return the bytes of each of the runs from one on that are alike and do not fill the current file."""
        content = writes[at].content
        each = content.record_bytes
        room = self._state.settings.msg_store_file_size_limit - self._state.handle.virtual_offset
        sizes: list[int] = []
        if isinstance(each, int):
            return sizes
        for write in writes[at:]:
            if write.content is not content:
                break
            size = each.total(write.msg_no, write.count)
            room -= size
            if room <= 0:
                break
            sizes.append(size)
        return sizes

    def _append_runs(self, writes: Sequence[WriteRequest], sizes: Sequence[int]) -> None:
        """Append records of several runs at the current file's end, which does not become full (S143)."""
        state, peer, content, step = self._state, writes[0].peer, writes[0].content, writes[0].step
        file, each, codec = state.files.current, content.record_bytes, state.codec
        begin = offset = state.handle.virtual_offset
        rows: list[StoreRow] = []
        records: list[StoreRecords] = []
        runs: list[tuple[int, int]] = []
        for write, size in zip(writes, sizes, strict=True):
            start, count = write.msg_no, write.count
            rows.append(row_at(start, count, file, offset, each, step))
            records.append(
                StoreRecords(
                    start,
                    count,
                    content.size_bytes,
                    content.raw_persistent,
                    content.template,
                    codec,
                    None,
                    step if count > 1 else 1,
                )
            )
            runs.append((start, count))
            offset += size
        rows.sort(key=_start)
        peer.handled(sum([count for _, count in runs]))
        state.cache.runs.insert_all([StretchTally(row.start, row.count, 0) for row in rows])
        state.await_all(peer, rows)
        state.index.insert_all(rows)
        state.files.appended(offset - begin)
        state.emit(StretchesWritten("S143", state.name, file, begin, each, step, tuple(runs)))
        state.handle.append_all(records, sizes, None)

    def _append_records(self, write: WriteRequest, start: int, count: int, offset: int) -> bool:
        """Append records at the current file's end; return whether the file rolled over."""
        state, peer, content = self._state, write.peer, write.content
        files, handle, each = state.files, state.handle, content.record_bytes
        state.await_sync(peer, start, count)
        step = write.step if count > 1 else 1
        row = row_at(start, count, files.current, offset, each, write.step)
        size_bytes = row.size_bytes
        state.index.insert(row)
        files.appended(size_bytes)
        state.emit(StoreWritten("S143", state.name, files.current, offset, start, count, each, write.step))
        run = StoreRecords(
            start, count, content.size_bytes, content.raw_persistent, content.template, state.codec, step=step
        )
        handle.append(run, each if isinstance(each, int) else None)
        rolled = offset + size_bytes >= state.settings.msg_store_file_size_limit
        if rolled:
            self._roll_over()
        return rolled

    def _roll_over(self) -> None:
        """Close the current file and open the next (S171)."""
        state = self._state
        state.sync()
        state.handle.close()
        files = state.files
        closed = files.current
        size_bytes = files[closed].file_size
        files.open(closed + 1)
        state.storage.create(state.path(closed + 1))
        state.open_current()
        limit = state.settings.msg_store_file_size_limit
        why = {"size": size_bytes, "limit": limit}
        state.emit(FileRolledOver("S171", state.name, closed, closed + 1, dict(why)))
        state.cache.drop_all_zeros()
        self._collector.maybe_compact()
