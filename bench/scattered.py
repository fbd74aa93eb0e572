"""Acknowledgements in scattered order, as of consumers that finish at random, beside the same in the queue's order."""

from __future__ import annotations

import random
from collections.abc import Callable

from bench.measure import Result, seconds
from bench.queue import QueueUnderTest
from engine.backing_queue.protocol import Arrival
from engine.storage.ledger import LedgerStorage
from engine.values.stretches import Range

COUNT = 100_000
TINY_COUNT = 500
MOST = 3
"""A random order costs at most so many times the ordered one."""
KINDS = {"transient": (16, False), "embedded": (16, True), "stored": (5000, True)}


def acknowledged(count: int, kind: str, scattered: bool) -> tuple[float, int]:
    """Return the seconds that single acknowledgements of all messages take, and the transitions that come of them."""
    size_bytes, persistent = KINDS[kind]
    test = QueueUnderTest(LedgerStorage(), None)
    queue = test.queue
    queue.publish([Arrival(count, 0, size_bytes, persistent)])
    queue.drain_mailbox()
    queue.fetch(count, True)
    tags = list(range(count))
    if scattered:
        random.Random(31).shuffle(tags)
    before = test.log.number

    def work() -> None:
        for tag in tags:
            queue.ack([Range(tag, 1)], multiple=False)
        queue.drain_mailbox()

    return seconds(work), test.log.number - before


def best_of(times: int, measure: Callable[[], tuple[float, int]]) -> tuple[float, int]:
    """Return the quickest of several measurements."""
    return min(measure() for _ in range(times))


def run(tiny: bool) -> Result:
    """Measure."""
    count = TINY_COUNT if tiny else COUNT
    found: Result = {"messages": count}
    for kind in KINDS:
        ordered, in_order = best_of(2, lambda: acknowledged(count, kind, scattered=False))  # noqa: B023 - called at once
        random_s, transitions = best_of(2, lambda: acknowledged(count, kind, scattered=True))  # noqa: B023
        found[kind] = {
            "ordered_messages_per_s": round(count / ordered),
            "scattered_messages_per_s": round(count / random_s),
            "times_the_seconds": round(random_s / ordered, 2),
            "times_the_transitions": round(transitions / in_order, 3),
        }
    worst = max(
        found[kind][name] for kind in KINDS for name in ("times_the_seconds", "times_the_transitions")
    )
    found["passed"] = tiny or worst <= MOST
    return found
