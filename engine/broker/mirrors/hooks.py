"""How a cluster calls the parts that are built after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _nobody(*_: Any) -> None:
    return None


class Hooks:
    """Functions that those parts set; each takes a queue's name unless noted otherwise."""

    def __init__(self) -> None:
        self.auto_sync: Callable[[str], None] = _nobody
        """Mirrors may have to be filled without being asked (H51)."""
        self.gone: Callable[[str], None] = _nobody
        """No member lives any more."""
        self.down: Callable[[str], None] = _nobody
        """The queue has lost its master, and no mirror has taken over."""
        self.served: Callable[[str], None] = _nobody
        """Another master serves the queue, or it is deleted."""
        self.crashed: Callable[[Any, str], None] = _nobody
        """Called when a mirror's assertion failed, with its queue's record and its node."""
        self.room: Callable[[], None] = _nobody
        """Channels may have credit again."""
