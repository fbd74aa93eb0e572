"""Which engine the app runs."""

from __future__ import annotations

from functools import cache

from playground.hosting.door import Door


@cache
def door() -> Door:
    """Return the way to the real engine."""
    from playground.hosting.engine_door import EngineDoor  # noqa: PLC0415 - numpy and all: not for every command

    return EngineDoor()
