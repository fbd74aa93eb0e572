"""Where the messages of a queue of version 2 can lie (W10)."""

from __future__ import annotations

from typing import Final

from engine.backing_queue.message_places import CLASSIC_V2, MessagePlace, register

PLACES: Final = register(
    CLASSIC_V2,
    (
        MessagePlace("tail", "disk", counted=True, letter="delta"),
        MessagePlace("head", "mixed", limits="contents", letter="alpha"),
        MessagePlace("ram_pending", "ram", unacked=True),
        MessagePlace("disk_pending", "disk", unacked=True),
    ),
)
