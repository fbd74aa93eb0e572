"""What the node compares with the watermark: its memory as one of three strategies counts it (M9).

`erlang` is what lives in the VM; the model counts that. `allocated` is what the VM's allocators took for it. `rss` is
what the operating system counts, the default of 3.10.8: much that was freed stays with the process. The factors are
measured (docs/calibration.md); they did not depend on how fast a queue was filled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.broker.commands.settings import Strategy
from engine.broker.memory.model import MemoryModel

ALLOCATED_BASE_PCT: Final = 69
ALLOCATED_PCT: Final = 103
"""Of the same bytes by `erlang`: a node without messages, and what messages add."""

RSS_BASE_PCT: Final = 213
RSS_HEAP_PCT: Final = 948
"""Live bytes of process heaps: each larger heap is a new block, and the blocks of before stay."""
RSS_BINARY_PCT: Final = 89
RSS_HEAP_KEPT_PCT: Final = 78
RSS_BINARY_KEPT_PCT: Final = 28
"""Of the most that there was, eight seconds after all of it was freed."""


class HighWater:
    """The most bytes that heaps and binaries had since the VM started, which `rss` remembers."""

    def __init__(self) -> None:
        self.heaps = self.binaries = 0

    def reset(self) -> None:
        """Start again with the VM."""
        self.heaps = self.binaries = 0

    def note(self, memory: MemoryModel) -> None:
        """Take a measurement."""
        self.heaps = max(self.heaps, _heaps(memory))
        self.binaries = max(self.binaries, _binaries(memory))


def counted(memory: MemoryModel, strategy: Strategy, high_water: HighWater) -> int:
    """Return the node's memory in bytes as a strategy counts it.

    Args:
        high_water: has seen this measurement and all before it.
    """
    return _COUNTED[strategy](memory, high_water)


def _heaps(memory: MemoryModel) -> int:
    return memory.entries + memory.journal + memory.stores


def _binaries(memory: MemoryModel) -> int:
    return memory.bodies + memory.cached_bodies


def _erlang(memory: MemoryModel, _: HighWater) -> int:
    return memory.total


def _allocated(memory: MemoryModel, _: HighWater) -> int:
    return (memory.base * ALLOCATED_BASE_PCT + (memory.total - memory.base) * ALLOCATED_PCT) // 100


def _rss(memory: MemoryModel, high_water: HighWater) -> int:
    heaps = max(100 * _heaps(memory), high_water.heaps * RSS_HEAP_KEPT_PCT) * RSS_HEAP_PCT
    binaries = max(100 * _binaries(memory), high_water.binaries * RSS_BINARY_KEPT_PCT) * RSS_BINARY_PCT
    return (memory.base * RSS_BASE_PCT) // 100 + memory.connections + (heaps + binaries) // 10_000


_COUNTED: Final[dict[Strategy, Callable[[MemoryModel, HighWater], int]]] = {
    "erlang": _erlang,
    "legacy": _erlang,
    "allocated": _allocated,
    "rss": _rss,
}
