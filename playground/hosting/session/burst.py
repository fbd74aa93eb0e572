"""Whether a session may take the messages of a burst, with what it holds already."""

from __future__ import annotations

from typing import Any

from playground.bounds import Bounds, number_of
from playground.hosting.session.usage import Usage


class Beyond(Exception):
    """A command would take more than there is.

    Args:
        code: of the sentence about it.
        values: its numbers.
    """

    def __init__(self, code: str, **values: int) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def check_burst(command: dict[str, Any], bounds: Bounds, usage: Usage) -> None:
    """Raise `Beyond` when a publish would hold more messages, or more bytes, than the session may."""
    if command.get("do") != "publish":
        return
    count, size_bytes = number_of(command, "count"), number_of(command, "size_bytes")
    if usage.messages + count > bounds.max_messages:
        raise Beyond("too_many_messages", held=usage.messages, most=bounds.max_messages)
    if usage.disk_bytes + count * size_bytes > bounds.max_disk_bytes:
        wanted = int(count * size_bytes)
        raise Beyond("too_many_bytes", wanted=wanted, used=usage.disk_bytes, most=bounds.max_disk_bytes)
