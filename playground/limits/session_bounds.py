"""A session's limits as plain numbers, which its worker gets."""

from __future__ import annotations

from typing import Any, Final

import msgspec

RECORD_BYTES: Final = 230
"""What files have of a message besides its body: index entries, properties, framing. Measured: 193 to 228 bytes, in
both scales, persistent or not; a tenth of the room stays for deliveries and acks.
"""


class SessionBounds(msgspec.Struct, frozen=True, kw_only=True):
    """The limits that whoever plays a session must know; see `playground.limits.session_limits.SessionLimits`."""

    max_disk_bytes: int
    max_messages: int
    max_transitions: int
    max_virtual_s: int

    @property
    def room_bytes(self) -> int:
        """Bytes of files at which a run stops, so that accepted messages can still be written when they leave RAM."""
        return self.max_disk_bytes + RECORD_BYTES * self.max_messages

    @property
    def of_a_run(self) -> dict[str, int]:
        """Return how far a run may go, as numbers for a message."""
        return {"steps": self.max_transitions, "hours": self.max_virtual_s // 3600}


def number_of(command: dict[str, Any], name: str) -> float:
    """Return a number of the command, 0 for anything else: the engine refuses what is wrong with it."""
    value = command.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0
