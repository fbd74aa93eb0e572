"""publish, fetch and ack of one message at a time, as the broker does it."""

from __future__ import annotations

from collections.abc import Callable

from bench.measure import BROKER_MESSAGES_PER_S, Result, best
from bench.queue import SIZE_BYTES, QueueUnderTest
from engine.backing_queue.arrivals import Arrival
from engine.storage.ledger import LedgerStorage
from engine.values.ranges import Range

COUNT = 5_000
TINY_COUNT = 200


def rounds(count: int, size_bytes: int, persistent: bool) -> Callable[[], Callable[[], object]]:
    """Return how to prepare `count` rounds of publish, fetch, ack."""

    def make() -> Callable[[], object]:
        queue = QueueUnderTest(LedgerStorage(), target=None).queue

        def run() -> None:
            for number in range(count):
                queue.publish(Arrival(1, number, size_bytes, persistent))
                [taken] = queue.fetch(1, True)
                queue.ack([Range(taken.extent.start, 1)])

        return run

    return make


def run(tiny: bool) -> Result:
    """Measure."""
    count = TINY_COUNT if tiny else COUNT
    transient = count / best(rounds(count, SIZE_BYTES, False))
    embedded = count / best(rounds(count, SIZE_BYTES, True))
    stored = count / best(rounds(count, 5000, True))
    return {
        "transient_messages_per_s": round(transient),
        "persistent_embedded_messages_per_s": round(embedded),
        "persistent_stored_messages_per_s": round(stored),
        "transient_times_the_brokers_burst": round(transient / BROKER_MESSAGES_PER_S, 2),
    }
