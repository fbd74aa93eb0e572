"""The configuration of a recorded trace with the broker's defaults, for tests that change a little of it."""

from __future__ import annotations

from typing import Any

DEFAULTS: dict[str, Any] = {
    "durable": True,
    "explicit_gc_run_operation_threshold": 1000,
    "mode": "default",
    "msg_store_credit_disc_bound": [4000, 800],
    "msg_store_file_size_limit": 16777216,
    "msg_store_io_batch_size": 4096,
    "queue_index_embed_msgs_below": 4096,
    "queue_index_max_journal_entries": 32768,
    "rates": [0.5, 0.5, 0, 0],
    "segment_entry_count": 2048,
    "queue": "q",
    "vhost": "/",
}
