"""The server handles removes (S147)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from engine.classic_v1.store.collector import GarbageCollector
from engine.classic_v1.store.index_table import StoreIndexRow
from engine.classic_v1.store.mailbox import RemoveSent
from engine.classic_v1.store.peers import StorePeer
from engine.classic_v1.store.state import JudgedFile, StoreState
from engine.classic_v1.transitions.stores import OperationDeferred
from engine.values.errors import InvariantBroken
from engine.values.ranges import Range, RangeSet


class StoreRemover:
    """Handles remove messages, as many at once as nothing else can happen between.

    Args:
        state: the store's tables.
        collector: its garbage collector, asked after each message.
    """

    def __init__(self, state: StoreState, collector: GarbageCollector) -> None:
        self._state = state
        self._collector = collector

    def handle(self, remove: RemoveSent, quiesce: Callable[[], None] | None) -> None:
        """Handle all messages of `remove`.

        Args:
            remove: one message with all ids, or one for each.
            quiesce: lets the garbage collector finish; called between two messages when it has something to do.
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

    def _settled(self, peer: StorePeer, ids: Range, step: int) -> Iterator[JudgedFile]:
        """Settle the in-flight table for ids and yield what is to be processed (S147)."""
        for flying in peer.flying.over(ids.start, ids.count, step):
            if flying.value == -1:
                peer.flying.set(flying.start, flying.count, 0)
                yield from self._state.judge(peer, flying.start, flying.count, step)

    def _handle_singles(self, remove: RemoveSent, quiesce: Callable[[], None] | None) -> None:
        """Handle one message for each id."""
        for ids in remove.ranges:
            left = ids
            while left.count:
                if quiesce is not None and self._collector.busy:
                    quiesce()
                done = self._singles(remove.peer, left, remove.step, quiesce is not None)
                left = left.part(done if remove.step > 0 else 0, left.count - done)

    def _singles(self, peer: StorePeer, ids: Range, step: int, stops: bool) -> int:
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
        at, many, row = self._state.index.pieces(start, count)[0]
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

    def _message_done(self, peer: StorePeer, processed: RangeSet) -> None:
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

    def remove(self, peer: StorePeer, judged: JudgedFile) -> None:
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

    def defer(self, peer: StorePeer, row: StoreIndexRow) -> None:
        """Let the remove of the last reference wait until the file is unlocked (S187)."""
        self._collector.defer(row.file, partial(self._remove_again, peer, row.start, row.count))
        self._state.emit(
            OperationDeferred("S187", self._state.name, row.file, "remove", row.start, row.count)
        )

    def _remove_again(self, peer: StorePeer, start: int, count: int) -> None:
        for judged in self._state.judge(peer, start, count, 1):
            self.remove(peer, judged)


def part_of(judged: JudgedFile, skip: int, count: int) -> JudgedFile:
    """Return `count` of these messages beginning `skip` on."""
    row = None if judged.row is None else judged.row.part(skip, count)
    return JudgedFile(judged.start + skip, count, row, judged.masked)
