"""What a run's metrics need of the run so far: levels that rise and fall, followed from its transitions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec

from engine import transitions as t
from engine.backing_queue.places import PLACES
from engine.values.extents import WANTS_CONFIRM, Extent
from engine.values.labels import is_member
from engine.values.ranges import RangeSet
from engine.values.sizes import total
from engine.values.waits import Stopwatch


class Levels(msgspec.Struct):
    """The levels after the last transition.

    Args:
        at_us: when it happened, in virtual microseconds.
        node_ram_bytes, ram_bytes, limit_bytes, paging_at_bytes: what the memory check reported last.
        alarm: whether the memory alarm is set.
        between_bytes: what mirroring has sent from node to node.
        ready: messages that wait in all queues; `readies` and `deltas` have them by queue, in all and in delta.
        finite_targets: queues whose target of messages in RAM is finite, so that they page.
        blocked_publishers: publishers whose connection is blocked.
        waiting: by queue, how long messages wait for their first delivery.
        unconfirmed: how long messages wait for their confirm; `due` are those that some queue has written.
        bodies: by queue of version 2, bytes that wait for `.qs`; `bodies_written` had waited before the last write.
        new: count and size of the messages that just entered a queue, and none before; `seen` are all that ever did.
    """

    at_us: int = 0
    node_ram_bytes: int = 0
    ram_bytes: int = 0
    limit_bytes: int = 0
    paging_at_bytes: int = 0
    alarm: bool = False
    between_bytes: int = 0
    ready: int = 0
    readies: dict[str, int] = {}
    deltas: dict[str, int] = {}
    finite_targets: set[str] = set()
    blocked_publishers: set[str] = set()
    waiting: dict[str, Stopwatch] = {}
    unconfirmed: Stopwatch = msgspec.field(default_factory=Stopwatch)
    due: RangeSet = msgspec.field(default_factory=RangeSet)
    new: tuple[tuple[int, int], ...] = ()
    seen: RangeSet = msgspec.field(default_factory=RangeSet)
    bodies: dict[str, int] = {}
    bodies_written: int = 0

    def follow(self, at_us: int, transition: t.Transition) -> None:
        """Bring the levels up to a transition at `at_us`."""
        self.at_us = at_us
        for handler in handlers_of(type(transition)):
            handler(self, at_us, transition)


OF_MEMORY = (t.NodeChanged,)
OF_READY = (t.Shift, t.DeltaChanged, t.QueueStopped, t.QueueStarted, t.QueuePromoted)
OF_PAGING = (t.TargetChanged, t.QueueStopped)
OF_BLOCKED = (t.ActorChanged,)
OF_WAITING = (t.Published, t.PublishedDelivered, t.Discarded, t.Fetched, t.Dropped, t.QueuePromoted)
OF_CONFIRMS = (
    t.Published,
    t.PublishedDelivered,
    t.Discarded,
    t.ConfirmsDue,
    t.ConfirmsSent,
    t.QueueStopped,
)
"""Which kinds of transitions each level is followed from."""

AT_ONCE = frozenset({"immediate", "delivered"})
"""Causes of confirms that wait for no disk (K1, K2)."""

LANES = frozenset(
    place.name for places in PLACES.values() for place in places if not place.unacked and not place.counted
)
"""Places of ready messages that transitions list; of delta they have only the count."""


def count(extents: tuple[Extent, ...]) -> int:
    """Return how many messages the extents hold."""
    if len(extents) == 1:  # nearly always
        return extents[0].count
    return sum(extent.count for extent in extents)


def of_mirror(queue: str) -> bool:
    """Return whether a transition's queue is a mirror, which only repeats what its master does (H32)."""
    return is_member(queue)


def _shifted(levels: Levels, at_us: int, shift: t.Shift) -> None:
    """Follow how many messages are ready, in all and in each queue's delta."""
    moved = count(shift.extents) * ((shift.to in LANES) - (shift.source in LANES))
    if moved:
        _ready(levels, shift.queue, moved)
    if shift.delta is not None:
        _delta(levels, shift.queue, shift.delta.count)


def _ready(levels: Levels, queue: str, more: int) -> None:
    if not of_mirror(queue):
        levels.ready += more
    levels.readies[queue] = levels.readies.get(queue, 0) + more


def _delta(levels: Levels, queue: str, in_delta: int) -> None:
    _ready(levels, queue, in_delta - levels.deltas.get(queue, 0))
    levels.deltas[queue] = in_delta


def _waiting(levels: Levels, queue: str) -> Stopwatch:
    return levels.waiting.setdefault(queue, Stopwatch())


def _entered(levels: Levels, at_us: int, shift: t.Shift) -> None:
    """Of messages that came into a queue and await a confirm the time is taken once for all queues."""
    levels.new = tuple(_first_time(levels.seen, extent) for extent in shift.extents)
    for extent in shift.extents:
        if extent.flags & WANTS_CONFIRM:
            levels.unconfirmed.begin_once(extent.msg_no, extent.count, at_us)


def _first_time(seen: RangeSet, extent: Extent) -> tuple[int, int]:
    known = seen.inside(extent.msg_no, extent.count)
    count = extent.count - sum(each.count for each in known)
    if count:
        seen.add(extent.msg_no, extent.count)
    return count, extent.total_bytes - sum(total(extent.size_bytes, each.start, each.count) for each in known)


def _published(levels: Levels, at_us: int, shift: t.Shift) -> None:
    _entered(levels, at_us, shift)
    waiting = _waiting(levels, shift.queue)
    for extent in shift.extents:
        waiting.begin(extent.start, extent.count, at_us)


def _handed_over(levels: Levels, at_us: int, shift: t.Shift) -> None:
    """A message that met a waiting consumer is published and delivered at once."""
    _entered(levels, at_us, shift)
    if not of_mirror(shift.queue):
        _waiting(levels, shift.queue).note(0, count(shift.extents))


def _fetched(levels: Levels, at_us: int, shift: t.Shift) -> None:
    """Only the first delivery of a message ends its wait: a requeued one does not wait any more."""
    waiting = _waiting(levels, shift.queue)
    for extent in shift.extents:
        waiting.end(extent.start, extent.count, at_us)


def _dropped(levels: Levels, at_us: int, shift: t.Shift) -> None:
    waiting = _waiting(levels, shift.queue)
    for extent in shift.extents:
        waiting.forget(extent.start, extent.count)


def _confirms_due(levels: Levels, at_us: int, due: t.ConfirmsDue) -> None:
    for each in due.messages:
        for stamp in levels.unconfirmed.waiting.overlapping(each.start, each.count):
            levels.due.add(stamp.start, stamp.count)


def _confirms_sent(levels: Levels, at_us: int, sent: t.ConfirmsSent) -> None:
    """Of the messages that some queue has written the oldest are confirmed; without disk a confirm takes no time."""
    left = sent.count
    for each in list(levels.due):
        if sent.why.get("cause") in AT_ONCE or not left:
            break
        part = each.part(0, min(each.count, left))
        levels.due.discard(part.start, part.count)
        levels.unconfirmed.end(part.start, part.count, at_us)
        left -= part.count
    if left:
        levels.unconfirmed.note(0, left)


def _queue_stopped(levels: Levels, at_us: int, stop: t.QueueStopped) -> None:
    """Nothing of a stopped queue is ready; what survives is reported when it starts again."""
    _ready(levels, stop.queue, -levels.readies.get(stop.queue, 0))
    levels.due.clear()
    levels.deltas[stop.queue] = 0
    levels.finite_targets.discard(stop.queue)


def _queue_started(levels: Levels, at_us: int, start: t.QueueStarted) -> None:
    _delta(levels, start.queue, start.delta.count)


def _promoted(levels: Levels, at_us: int, change: t.QueuePromoted) -> None:
    """What a mirror has is what waits in the queue from now on."""
    ready = levels.readies.pop(change.source, 0)
    levels.deltas[change.queue] = levels.deltas.pop(change.source, 0)
    if change.source in levels.waiting:
        heir = levels.waiting.pop(change.source)
        heir.tally = _waiting(levels, change.queue).tally
        levels.waiting[change.queue] = heir
    _ready(levels, change.queue, ready - levels.readies.get(change.queue, 0))


def _delta_changed(levels: Levels, at_us: int, change: t.DeltaChanged) -> None:
    _delta(levels, change.queue, change.delta.count)


def _target_changed(levels: Levels, at_us: int, change: t.TargetChanged) -> None:
    (levels.finite_targets.discard if change.target is None else levels.finite_targets.add)(change.queue)


def _node_changed(levels: Levels, at_us: int, change: t.NodeChanged) -> None:
    values = change.values
    if change.part == "memory":
        levels.ram_bytes = int(values.get("process_memory", levels.ram_bytes) or 0)
        levels.limit_bytes = int(values.get("limit", levels.limit_bytes) or 0)
        levels.paging_at_bytes = int(values.get("paging_at", levels.paging_at_bytes) or 0)
    if change.part == "cluster":
        levels.between_bytes = int(values.get("between_bytes", levels.between_bytes) or 0)
    if change.part == "settings":
        levels.node_ram_bytes = int(values.get("ram_bytes", levels.node_ram_bytes) or 0)
    if change.part == "alarms" and "memory" in values:
        levels.alarm = bool(values["memory"])


def _actor_changed(levels: Levels, at_us: int, change: t.ActorChanged) -> None:
    """A blocked connection reads nothing, so what counts is the time in which any of them was."""
    values = change.values
    if values is None:
        levels.blocked_publishers.discard(change.actor)
    elif "state" in values:
        blocked = values["state"] == "blocked"
        (levels.blocked_publishers.add if blocked else levels.blocked_publishers.discard)(change.actor)


ENTRY_HEAD_BYTES = 8
"""Before each body in `.qs` (W112)."""


def _bodies_buffered(levels: Levels, at_us: int, change: t.BodiesBuffered) -> None:
    _bodies(levels, change.queue, change.bytes_ + ENTRY_HEAD_BYTES * change.count)


def _bodies_forgotten(levels: Levels, at_us: int, change: t.BodiesForgotten) -> None:
    _bodies(levels, change.queue, -change.bytes_ - ENTRY_HEAD_BYTES * change.count)


def _bodies(levels: Levels, queue: str, more: int) -> None:
    levels.bodies[queue] = levels.bodies.get(queue, 0) + more


def _bodies_gone(levels: Levels, at_us: int, change: t.BodiesWritten | t.FilesFound | t.FilesReset) -> None:
    """Nothing waits any more: it was written, or its directory is gone, or it died with the queue."""
    levels.bodies_written = levels.bodies.pop(change.queue, 0)


Handler = Callable[[Levels, int, Any], None]

HANDLERS: dict[type[t.Transition], Handler] = {
    t.Published: _published,
    t.PublishedDelivered: _handed_over,
    t.Discarded: _handed_over,
    t.Fetched: _fetched,
    t.Dropped: _dropped,
    t.ConfirmsDue: _confirms_due,
    t.ConfirmsSent: _confirms_sent,
    t.QueueStopped: _queue_stopped,
    t.QueueStarted: _queue_started,
    t.QueuePromoted: _promoted,
    t.DeltaChanged: _delta_changed,
    t.TargetChanged: _target_changed,
    t.NodeChanged: _node_changed,
    t.ActorChanged: _actor_changed,
    t.BodiesBuffered: _bodies_buffered,
    t.BodiesForgotten: _bodies_forgotten,
    t.BodiesWritten: _bodies_gone,
    t.FilesFound: _bodies_gone,
    t.FilesReset: _bodies_gone,
}


@cache
def handlers_of(kind: type[t.Transition]) -> tuple[Handler, ...]:
    """Return what follows transitions of a kind: a shift moves messages, whatever else it does."""
    shifted = (_shifted,) if issubclass(kind, t.Shift) else ()
    return (*shifted, HANDLERS[kind]) if kind in HANDLERS else shifted
