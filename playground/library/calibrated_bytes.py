"""Bytes of RAM for each structure of a 4.3.6 node as measured and counted, beside what 3.10.8 counts."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy

from engine.backing_queue.heap import MEASURED_3_10 as OLD
from engine.broker.memory import model
from playground.library.fidelity_figures import latest

RELEASE: Final = "4.3.6"
SMALL_BYTES: Final = 16
ROWS: Final = (
    (
        gettext_lazy("message in memory, with its body of 16 bytes"),
        f"head {SMALL_BYTES}",
        OLD.alpha_small + 1000 * SMALL_BYTES,
    ),
    (gettext_lazy("message in memory, beside a body of 1000 bytes"), "head 1000", OLD.alpha_large),
    (
        gettext_lazy("unacknowledged message, in the queue, beside its body"),
        "unacked 1000",
        OLD.alpha_large + OLD.pending,
    ),
    (
        gettext_lazy("unacknowledged message, in the channel"),
        "channel_unacked 1000",
        OLD.channel_pending,
    ),
    (
        gettext_lazy("entry of the index's write buffer"),
        "index_buffer 1000",
        model.JOURNAL_HEAP_STORE + model.JOURNAL_BUFFER_HEAP,
    ),
    (gettext_lazy("entry of the index's cache"), "index_cache 1000", None),
    (gettext_lazy("entry of the queue's .qs buffer, beside its body"), "body_buffer 1000", None),
    (gettext_lazy("entry of the queue's .qs cache, beside its body"), "body_cache 1000", None),
    (gettext_lazy("row of the shared store's index"), "rabbit_msg_store_ets_index", OLD.store_row),
    (
        gettext_lazy("row of the current store file's cache, beside its body"),
        "rabbit_msg_store_cur_file",
        OLD.cache_row,
    ),
)
"""Names, what was measured, and thousandths of a byte that are counted on 3.10.8; None for what it does not have."""


def todays_memory() -> dict[str, Any] | None:
    """Return the figures as a table, None where nothing was measured."""
    found = latest(f"calibration-{RELEASE}.json")
    if found is None:
        return None
    rows = [
        {"name": name, "counted": None if counted is None else counted / 1000, **found["ram"][key]}
        for name, key, counted in ROWS
    ]
    return {"release": RELEASE, "rows": rows, "measured_on": found["measured_on"]}
