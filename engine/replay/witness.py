"""Confirmed messages that failovers and restarts lost: what publishers believe to be safe, and is not (H69)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.counting.levels import of_mirror
from engine.report.transitions.base import Transition
from engine.report.transitions.messages import (
    Acked,
    Discarded,
    Dropped,
    Fetched,
    Published,
    PublishedDelivered,
)
from engine.report.transitions.stops import QueueStopped
from engine.values.ranges import Range, RangeSet

LOSING: Final = frozenset({"clean", "crash", "kill", "power", "dropped", "refused"})
"""How a queue or a member of it ends that nobody wanted to be deleted."""


class RunWitness:
    """Follows one run from its beginning.

    Args:
        node: a new `engine.broker.cluster.Cluster`.
    """

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
        """Take notice of what happened; mirrors only repeat what their master does."""
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
        """Return how many confirmed messages no queue has any more, though nobody took or deleted them.

        What a queue has that waits for its node to return is not lost; what a queue lost before it was deleted does
        not count. Reads the queues, so ask when the run is over.
        None for a queue whose messages cannot be listed, as one with priorities.
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
