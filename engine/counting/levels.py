"""What a run's metrics need of the run so far: levels that rise and fall, followed from its transitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from engine.backing_queue.message_places import is_lane
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ActorChanged, ConfirmsSent, NodeChanged, QueuePromoted
from engine.report.transitions.queue import (
    ConfirmsDue,
    Discarded,
    Dropped,
    Fetched,
    Published,
    PublishedDelivered,
    QueueStarted,
    QueueStopped,
    Shift,
    TargetChanged,
)
from engine.values.extents import WANTS_CONFIRM, Extent
from engine.values.labels import is_member
from engine.values.sizes import total
from engine.values.stretches import RangeSet
from engine.values.waits import WaitTimes

Part = TypeVar("Part")


class RunLevels(msgspec.Struct):
    """The levels after the last transition.

    Args:
        at_us: when it happened, in virtual microseconds.
        transitions: how many there were.
        node_ram_bytes, ram_bytes, limit_bytes, paging_at_bytes: what the memory check reported last.
        alarm: whether the memory alarm is set.
        between_bytes: what mirroring has sent from node to node.
        ready: messages that wait in all queues; `readies` has them by queue, `counted` those that RAM only counts.
        finite_targets: queues whose target of messages in RAM is finite, so that they page.
        waiting: by queue, how long messages wait for their first delivery.
        unconfirmed: how long messages wait for their confirm; `due` are those that some queue has written.
        own: what one generation follows besides, by its class.
        new: count and size of the messages that just entered a queue, and none before; `seen` are all that ever did.
    """

    at_us: int = 0
    transitions: int = 0
    node_ram_bytes: int = 0
    ram_bytes: int = 0
    limit_bytes: int = 0
    paging_at_bytes: int = 0
    alarm: bool = False
    between_bytes: int = 0
    ready: int = 0
    readies: dict[str, int] = {}
    counted: dict[str, int] = {}
    finite_targets: set[str] = set()
    blocked_publishers: set[str] = set()
    waiting: dict[str, WaitTimes] = {}
    unconfirmed: WaitTimes = msgspec.field(default_factory=WaitTimes)
    due: RangeSet = msgspec.field(default_factory=RangeSet)
    new: tuple[tuple[int, int], ...] = ()
    seen: RangeSet = msgspec.field(default_factory=RangeSet)
    own: dict[type, Any] = {}

    def part(self, kind: type[Part]) -> Part:
        """Return what a generation follows, a blank one at first."""
        part: Part = self.own.setdefault(kind, kind())
        return part


OF_MEMORY = (NodeChanged,)
OF_READY = (Shift, QueueStopped, QueueStarted, QueuePromoted)
OF_PAGING = (TargetChanged, QueueStopped)
OF_BLOCKED = (ActorChanged,)
OF_WAITING = (Published, PublishedDelivered, Discarded, Fetched, Dropped, QueuePromoted)
OF_CONFIRMS = (Published, PublishedDelivered, Discarded, ConfirmsDue, ConfirmsSent, QueueStopped)
"""Which kinds of transitions each level is followed from."""

AT_ONCE = frozenset({"immediate", "delivered"})
"""Causes of confirms that wait for no disk (K1, K2)."""


def count(extents: tuple[Extent, ...]) -> int:
    found = 0
    for extent in extents:  # nearly always one
        found += extent.count
    return found


of_mirror: Final = is_member
"""Tells whether a transition's queue is a mirror, which only repeats what its master does (H32)."""


def _shifted(levels: RunLevels, at_us: int, shift: Shift) -> None:
    """Follow how many messages are ready, in all and those that are only counted."""
    step = is_lane(shift.to) - is_lane(shift.source)
    if step:
        _ready(levels, shift.queue, step * count(shift.extents))
    if shift.record is not None:
        recount(levels, shift.queue, shift.record.count)


def _ready(levels: RunLevels, queue: str, more: int) -> None:
    if not of_mirror(queue):
        levels.ready += more
    levels.readies[queue] = levels.readies.get(queue, 0) + more


def recount(levels: RunLevels, queue: str, many: int) -> None:
    _ready(levels, queue, many - levels.counted.get(queue, 0))
    levels.counted[queue] = many


def _waiting(levels: RunLevels, queue: str) -> WaitTimes:
    if queue not in levels.waiting:
        levels.waiting[queue] = WaitTimes()
    return levels.waiting[queue]


def _entered(levels: RunLevels, at_us: int, shift: Shift) -> None:
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


def _published(levels: RunLevels, at_us: int, shift: Shift) -> None:
    _entered(levels, at_us, shift)
    waiting = _waiting(levels, shift.queue)
    for extent in shift.extents:
        waiting.begin(extent.start, extent.count, at_us)


def _handed_over(levels: RunLevels, at_us: int, shift: Shift) -> None:
    """A message that met a waiting consumer is published and delivered at once."""
    _entered(levels, at_us, shift)
    if not of_mirror(shift.queue):
        _waiting(levels, shift.queue).note(0, count(shift.extents))


def _fetched(levels: RunLevels, at_us: int, shift: Shift) -> None:
    """Only the first delivery of a message ends its wait: a requeued one does not wait any more."""
    waiting = _waiting(levels, shift.queue)
    for extent in shift.extents:
        waiting.end(extent.start, extent.count, at_us)


def _dropped(levels: RunLevels, at_us: int, shift: Shift) -> None:
    waiting = _waiting(levels, shift.queue)
    for extent in shift.extents:
        waiting.forget(extent.start, extent.count)


def _confirms_due(levels: RunLevels, at_us: int, due: ConfirmsDue) -> None:
    for each in due.messages:
        for stamp in levels.unconfirmed.waiting.overlapping(each.start, each.count):
            levels.due.add(stamp.start, stamp.count)


def _confirms_sent(levels: RunLevels, at_us: int, sent: ConfirmsSent) -> None:
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


def _queue_stopped(levels: RunLevels, at_us: int, stop: QueueStopped) -> None:
    """Nothing of a stopped queue is ready; what survives is reported when it starts again."""
    _ready(levels, stop.queue, -levels.readies.get(stop.queue, 0))
    levels.due.clear()
    levels.counted[stop.queue] = 0
    levels.finite_targets.discard(stop.queue)


def _queue_started(levels: RunLevels, at_us: int, start: QueueStarted) -> None:
    recount(levels, start.queue, start.record.count)


def _promoted(levels: RunLevels, at_us: int, change: QueuePromoted) -> None:
    """What a mirror has is what waits in the queue from now on."""
    ready = levels.readies.pop(change.source, 0)
    levels.counted[change.queue] = levels.counted.pop(change.source, 0)
    if change.source in levels.waiting:
        heir = levels.waiting.pop(change.source)
        heir.tally = _waiting(levels, change.queue).tally
        levels.waiting[change.queue] = heir
    _ready(levels, change.queue, ready - levels.readies.get(change.queue, 0))


def _target_changed(levels: RunLevels, at_us: int, change: TargetChanged) -> None:
    (levels.finite_targets.discard if change.target is None else levels.finite_targets.add)(change.queue)


def _node_changed(levels: RunLevels, at_us: int, change: NodeChanged) -> None:
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


def _actor_changed(levels: RunLevels, at_us: int, change: ActorChanged) -> None:
    """A blocked connection reads nothing, so what counts is the time in which any of them was."""
    values = change.values
    if values is None:
        levels.blocked_publishers.discard(change.actor)
    elif "state" in values:
        blocked = values["state"] == "blocked"
        (levels.blocked_publishers.add if blocked else levels.blocked_publishers.discard)(change.actor)


Handler = Callable[[RunLevels, int, Any], None]

HANDLERS: dict[type[Transition], Handler] = {
    Published: _published,
    PublishedDelivered: _handed_over,
    Discarded: _handed_over,
    Fetched: _fetched,
    Dropped: _dropped,
    ConfirmsDue: _confirms_due,
    ConfirmsSent: _confirms_sent,
    QueueStopped: _queue_stopped,
    QueueStarted: _queue_started,
    QueuePromoted: _promoted,
    TargetChanged: _target_changed,
    NodeChanged: _node_changed,
    ActorChanged: _actor_changed,
}


def follows(*kinds: type[Transition]) -> Callable[[Handler], Handler]:
    """Let the decorated function bring the levels up to these kinds of a generation."""

    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def handlers_of(kind: type[Transition]) -> tuple[Handler, ...]:
    """Return what follows transitions of a kind: a shift moves messages, whatever else it does."""
    shifted = (_shifted,) if issubclass(kind, Shift) else ()
    return (*shifted, HANDLERS[kind]) if kind in HANDLERS else shifted
