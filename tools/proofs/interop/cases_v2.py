"""What the engine does to a queue of 4.x before a node opens its directory, as steps of cq-trace/2."""

from __future__ import annotations

from typing import Any

from tools.proofs.interop.cases import FLUSH, LARGE, MIXED, PROPERTIES, SMALL, ack, fetch, publish

SEGMENT = 4096
"""Entries of a segment: a node has one number for all its virtual hosts (W82)."""
BASE: dict[str, Any] = {
    "durable": True,
    "segment_entry_count": SEGMENT,
    "queue_index_embed_msgs_below": 4096,
    "store_max_cache_size": 512000,
    "check_crc32": True,
    "msg_store_file_size_limit": 16777216,
    "msg_store_credit_disc_bound": [4000, 800],
    "out_rate": 0.5,
    "queue": "cq",
}
ALONE = 4_100_000
"""Bytes of a message that has a store file of its own (W137)."""
COLLECT: dict[str, Any] = {"op": "gc_tick"}

DESIGNED: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "small-in-own-file": ({}, [publish(200, SMALL)]),
    "large-in-store": ({}, [publish(60, LARGE)]),
    "empty-and-frames": ({}, [publish(3, 0), publish(2, 131064), publish(2, 131065), publish(2, 300_000)]),
    "properties": ({"properties": PROPERTIES}, [publish(20, SMALL), publish(10, LARGE)]),
    "no-checksums": ({"check_crc32": False}, [publish(50, SMALL), publish(10, LARGE)]),
    "acked-holes": (
        {},
        [
            publish(300, 0, pattern=MIXED),
            FLUSH,
            fetch(200),
            ack([3, 3], [50, 90], [7, 7]),
            ack(*[[i, i] for i in range(100, 180, 2)], multiple=False),
        ],
    ),
    "several-segments": (
        {},
        [
            publish(2 * SEGMENT + 300, 16),
            fetch(SEGMENT + 60, False),
            fetch(20),
            ack([SEGMENT + 62, SEGMENT + 70]),
        ],
    ),
    "several-store-files": ({"msg_store_file_size_limit": 50_000}, [publish(100, 5000), fetch(7, False)]),
    "compacted": (
        {"msg_store_file_size_limit": 50_000},
        [
            publish(100, 5000),
            fetch(60),
            ack(*[[i, i] for i in range(60) if i % 4], multiple=False),
            COLLECT,
            publish(9, SMALL),
        ],
    ),
    "alone-in-a-file": ({}, [publish(3, 5000), publish(2, ALONE), publish(3, 5000), fetch(1, False)]),
    "requeued": (
        {},
        [publish(150, 0, pattern=MIXED), fetch(80), {"op": "requeue", "tags": [[0, 39]], "multiple": True}],
    ),
    "transients-vanish": (
        {},
        [publish(100, LARGE, False), publish(100, SMALL, False), publish(10, SMALL), FLUSH],
    ),
    "restarted-twice": (
        {},
        [
            publish(90, 0, pattern=MIXED),
            fetch(10, False),
            {"op": "restart"},
            publish(9, LARGE),
            FLUSH,
            {"op": "crash_restart"},
        ],
    ),
    "purged": (
        {},
        [publish(40, SMALL), publish(9, LARGE), {"op": "purge"}, publish(7, SMALL), publish(4, LARGE)],
    ),
    "emptied": ({}, [publish(40, LARGE), fetch(40, False)]),
}
