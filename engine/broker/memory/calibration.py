"""Bytes of RAM for each structure, measured on a RabbitMQ 3.10.8 node (fits of `a + b * body`, errors up to 5 %).

These are a model: state counts are exact, bytes per structure come from here. Numbers are thousandths of a byte, so
that the model computes with whole numbers alone and gives the same result on every machine. What a message takes in a
queue, a channel and a store is in `engine.backing_queue.heap`, as generations differ there.
"""

from __future__ import annotations

from typing import Final

SMALL_BODY_BYTES: Final = 64
"""A body of at most this size lies inside the process heap, a larger one outside (one binary, counted once)."""

BODY_BINARY: Final = 57_800
"""Body outside the heap, besides what each of its bytes takes."""
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
FILE_ROW: Final = 112_000
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
