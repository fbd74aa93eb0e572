"""Which engine the app runs."""

from __future__ import annotations

import threading
from functools import cache
from typing import cast

from playground.hosting import warm_types
from playground.hosting.engine_api import NodeDoor

_lock = threading.Lock()


@cache
def _door() -> NodeDoor:
    from playground.hosting.real_engine import EngineDoor  # noqa: PLC0415 - numpy and all: not for every command

    warm_types.types()  # nobody uses an engine before this
    return cast(NodeDoor, EngineDoor())  # it gets back no nodes and files but those that it opened


def door() -> NodeDoor:
    """Return the way to the real engine."""
    with _lock:
        return _door()
