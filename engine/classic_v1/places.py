"""Where the messages of a queue with the lanes of version 1 can lie (Q1-Q4)."""

from __future__ import annotations

from typing import Final

from engine.backing_queue.places import VARIABLE_QUEUE, Place, register

PLACES: Final = register(
    VARIABLE_QUEUE,
    (
        Place("q1", "ram", limits="contents", letter="alpha", lazy=False),
        Place("q2", "mixed", limits="entries", letter="beta", lazy=False),
        Place("delta", "disk", counted=True, letter="delta"),
        Place("q3", "mixed", limits="entries", letter="gamma"),
        Place("q4", "ram", limits="contents", letter="alpha", lazy=False),
        Place("ram_pending", "ram", unacked=True),
        Place("disk_pending", "disk", unacked=True),
        Place("index_pending", "ram", unacked=True),
    ),
)
