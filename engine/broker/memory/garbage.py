"""Garbage of processes: what the VM counts although nothing uses it any more.

A queue process that handles messages collects its garbage many times a second, one that is idle keeps all of it until
it hibernates (docs/calibration.md, "Who holds garbage, and until when").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

import msgspec

from engine.broker.time.draws import RandomDraws

HEAP_BYTES: Final = tuple(10_000 * each for each in (150, 225, 255, 294, 353, 425, 604, 743, 835))
"""What the heaps of all processes have beside what lives in queues while one of them is awake.

Nine quantiles of what was measured while six workloads ran: little after a large collection, much after a small one.
"""
BUFFERS: Final = (0, 1, 1, 2)
"""Receive buffers that a busy connection has at once."""


class HeapCollector(Protocol):
    """A queue process, as far as its garbage goes."""

    awake: bool
    collections: int
    """How often it collected its garbage."""

    @property
    def garbage_bytes(self) -> int:
        """Of bodies that left RAM and were not collected."""


class GarbageBytes(msgspec.Struct, frozen=True):
    """What processes hold beside what lives.

    Args:
        heap_bytes: on the heaps of processes.
        body_bytes: of bodies that left RAM and were not collected.
        buffers: receive buffers of all connections.
    """

    heap_bytes: int
    body_bytes: int
    buffers: int


class GarbageWatch:
    """Draws how much garbage there is when the node looks at its memory.

    Args:
        seed: all draws follow from it.
    """

    __slots__ = ("_draws", "_collections", "_heap_bytes")

    def __init__(self, seed: str) -> None:
        self._draws = RandomDraws(seed)
        self._collections = -1
        self._heap_bytes = 0
        """Drawn when processes had collected so often."""

    def check(self, processes: Iterable[HeapCollector], connections: int) -> GarbageBytes:
        """Return what processes hold now; a body that left several queues at once counts once.

        Args:
            processes: of the queues.
            connections: how many there are whose sockets are read.
        """
        every = list(processes)
        collections = sum(each.collections for each in every)
        if not any(each.awake for each in every):
            self._heap_bytes = 0
        elif collections != self._collections:
            self._heap_bytes = HEAP_BYTES[self._draws.below(len(HEAP_BYTES))]
        self._collections = collections
        return GarbageBytes(
            self._heap_bytes,
            max((each.garbage_bytes for each in every), default=0),
            sum(BUFFERS[self._draws.below(len(BUFFERS))] for _ in range(connections)),
        )
