"""The queue's own record changes, and what reduced its memory."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.extents import DeltaExtent


class DeltaChanged(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The record of delta changed although no message moved, as when a read found nothing (Q34)."""

    about: ClassVar[About] = About(
        group="memory", function="maybe_deltas_to_betas", fold="record", shown="step"
    )

    queue: str
    delta: DeltaExtent
    why: Why = {}


class Reduced(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """A memory reduction was done (Q45, Q53). why: all numbers that decided it, also of steps that moved nothing.

    why keys (default mode): ram_msg_count, ram_pending, target, surplus, quota, order, q1_moved, q4_moved,
    pending_paged, betas, permitted, beta_surplus, io_batch_size, betas_moved, blocked, bump.
    """

    about: ClassVar[About] = About(
        group="memory",
        function="reduce_memory_use",
        fold="reduction",
        weight=9,
        setting="explicit_gc_run_operation_threshold",
    )

    queue: str
    why: Why = {}


class ConversionStuck(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """The conversion to lazy never ends: too little is left outside q3 and delta for a batch (V5).

    why: left, q2, q3, permitted, surplus, io_batch_size.
    """

    about: ClassVar[About] = About(
        group="memory",
        function="convert_to_lazy",
        weight=9,
        setting="msg_store_io_batch_size",
        units=dict.fromkeys(("left", "q2", "q3", "permitted", "surplus", "io_batch_size"), "messages"),
    )

    queue: str
    why: Why = {}
