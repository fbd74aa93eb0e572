"""Messages that lie alone in the store end: each is read and removed by calls of its own (S147, S155, S186)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.index_table import StoreIndexRow
from engine.classic_v1.store.peers import StorePeer
from engine.classic_v1.store.reader import BodyReader
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.transitions.stores import StretchesRead, StretchesRecounted
from engine.values.ranges import Range

LEAST: Final = 2
"""Fewer runs go by themselves, and are told as such."""


class Ender:
    """Does at once what sending a remove and settling would, where nothing else is under way.

    Args:
        state: the store's tables.
        collector: its garbage collector, asked after each message.
        reader: answers the reads.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector, reader: BodyReader) -> None:
        self._state = state
        self._collector = collector
        self._reader = reader

    def end_many(self, peer: StorePeer, messages: Sequence[Range], read: bool) -> int:
        """End runs of messages that lie alone in one file while garbage collection cannot start; return how many runs.

        Args:
            peer: their client, which has nothing under way.
            messages: their numbers, each a run of its own.
            read: whether their bodies are read before.
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

    def _alone(self, messages: Sequence[Range]) -> tuple[list[StoreIndexRow], list[int]]:
        """Return the rows of leading runs that lie alone in one file, and their bytes, as far as nothing starts."""
        state = self._state
        found: list[StoreIndexRow] = []
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

    def _alike_in_cache(self, rows: Sequence[StoreIndexRow], current: bool) -> int:
        """Return how many leading runs are in the cache, all of them, where they are to be; else how many are not."""
        cached = self._state.cache.runs
        if not current:
            low, high = rows[0].start, rows[-1].start + rows[-1].count
            return 0 if cached.overlapping(low, high - low) else len(rows)
        for at, (row, held) in enumerate(zip(rows, cached.holding([row.start for row in rows]), strict=True)):
            if held is None or held.start + held.count < row.start + row.count:
                return at
        return len(rows)

    def end(self, peer: StorePeer, start: int, count: int, read: bool, finish: Callable[[], None]) -> int:
        """End messages up to the one after which garbage collection may start; return how many, 0 where it is unsure.

        Args:
            peer: their client, which has nothing under way.
            start: first message number.
            count: how many.
            read: whether their bodies are read before.
            finish: ends the call; asked when the garbage collector has something to do.
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
