"""Reading bodies, by the client alone or through the server (S155-S157)."""

from __future__ import annotations

from functools import partial

from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.index_table import StoreIndexRow
from engine.classic_v1.store.peers import StorePeer
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.transitions.stores import OperationDeferred
from engine.report.transitions.stores import StoreRead
from engine.values.errors import InvariantBroken
from engine.values.ranges import RangeSet


class BodyReader:
    """Answers reads, and whether messages are here.

    Args:
        state: the store's tables.
        collector: where operations on locked files wait.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector) -> None:
        self._state = state
        self._collector = collector

    def read(self, peer: StorePeer, start: int, count: int) -> int:
        """Read messages, in ascending order (S155).

        Args:
            peer: the client that reads.
            start: first message number.
            count: how many.

        Returns:
            How many reads wait for a locked file.
        """
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

    def _read_rows(self, peer: StorePeer | None, start: int, count: int) -> int:
        waiting = 0
        for at, many, row in self._state.index.pieces(start, count) if count else ():
            if row is None or not row.refs:
                raise InvariantBroken(f"message {at} is read but the store does not hold it (S156)")
            waiting += self.read_row(peer, row, many)
        return waiting

    def read_row(self, peer: StorePeer | None, row: StoreIndexRow, count: int) -> int:
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
