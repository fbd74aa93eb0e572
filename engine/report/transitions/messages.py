"""Messages enter a queue, leave it and come back."""

from __future__ import annotations

from typing import ClassVar

from engine.report.transitions.base import About, Transition, Why
from engine.values.extents import DeltaExtent, Extent


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
