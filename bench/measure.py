"""Timing, and the yardstick that makes figures of one run comparable."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

BROKER_MESSAGES_PER_S = 22_000
"""What the broker's own module did of the same work on a machine like the one this was written on."""

Result = dict[str, Any]


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return how long `work` takes, once, without the garbage collector in between.

    The processor's time is measured, which other programs on the machine disturb least; work that waits for the disk
    needs `time.perf_counter`.
    """
    gc.collect()
    gc.disable()
    try:
        start = clock()
        work()
        return clock() - start
    finally:
        gc.enable()


def best(
    make: Callable[[], Callable[[], object]], times: int = 3, clock: Callable[[], float] = time.process_time
) -> float:
    """Return the shortest of several runs, each on something freshly made."""
    return min(seconds(make(), clock) for _ in range(times))


def yardstick() -> float:
    """Return how long this machine takes for a fixed loop of plain Python, in seconds."""

    def loop() -> None:
        table: dict[int, int] = {}
        for i in range(1_000_000):
            table[i & 1023] = table.get(i & 1023, 0) + i

    return best(lambda: loop)
