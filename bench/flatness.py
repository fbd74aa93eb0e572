"""The same burst and drain at 10^4 to 10^7 messages: the cost of one message must not grow.

The target is 10,000, but 1000 for 10^4 messages, where 10,000 would page nothing out.
"""

from __future__ import annotations

from collections.abc import Callable

from bench.measure import Result, best
from bench.queue import TARGET, QueueUnderTest
from engine.storage.ledger import LedgerStorage

COUNTS = (10_000, 100_000, 1_000_000, 10_000_000)
TINY_COUNTS = (10_000, 100_000)


def nanoseconds_each(count: int) -> float:
    """Return the cost of one message in a burst of `count`."""

    def make() -> Callable[[], object]:
        test = QueueUnderTest(LedgerStorage(), min(TARGET, count // 10))
        return lambda: test.burst_and_drain(count)

    return best(make, 1 if count > 1_000_000 else 5) / count * 1e9


def run(tiny: bool) -> Result:
    """Measure."""
    each = {count: nanoseconds_each(count) for count in (TINY_COUNTS if tiny else COUNTS)}
    spread = max(each.values()) / min(each.values())
    return {
        "nanoseconds_per_message": {str(count): round(ns, 1) for count, ns in each.items()},
        "dearest_over_cheapest": round(spread, 2),
        "passed": spread <= 2,
    }
