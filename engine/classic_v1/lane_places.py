"""Where the messages of a queue with the lanes of version 1 can lie (Q1-Q4)."""

from __future__ import annotations

from typing import Final

from engine.backing_queue.message_places import VARIABLE_QUEUE, MessagePlace, register

PLACES: Final = register(
    VARIABLE_QUEUE,
    (
        MessagePlace("q1", "ram", limits="contents", letter="alpha", lazy=False),
        MessagePlace("q2", "mixed", limits="entries", letter="beta", lazy=False),
        MessagePlace("delta", "disk", counted=True, letter="delta"),
        MessagePlace("q3", "mixed", limits="entries", letter="gamma"),
        MessagePlace("q4", "ram", limits="contents", letter="alpha", lazy=False),
        MessagePlace("ram_pending", "ram", unacked=True),
        MessagePlace("disk_pending", "disk", unacked=True),
        MessagePlace("index_pending", "ram", unacked=True),
    ),
)
