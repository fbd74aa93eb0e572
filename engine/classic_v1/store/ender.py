"""Messages that lie alone in the store end: each is read and removed by calls of its own (S147, S155, S186)."""

from __future__ import annotations

from collections.abc import Callable

from engine.classic_v1.store.collector import Collector
from engine.classic_v1.store.peers import Peer
from engine.classic_v1.store.reader import Reader
from engine.classic_v1.store.state import StoreState


class Ender:
    """Does at once what sending a remove and settling would, where nothing else is under way.

    Args:
        state: the store's tables.
        collector: its garbage collector, asked after each message.
        reader: answers the reads.
    """

    def __init__(self, state: StoreState, collector: Collector, reader: Reader) -> None:
        self._state = state
        self._collector = collector
        self._reader = reader

    def end(self, peer: Peer, start: int, count: int, read: bool, finish: Callable[[], None]) -> int:
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
