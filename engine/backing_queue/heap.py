"""Bytes of RAM of a queue's structures: each generation has its own figures, measured on a real node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.backing_queue.message_places import VARIABLE_QUEUE

BODY_PER_BYTE: Final = 1_037
"""Thousandths of a byte for each byte of a body outside the heaps, with the framing that it arrived in."""


class HeapFigures(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Thousandths of a byte for each message; defaults are those of 3.10.8 (docs/calibration.md).

    Args:
        alpha_small: entry with a small body, without the body (which rounds up to 8 bytes).
        alpha_large: entry that refers to a body outside the heap; the same for an embedded message in q3.
        beta, gamma: entry without its body, of a message that has no slot in the index, and of one that has.
        pending: added in the queue for an unacknowledged message.
        channel_pending: held in the channel for an unacknowledged message.
        process: of an empty queue that hibernates.
        store_row: a message in the index of a message store.
        cache_row: a message of the current store file, which also keeps its body in RAM.
        traced: whether the heaps of its processes were traced, so that their sizes are computed, not drawn.
    """

    alpha_small: int = 600_770
    alpha_large: int = 633_010
    beta: int = 176_160
    gamma: int = 178_390
    pending: int = 64_100
    channel_pending: int = 192_280
    process: int = 19_748_000
    store_row: int = 122_590
    cache_row: int = 459_350
    traced: bool = True


MEASURED_3_10: Final = HeapFigures()
"""Figures of a RabbitMQ 3.10.8 node, for queues of version 1 and for kinds that were not measured."""
LAZY_3_10: Final = HeapFigures(traced=False)
"""The same for a lazy queue."""

HEAPS: Final[dict[str, HeapFigures]] = {}
"""Figures by kind of queue, for kinds that were measured separately."""


def heap_of(queue: Mapping[str, Any]) -> HeapFigures:
    return HEAPS.get(queue.get("backing_queue", VARIABLE_QUEUE), MEASURED_3_10)
