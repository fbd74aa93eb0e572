"""publish, fetch and ack of one message at a time, as the broker does it."""

from __future__ import annotations

from collections.abc import Callable

from bench.measure import BROKER_MESSAGES_PER_S, Result, best, calls, not_slower, on_compiled
from bench.queue import SIZE_BYTES, QueueUnderTest
from engine.backing_queue.protocol import Arrival
from engine.storage.ledger import LedgerStorage
from engine.values.stretches import Range

COUNT = 5_000
TINY_COUNT = 200
KINDS = {
    "transient": (SIZE_BYTES, False),
    "persistent_embedded": (SIZE_BYTES, True),
    "persistent_stored": (5000, True),
}
GOALS = {
    "transient_messages_per_s": 101_000,
    "persistent_embedded_messages_per_s": 28_600,
    "persistent_stored_messages_per_s": 21_400,
}
"""A quarter of what the broker's own module makes of transient messages, and as many as it makes of the others."""
BOUNDS = {
    "transient_messages_per_s": 20_000,
    "persistent_embedded_messages_per_s": 13_000,
    "persistent_stored_messages_per_s": 6_500,
}
"""What the sources must reach on a slow machine; the goals are for the compiled engine (`make compiled`)."""
MOST_CALLS = {"transient": 125, "persistent_embedded": 225, "persistent_stored": 550}


def rounds(count: int, size_bytes: int, persistent: bool) -> Callable[[], Callable[[], object]]:
    """Return how to prepare `count` rounds of publish, fetch, ack."""

    def make() -> Callable[[], object]:
        queue = QueueUnderTest(LedgerStorage(), target=None).queue

        def run() -> None:
            for number in range(count):
                queue.publish((Arrival(1, number, size_bytes, persistent),))
                [taken] = queue.fetch(1, True)
                queue.ack([Range(taken.extent.start, 1)])

        return run

    return make


def speeds(count: int) -> Result:
    """Return the messages a second of each kind."""
    return {
        f"{name}_messages_per_s": round(count / best(rounds(count, size_bytes, persistent)))
        for name, (size_bytes, persistent) in KINDS.items()
    }


def run(tiny: bool) -> Result:
    """Measure."""
    count = TINY_COUNT if tiny else COUNT
    found = speeds(count)
    counted = {name: round(calls(rounds(count, *kind)()) / count, 1) for name, kind in KINDS.items()}
    compiled = on_compiled("bench.one_at_a_time:speeds", count)
    fast = all(found[name] >= least for name, least in BOUNDS.items()) and not_slower(compiled, found)
    return found | {
        "transient_times_the_brokers_burst": round(
            found["transient_messages_per_s"] / BROKER_MESSAGES_PER_S, 2
        ),
        "calls_a_message": counted,
        "compiled": compiled,
        "goals": GOALS,
        "bounds": {**BOUNDS, "calls_a_message": MOST_CALLS},
        "passed": (tiny or fast) and all(counted[name] <= most for name, most in MOST_CALLS.items()),
    }
