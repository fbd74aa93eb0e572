"""Which engine the app runs."""

from __future__ import annotations

import threading
from functools import cache

from playground import warm
from playground.hosting.door import Door

_lock = threading.Lock()


@cache
def _door() -> Door:
    from playground.hosting.engine_door import EngineDoor  # noqa: PLC0415 - numpy and all: not for every command

    warm.types()  # nobody uses an engine before this
    return EngineDoor()


def door() -> Door:
    """Return the way to the real engine."""
    with _lock:
        return _door()
