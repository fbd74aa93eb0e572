"""The server handles writes (S141-S144), and rolls the current file over (S171)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

from engine.classic_v1.formats.record import StoreRecords
from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.index_table import StoreIndexRow, row_at
from engine.classic_v1.store.mailbox import WriteRequest
from engine.classic_v1.store.peers import StorePeer
from engine.classic_v1.store.state import JudgedFile, StoreState
from engine.classic_v1.store.tallies import StretchTally
from engine.classic_v1.transitions.stores import StretchesWritten
from engine.report.transitions.stores import FileRolledOver, RowsForgotten, StoreWritten, WriteIgnored
from engine.values.ranges import Range
from engine.values.sizes import reach

_start = attrgetter("start")


class StoreWriter:
    """Handles write messages, as many at once as nothing else can happen between.

    Args:
        state: the store's tables.
        collector: its garbage collector, asked after each roll-over.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector) -> None:
        self._state = state
        self._collector = collector

    def handle(self, write: WriteRequest, quiesce: Callable[[], None] | None) -> None:
        """Handle all messages of `write`.

        Args:
            write: the messages.
            quiesce: lets the garbage collector finish; called between two messages when it has something to do.
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
                state.uncache(flying.start, flying.count)
                done += flying.count
                continue
            for judged in state.judge(peer, flying.start, flying.count, step):
                count, rolled = self._process(write, judged, flying.value)
                done += count
                if rolled:
                    return done
        return done

    def _arrive(self, peer: StorePeer, start: int, count: int) -> None:
        """Do what every write does first: grant credit, and count it no longer in flight in the cache (S141.1)."""
        peer.handled(count)
        self._state.cache.change(start, count, _one_less)

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
                state.uncache(start, count)
        else:
            assert row is not None
            self._duplicate(peer, row)
        return count, False

    def _ignore(self, rule: str, peer: StorePeer, start: int, count: int) -> None:
        self._state.emit(WriteIgnored(rule, self._state.name, start, count))

    def _duplicate(self, peer: StorePeer, row: StoreIndexRow) -> None:
        """Count one more reference to records that are there already (S142, S144)."""
        state = self._state
        state.set_refs("S142", row, row.refs + 1)
        if row.file == state.files.current:
            state.await_sync(peer, row.start, row.count)
        else:
            state.uncache(row.start, row.count)
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
            state.index.forget(start, count)
            state.emit(RowsForgotten("S142", state.name, (Range(start, count),)))
        return count, self._append_records(write, start, count, offset)

    def handle_new(self, write: WriteRequest, quiesce: Callable[[], None] | None) -> None:
        """Handle messages that neither the index nor anybody's mail knows, as `handle` does once they are sent.

        Args:
            write: the messages.
            quiesce: lets the garbage collector finish after a roll-over; None where all are sent by one call.
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
        rows: list[StoreIndexRow] = []
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
            start,
            count,
            content.size_bytes,
            content.raw_persistent,
            content.template,
            state.codec,
            step=step,
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
        state.uncache_all()
        self._collector.maybe_compact()


def _one_less(value: int) -> int:
    return max(0, value - 1)
