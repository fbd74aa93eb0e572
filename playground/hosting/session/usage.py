"""What a session takes of the machine."""

from __future__ import annotations

import msgspec


class SessionUsage(msgspec.Struct, frozen=True):
    """What a session takes at the moment."""

    messages: int = 0
    disk_bytes: int = 0
    ram_bytes: int = 0
    transitions: int = 0
    commands: int = 0
