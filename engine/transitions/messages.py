"""Messages change place."""

from __future__ import annotations

from typing import ClassVar

from engine.extents import Delta, Extent
from engine.transitions.base import About, Transition, Why


class Shift(Transition, frozen=True, array_like=True, tag=True, gc=False):
    """Messages leave `source` and enter `to`; each is a place or None for outside the queue.

    Places: q1 q2 delta q3 q4 ram_pending disk_pending index_pending. `extents` are the messages as they are
    afterwards, ascending by seq_id. `delta` is the delta record afterwards where delta is involved, else None.
    Fold: remove the seq_ids from `source` (unless None or delta), insert the extents in `to` (unless None or delta).
    """

    queue: str
    source: str | None
    to: str | None
    extents: tuple[Extent, ...]
    delta: Delta | None = None
    why: Why = {}


class Published(Shift, frozen=True, tag=True, gc=False):
    """New messages entered the queue at its tail (Q20, Q21)."""

    about: ClassVar[About] = About(
        group="messages",
        function="publish",
        fold="shift",
        weight=3,
        setting="queue_index_embed_msgs_below",
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
