"""The same burst and drain at 10^4 to 10^7 messages: the cost of one message must not grow.

The target is 10,000, but 1000 for 10^4 messages, where 10,000 would page nothing out.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.measure import Result, best, calls
from bench.queue import TARGET, QueueUnderTest
from engine.storage.ledger import LedgerStorage

COUNTS = (10_000, 100_000, 1_000_000, 10_000_000)
TINY_COUNTS = (10_000, 100_000)
MOST_TIMES = 2
"""What a message of one burst may cost for each of another, in seconds and in calls of functions."""


def burst(count: int) -> Callable[[], Callable[[], object]]:
    """Return how to prepare a burst of `count` messages and its drain."""

    def make() -> Callable[[], object]:
        test = QueueUnderTest(LedgerStorage(), min(TARGET, count // 10))
        return lambda: test.burst_and_drain(count)

    return make


def run(tiny: bool) -> Result:
    """Measure."""
    counts = TINY_COUNTS if tiny else COUNTS
    each = {count: best(burst(count), 1 if count > 1_000_000 else 5) / count * 1e9 for count in counts}
    spread = max(each.values()) / min(each.values())
    counted = {count: calls(burst(count)()) / count for count in TINY_COUNTS}
    growth = counted[TINY_COUNTS[-1]] / counted[TINY_COUNTS[0]]
    return {
        "nanoseconds_per_message": {str(count): round(ns, 1) for count, ns in each.items()},
        "dearest_over_cheapest": round(spread, 2),
        "calls_per_message": {str(count): round(number, 2) for count, number in counted.items()},
        # A tiny run takes milliseconds, so only its calls are judged.
        "passed": growth <= MOST_TIMES and (tiny or spread <= MOST_TIMES),
    }
