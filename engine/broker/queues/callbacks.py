"""What a queue's process tells of its messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.backing_queue.arrivals import Arrival
from engine.broker.queues.evictions import Bury
from engine.values.ranges import Range


class QueueCallbacks(NamedTuple):
    """Functions that are called when something happens to messages of a queue; the first argument is its name.

    Args:
        discarded: messages left without being queued (K2).
        taken: messages whose confirms go out at once, where the queue might have rejected them (K1).
        rejected: messages that the queue did not take (P8).
        bury: messages died.
        broken: the queue's process cannot go on: it crashes.
    """

    discarded: Callable[[str, Arrival], None]
    taken: Callable[[str, Range], None]
    rejected: Callable[[str, Range], None]
    bury: Bury
    broken: Callable[[str], None]
