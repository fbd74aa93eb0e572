"""A queue's record changes, whatever implementation it has."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.ranges import Range


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
