"""Messages change place inside a queue."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About
from engine.report.transitions.queue import Shift


class PutBack(Shift, frozen=True, tag=True, gc=False):
    """The first message that did not match goes back to the head (Q36)."""

    about: ClassVar[About] = About(group="messages", function="in_r", fold="shift", shown="detail")


class AlphasPushed(Shift, frozen=True, tag=True, gc=False):
    """Reduction moves alphas out of q1's head or q4's tail (Q46)."""

    about: ClassVar[About] = About(
        group="memory",
        function="push_alphas_to_betas",
        fold="shift",
        weight=6,
        setting="vm_memory_high_watermark_paging_ratio",
    )


class PendingPaged(Shift, frozen=True, tag=True, gc=False):
    """Reduction drops the bodies of pending acks, newest first (Q47)."""

    about: ClassVar[About] = About(
        group="memory",
        function="limit_ram_acks",
        fold="shift",
        weight=6,
        setting="vm_memory_high_watermark_paging_ratio",
    )


class BetasPushed(Shift, frozen=True, tag=True, gc=False):
    """Reduction moves index entries of q3's tail or q2's head into delta (Q49)."""

    about: ClassVar[About] = About(
        group="memory",
        function="push_betas_to_deltas",
        fold="shift",
        weight=7,
        setting="msg_store_io_batch_size",
        units={"limit": "seq_id"},
    )


class DeltaRead(Shift, frozen=True, tag=True, gc=False):
    """One read brings messages from delta back to q3 (Q34). why: start, stop, boundary, dropped, skipped."""

    about: ClassVar[About] = About(
        group="memory",
        function="maybe_deltas_to_betas",
        fold="shift",
        weight=8,
        setting="segment_entry_count",
        mark="read",
    )


class LaneJoined(Shift, frozen=True, tag=True, gc=False):
    """A whole sub-queue moves: q1 becomes q4 (Q29), or q2 joins q3 (Q34)."""

    about: ClassVar[About] = About(group="memory", function="queue_out", fold="shift", weight=6)
