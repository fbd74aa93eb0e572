"""Whether a session may take the messages of a burst, with what it holds already."""

from __future__ import annotations

from typing import Any

from playground.hosting.session.usage import SessionUsage
from playground.limits.session_bounds import RECORD_BYTES, SessionBounds, number_of


class BurstBeyond(Exception):
    """A command would take more than there is.

    Args:
        code: of the sentence about it.
        values: its numbers.
    """

    def __init__(self, code: str, **values: int) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def check_burst(command: dict[str, Any], bounds: SessionBounds, usage: SessionUsage) -> None:
    """Raise `BurstBeyond` when a publish would hold more messages, or more bytes, than the session may."""
    if command.get("do") != "publish":
        return
    count, size_bytes = number_of(command, "count"), number_of(command, "size_bytes")
    if usage.messages + count > bounds.max_messages:
        free = max(0, bounds.max_messages - usage.messages)
        raise BurstBeyond("too_many_messages", held=usage.messages, most=bounds.max_messages, room=free)
    each = int(size_bytes) + RECORD_BYTES
    # What is only in RAM yet may be paged out at any time: it has a promise of room.
    used = usage.disk_bytes + usage.ram_bytes
    most = bounds.max_disk_bytes * 9 // 10
    if used + count * each > most:
        wanted, room = int(count) * each, max(0, most - used) // each
        raise BurstBeyond("too_many_bytes", wanted=wanted, used=used, most=most, room=room)
