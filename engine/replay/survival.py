"""Finds what a stop would leave of a run now, by stopping a repetition of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from engine.backing_queue.message_places import place_named
from engine.counting.levels import of_mirror
from engine.folding import found_at_start
from engine.reading.message_places import in_counted
from engine.replay.player import RunPlayer
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import (
    Acked,
    Discarded,
    Dropped,
    Fetched,
    Published,
    PublishedDelivered,
    QueueStarted,
    QueueStopped,
)
from engine.values.extents import PERSISTENT
from engine.values.stretches import Range, RangeSet

LOSING: Final = frozenset({"clean", "crash", "kill", "power", "dropped", "refused"})
"""Ways in which a queue or a member ends without being deleted on purpose."""


class RunWitness:
    """Follows one run from its beginning. `node`: a new `engine.broker.cluster.Cluster`."""

    def __init__(self, node: Any) -> None:
        self._node = node
        self._confirmed = RangeSet()
        self._entered: dict[str, RangeSet] = {}
        self._settled = RangeSet()
        self._stopped = False
        self._handlers: dict[type[Transition], Callable[[Any], None]] = {
            **dict.fromkeys((Published, PublishedDelivered, Discarded), self._came),
            **dict.fromkeys((Fetched, Dropped, Acked), self._left),
            QueueStopped: self._ended,
        }
        node.connections.confirms.witness = self._confirm

    def _confirm(self, messages: Range) -> None:
        self._confirmed.add(messages.start, messages.count)

    def observe(self, transition: Transition) -> None:
        """Observe transitions, except those of mirrors, which only repeat their master's."""
        kind = type(transition)
        if kind in self._handlers:
            of_queue: Any = transition
            if not of_mirror(of_queue.queue):
                self._handlers[kind](transition)

    def _came(self, shift: Any) -> None:
        entered = self._entered.setdefault(shift.queue, RangeSet())
        for extent in shift.extents:
            entered.add(extent.msg_no, extent.count)
        self._left(shift)

    def _left(self, shift: Any) -> None:
        if shift.to is None:
            for extent in shift.extents:
                self._settled.add(extent.msg_no, extent.count)

    def _ended(self, stop: Any) -> None:
        if stop.how in LOSING:
            self._stopped = True
        else:
            self._settled.update(self._entered.pop(stop.queue, ()))

    def lost(self) -> int | None:
        """Return how many confirmed messages no queue has any more, although nobody took or deleted them. Messages of a
        queue that waits for its node are not lost, and losses of a queue that was later deleted do not count. Reads the
        queues, so call it after the run. None for a queue whose messages cannot be listed, such as one with priorities.
        """
        if not self._stopped:
            return 0
        node, missing = self._node, RangeSet()
        if any(live.process.queue.parts for live in node.queues.values()):
            return None
        for entered in self._entered.values():
            missing.update(entered.intersection(self._confirmed))
        missing.subtract(self._settled)
        for name, entered in self._entered.items():
            if name in node.queues:
                queue: Any = node.queues[name].process.queue
                missing.subtract(Range(extent.msg_no, extent.count) for extent, _ in queue.fold())
            elif name in node.cluster.records:
                missing.subtract(entered)
        return len(missing)


WITHIN_US: Final = 60_000_000
"""Longest virtual time that a start may take."""


class MessageFate(msgspec.Struct):
    """The fate of a queue's messages.

    Args:
        kept: seq_ids of ready messages that are still there.
        back: seq_ids of messages that come
        back: unacknowledged, or acknowledged but not yet on disk.
        lost: seq_ids of lost messages, as far as known.
        unplaced: how many of `kept` are lost too: transient ones that were only counted.
        unacked: how many of `back` consumers held.
        acks: how many of `back` were acknowledged.
        transient: how many of the lost ones are transient.
        unsynced: how many of the lost ones are persistent and had not reached the disk.
        survives: whether the queue itself is still there.
    """

    kept: list[Range]
    back: list[Range]
    lost: list[Range]
    unplaced: int
    unacked: int
    acks: int
    transient: int
    unsynced: int
    survives: bool


def foresee(player: RunPlayer, kind: str) -> dict[str, MessageFate]:
    """Return the fate of each queue's messages if the node stopped now; this stops the player's node. `kind`:
    "clean", "kill" or "power" (S234).
    """
    before = player.node.snapshot()["queues"]  # type: ignore[attr-defined]  # every node has one
    found: dict[str, Any] = {}
    started: dict[str, int] = {}
    rows = [*player.give({"do": "restart", "kind": kind}).rows]
    if not _all_started(before, rows):
        for piece in player.play(player.node.now_us + WITHIN_US):
            rows += piece.rows
            if _all_started(before, rows):
                break
    for row in rows:
        seqs = found_at_start(row)
        if seqs is not None:
            found.setdefault(row.queue, seqs)
        elif isinstance(row, QueueStarted):
            started[row.queue] = int(row.values["len"] or 0)
    return {
        name: fate_of(queue, found.get(name, ()) if name in started else None, started.get(name, 0))
        for name, queue in before.items()
        if queue["lanes"]
    }


def _all_started(before: dict[str, Any], rows: list[Any]) -> bool:
    started = {row.queue for row in rows if isinstance(row, QueueStarted)}
    return all(name in started or not queue["durable"] for name, queue in before.items())


def fate_of(queue: dict[str, Any], recovered: Iterable[Range] | None, length: int = 0) -> MessageFate:
    """Compare a queue before a stop with the messages that its start found. Twin: static/js/model/fate.js.
    `recovered`: their seq_ids; None when the queue is gone. `length`: how many messages the queue has after
    its start; a clean start leaves transient entries in the index and does not count them.
    """
    ready, held, transient = RangeSet(), RangeSet(), RangeSet()
    for place, rows in queue["lanes"].items():
        for start, count, _msg_no, _size, flags, *_rest in rows:
            (held if place_named(place).unacked else ready).add(start, count)
            if not flags & PERSISTENT:
                transient.add(start, count)
    counted, transient_counted = RangeSet(), 0
    for place, (_first, _count, without_disk, _end) in queue["counted"].items():
        counted.update(RangeSet(Range(first, end - first) for first, end in in_counted(queue, place)))
        transient_counted += without_disk
    ready.update(counted)
    there = RangeSet(recovered or ())
    there.subtract(transient)
    unplaced = max(0, len(there) - length)
    lost = ready.copy().update(held).subtract(there)
    back = there.copy().subtract(ready)
    unacked = len(back.intersection(held))
    gone = (
        len(lost.intersection(transient)) + min(transient_counted, len(lost.intersection(counted))) + unplaced
    )
    return MessageFate(
        kept=list(ready.intersection(there)),
        back=list(back),
        lost=list(lost),
        unplaced=unplaced,
        unacked=unacked,
        acks=len(back) - unacked,
        transient=gone,
        unsynced=len(lost) + unplaced - gone,
        survives=recovered is not None,
    )
