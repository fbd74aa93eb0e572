"""Where the messages of a queue of version 2 can lie (W10)."""

from __future__ import annotations

from typing import Final

from engine.backing_queue.places import CLASSIC_V2, Place, register

PLACES: Final = register(
    CLASSIC_V2,
    (
        Place("tail", "disk", counted=True, letter="delta"),
        Place("head", "mixed", limits="contents", letter="alpha"),
        Place("ram_pending", "ram", unacked=True),
        Place("disk_pending", "disk", unacked=True),
    ),
)
