"""Bytes of RAM for each structure, measured on a RabbitMQ 3.10.8 node (fits of `a + b * body`, errors up to 5 %).

These are a model: state counts are exact, bytes per structure come from here. Numbers are thousandths of a byte, so
that the model computes with whole numbers alone and gives the same result on every machine.
"""

from __future__ import annotations

from typing import Final

SMALL_BODY_BYTES: Final = 64
"""A body of at most this size lies inside the process heap, a larger one outside (one binary, counted once)."""

ALPHA_HEAP_SMALL: Final = 600_770
"""Entry with a small body, without the body (which rounds up to 8 bytes)."""
ALPHA_HEAP_LARGE: Final = 633_010
"""Entry that refers to a body outside the heap; the same for an embedded message in q3."""
BODY_BINARY: Final = 57_800
BODY_BINARY_PER_BYTE: Final = 1_037
"""Body outside the heap with the framing that it arrived in."""
BETA_HEAP: Final = 176_160
GAMMA_HEAP: Final = 178_390
PENDING_HEAP: Final = 64_100
"""Added in the queue for an unacknowledged message."""
CHANNEL_PENDING_HEAP: Final = 192_280
"""Held in the channel for an unacknowledged message."""
SEGMENT_HEAP: Final = 1_889_440
SEGMENT_ENTRIES: Final = 2048
"""One segment known to the index, measured with segments of this many entries; smaller ones count in proportion."""
JOURNAL_HEAP_EMBEDDED: Final = 364_000
JOURNAL_HEAP_STORE: Final = 316_000
"""Publish and deliver records of one message until they are flushed to a segment."""
JOURNAL_BUFFER_HEAP: Final = 160_000
"""The same, added until the journal's buffer is written."""
JOURNAL_BINARY_EMBEDDED: Final = 282_190
JOURNAL_BINARY_PER_BYTE: Final = 995
"""Encoded copy of an embedded message, held until the flush."""
STORE_ROW: Final = 122_590
CACHE_ROW: Final = 459_350
"""A message of the current store file, which also keeps its body in RAM."""
FILE_ROW: Final = 112_000
QUEUE_BASE: Final = 19_748_000
"""A durable queue that is empty and hibernates."""
CONNECTION_BASE: Final = 34_305_000
"""A connection with one channel."""

RESIDUAL_PCT: Final[dict[str, float | None]] = {
    "base_bytes": None,
    "connection_bytes": None,
    "entry_bytes": 0.54,
    "body_bytes": 3.62,
    "journal_bytes": 2.86,
    "store_bytes": 4.63,
    "cached_body_bytes": 3.19,
}
"""Worst deviation of the fits behind each part of the modelled memory, in per cent; None for single measurements."""
