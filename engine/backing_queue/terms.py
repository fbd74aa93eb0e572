"""What a queue that stops in order leaves for its next start."""

from __future__ import annotations

import msgspec


class CleanTerms(msgspec.Struct, frozen=True):
    """What a clean stop saves for the next start (Q63, S128).

    Args:
        segments: (segment number, unacked) of every segment the index had; None when they were lost.
        persistent_ref: name of the queue's client at the persistent store; None for a queue that is not durable.
        next_deliver_seq_id: below it everything counts as delivered; redeliver_seq_id in 4.3 (W94).
        parts: those of the queues that it consists of, which have the other fields then.
        deliveries: (first position, how many, times) of messages whose deliveries are counted (W42).
    """

    segments: tuple[tuple[int, int], ...] | None
    next_seq_id: int
    next_deliver_seq_id: int
    persistent_ref: str | None
    persistent_count: int
    persistent_bytes: int
    parts: tuple[CleanTerms | None, ...] = ()
    deliveries: tuple[tuple[int, int, int], ...] = ()

    @property
    def persistent_refs(self) -> list[str]:
        """Names of all its clients at the persistent store."""
        own = [] if self.persistent_ref is None else [self.persistent_ref]
        return own + [ref for each in self.parts if each for ref in each.persistent_refs]
