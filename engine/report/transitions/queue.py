"""Queues change: messages enter, leave and come back, queues stop and start (S234, Q62)."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.extents import DeltaExtent, Extent
from engine.values.stretches import Range


class Shift(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages leave `source` and enter `to`; each is a place or None for outside the queue.

    Places are those that the queue's generation registers. `extents` are the messages as they are afterwards, ascending
    by seq_id. `record` is what RAM keeps of messages that it only counts, where they are involved, else None.
    Fold: remove the seq_ids from `source`, insert the extents in `to`; neither outside the queue nor where messages are
    only counted.
    """

    queue: str
    source: str | None
    to: str | None
    extents: tuple[Extent, ...]
    record: DeltaExtent | None = None
    why: Why = {}


class Published(Shift, frozen=True, tag=True, gc=False):
    """New messages entered the queue at its tail (Q20, Q21)."""

    about: ClassVar[About] = About(
        group="messages",
        function="publish",
        fold="shift",
        weight=3,
        arrives=True,
    )


class PublishedDelivered(Shift, frozen=True, tag=True, gc=False):
    """New messages were handed to a consumer without queueing (Q23)."""

    about: ClassVar[About] = About(
        group="messages",
        function="publish_delivered",
        fold="shift",
        weight=3,
        setting="prefetch",
        arrives=True,
        leaves=True,
    )


class Discarded(Shift, frozen=True, tag=True, gc=False):
    """New messages were handed to a no-ack consumer; the queue keeps nothing of them (Q24)."""

    about: ClassVar[About] = About(
        group="messages", function="discard", fold="shift", weight=3, arrives=True, leaves=True
    )


class Fetched(Shift, frozen=True, tag=True, gc=False):
    """Messages were taken for a consumer: they wait for its ack or are gone (Q28-Q32). why: redelivered, from_store."""

    about: ClassVar[About] = About(
        group="messages", function="fetch", fold="shift", weight=2, setting="prefetch", leaves=True
    )


class Dropped(Shift, frozen=True, tag=True, gc=False):
    """Messages were taken out without reading their bodies: drop, expiry, max-length, purge (Q58-Q61)."""

    about: ClassVar[About] = About(group="messages", function="drop", fold="shift", weight=3)


class Acked(Shift, frozen=True, tag=True, gc=False):
    """A consumer acknowledged messages, and the queue forgets them (Q39)."""

    about: ClassVar[About] = About(
        group="messages", function="ack", fold="shift", weight=1, setting="prefetch"
    )


class Requeued(Shift, frozen=True, tag=True, gc=False):
    """Pending messages return to their old places in order (Q40)."""

    about: ClassVar[About] = About(group="messages", function="requeue", fold="shift", weight=5)


class PendingPurged(Shift, frozen=True, tag=True, gc=False):
    """All pending acks are forgotten (Q41)."""

    about: ClassVar[About] = About(group="messages", function="purge_acks", fold="shift")


class CountersChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue record's numbers after a public operation: only those that changed (Q5, Q13)."""

    about: ClassVar[About] = About(group="node", fold="queue", shown="step")

    queue: str
    values: Why


class QueueChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """What is shown of a queue beside its record changed: its definition, its policy, its timers (P17, P18).

    Fold: queue[name] = value for each of `values`; None takes the name away. What has its usual value has no name.
    """

    about: ClassVar[About] = About(group="node", function="process_args_policy", fold="queue")

    queue: str
    values: dict[str, Any]
    why: Why = {}


class TargetChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """target_ram_count was computed again (Q43). why: duration, rates."""

    about: ClassVar[About] = About(
        group="memory",
        function="set_ram_duration_target",
        fold="queue",
        weight=5,
        setting="vm_memory_high_watermark_paging_ratio",
    )

    queue: str
    target: int | None
    why: Why = {}


class ModeChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue is now in `mode` (Q56, Q57)."""

    about: ClassVar[About] = About(
        group="memory", function="set_queue_mode", fold="queue", weight=5, setting="queue_mode"
    )

    queue: str
    mode: str


class ConfirmsDue(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages became confirmable: their disk writes are done (K5-K7). `by`: index, store, both, ignored."""

    about: ClassVar[About] = About(group="messages", function="record_confirms", shown="detail")

    queue: str
    by: str
    messages: tuple[Range, ...]


class QueueStopped(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The queue process ended: clean, crash, kill or power (S234). Fold: everything of the queue is forgotten."""

    about: ClassVar[About] = About(group="node", function="terminate", fold="state", weight=9)

    queue: str
    how: str


class QueueStarted(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A queue process started: of a new queue, or of one that is recovered (Q62)."""

    about: ClassVar[About] = About(group="node", function="init", fold="state", weight=10)

    queue: str
    mode: str
    durable: bool
    record: DeltaExtent
    values: Why
