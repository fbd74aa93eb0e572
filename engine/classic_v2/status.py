"""What `backing_queue_status` says of a queue of version 2, and what somebody should ask about it (W10, W74)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.backing_queue.status import Printed, Question, StatusReader

MOST_LOADED: Final = 2048
"""Messages that one load brings at most (W32)."""


def _questions(printed: Printed) -> Iterator[Question]:
    """Yield what somebody should ask: such a queue grows on disk, not in memory (W32, W70)."""
    growth, egress = printed.growth(), printed.number("avg_egress_rate")
    if growth is not None:
        yield ("grows_in_tail" if printed.counted else "grows"), growth
    if printed.counted and egress is not None:
        yield "tail", {"count": printed.counted, "window": min(1 + int(2 * egress), MOST_LOADED)}
    if printed.redelivered:
        yield "counted_deliveries", {"count": printed.redelivered}
    yield from printed.many_pending("num_pending_acks")


STATUS: Final = StatusReader(
    version="2",
    lanes={"q_tail": "disk", "q_head": "ram"},  # as 4.3 prints them
    counted=frozenset({"q_tail"}),
    items=(4, 5),  # {q_tail,Start,Count,End} in 4.3
    keys=frozenset({"q_head", "q_tail", "redeliver_seq_id", "delivery_count", "qs_buffer_size"}),
    named="version_2_named",
    numbered="version_2",
    questions=_questions,
)
