"""The queue's own record changes."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.extents import Delta
from engine.ranges import Range
from engine.transitions.base import About, Transition, Why


class DeltaChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The record of delta changed although no message moved, as when a read found nothing (Q34)."""

    about: ClassVar[About] = About(
        group="memory", function="maybe_deltas_to_betas", fold="queue", shown="step"
    )

    queue: str
    delta: Delta
    why: Why = {}


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


class Reduced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A memory reduction was done (Q45, Q53). why: all numbers that decided it, also of steps that moved nothing.

    why keys (default mode): ram_msg_count, ram_pending, target, surplus, quota, order, q1_moved, q4_moved,
    pending_paged, betas, permitted, beta_surplus, io_batch_size, betas_moved, blocked, bump.
    """

    about: ClassVar[About] = About(
        group="memory",
        function="reduce_memory_use",
        fold="queue",
        weight=9,
        setting="explicit_gc_run_operation_threshold",
    )

    queue: str
    why: Why = {}


class TargetChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """target_ram_count was computed anew (Q43). why: duration, rates."""

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


class ConversionStuck(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The conversion to lazy never ends: too little is left outside q3 and delta for a batch (V5). why: left."""

    about: ClassVar[About] = About(
        group="memory",
        function="convert_to_lazy",
        weight=9,
        setting="msg_store_io_batch_size",
        units={"left": "messages"},
    )

    queue: str
    why: Why = {}


class ConfirmsDue(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages became confirmable: their disk writes are done (K5-K7). `by`: index, store, both, ignored."""

    about: ClassVar[About] = About(group="messages", function="record_confirms", shown="detail")

    queue: str
    by: str
    messages: tuple[Range, ...]
