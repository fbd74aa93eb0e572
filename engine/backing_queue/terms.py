"""What a queue that stops in order leaves for its next start."""

from __future__ import annotations

import msgspec


class Terms(msgspec.Struct, frozen=True):
    """What a clean stop saves for the next start (Q63, S128).

    Args:
        segments: (segment number, unacked) of every segment the index knew; None when they were lost.
        persistent_ref: name of the queue's client at the persistent store; None for a queue that is not durable.
    """

    segments: tuple[tuple[int, int], ...] | None
    next_seq_id: int
    next_deliver_seq_id: int
    persistent_ref: str | None
    persistent_count: int
    persistent_bytes: int
