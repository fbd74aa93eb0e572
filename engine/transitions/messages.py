"""Messages change place."""

from __future__ import annotations

from engine.extents import Delta, Extent
from engine.transitions.base import Transition, Why


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
    """New messages at the tail (Q20, Q21)."""


class PublishedDelivered(Shift, frozen=True, tag=True, gc=False):
    """New messages handed to a consumer without queueing (Q23)."""


class Discarded(Shift, frozen=True, tag=True, gc=False):
    """New messages handed to a no-ack consumer; the engine keeps nothing (Q24)."""


class Fetched(Shift, frozen=True, tag=True, gc=False):
    """Messages taken for a consumer: into a pending map, or gone (Q28-Q32). why: redelivered, from_store."""


class Dropped(Shift, frozen=True, tag=True, gc=False):
    """Messages taken without reading the body: drop, expiry, max-length, purge (Q58-Q61)."""


class PutBack(Shift, frozen=True, tag=True, gc=False):
    """The first message that did not match goes back to the head (Q36)."""


class AlphasPushed(Shift, frozen=True, tag=True, gc=False):
    """Reduction moves alphas out of q1's head or q4's tail (Q46)."""


class PendingPaged(Shift, frozen=True, tag=True, gc=False):
    """Reduction drops the bodies of pending acks, newest first (Q47)."""


class BetasPushed(Shift, frozen=True, tag=True, gc=False):
    """Reduction moves index entries of q3's tail or q2's head into delta (Q49)."""


class DeltaRead(Shift, frozen=True, tag=True, gc=False):
    """One read brings messages from delta back to q3 (Q34). why: start, stop, boundary, dropped, skipped."""


class LaneJoined(Shift, frozen=True, tag=True, gc=False):
    """A whole sub-queue moves: q1 becomes q4 (Q29), or q2 joins q3 (Q34)."""


class Acked(Shift, frozen=True, tag=True, gc=False):
    """A consumer's acknowledgement ends messages (Q39)."""


class Requeued(Shift, frozen=True, tag=True, gc=False):
    """Pending messages return to their old places in order (Q40)."""


class PendingPurged(Shift, frozen=True, tag=True, gc=False):
    """All pending acks are forgotten (Q41)."""
