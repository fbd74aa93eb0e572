"""Garbage of processes: what the VM counts although nothing uses it any more.

A queue process that handles messages collects its garbage many times a second, one that is idle keeps all of it until
it hibernates (docs/calibration.md, "Who holds garbage, and until when").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

import msgspec

from engine.node.time.draws import Draws

HEAP_PCT: Final = (140, 150, 160, 180, 200, 240, 300, 420, 580)
"""The heap of a process that is awake, of what lives in it: small after a large collection, large after a small one.

Nine quantiles of what was measured; each is as likely as the others.
"""
BUFFERS: Final = (0, 1, 1, 2)
"""Receive buffers that a busy connection has at once."""


class Collector(Protocol):
    """A queue process, as far as its garbage goes."""

    name: str
    awake: bool
    collections: int
    """How often it collected its garbage."""

    @property
    def garbage_bytes(self) -> int:
        """Of bodies that left RAM and were not collected."""


class Garbage(msgspec.Struct, frozen=True):
    """What processes hold beside what lives.

    Args:
        heap_pct: by the name of each queue whose process is awake, its heap in per cent of what lives in it.
        body_bytes: of bodies that left RAM and were not collected.
        buffers: receive buffers of all connections.
    """

    heap_pct: Mapping[str, int]
    body_bytes: int
    buffers: int


class GarbageWatch:
    """Draws how much garbage there is when the node looks at its memory.

    Args:
        seed: all draws follow from it.
    """

    __slots__ = ("_draws", "_heaps")

    def __init__(self, seed: str) -> None:
        self._draws = Draws(seed)
        self._heaps: dict[str, tuple[int, int]] = {}
        """Of each process that is awake: how often it had collected, and the heap that was drawn then."""

    def check(self, processes: Iterable[Collector], connections: int) -> Garbage:
        """Return what these processes hold now; a body that left several queues at once counts once.

        Args:
            connections: how many there are whose sockets are read.
        """
        every = list(processes)
        before, self._heaps = self._heaps, {}
        for each in every:
            if each.awake:
                collections, pct = before.get(each.name, (-1, 0))
                if collections != each.collections:
                    pct = HEAP_PCT[self._draws.below(len(HEAP_PCT))]
                self._heaps[each.name] = each.collections, pct
        return Garbage(
            {name: pct for name, (_, pct) in self._heaps.items()},
            max((each.garbage_bytes for each in every), default=0),
            sum(BUFFERS[self._draws.below(len(BUFFERS))] for _ in range(connections)),
        )
