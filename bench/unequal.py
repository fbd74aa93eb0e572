"""A log in which every message has a body of its own size: published, paged out and drained.

Sizes are lognormal around 1.5 kB. `embedded` cuts them below the border of 4,096 bytes, `stored` lifts them above it;
`mixed` is the log as it comes, half of it persistent, each message on its own side of the border.
"""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import groupby

from bench.measure import Result, best, best_on_files, not_slower, on_compiled, seconds
from bench.queue import QueueUnderTest
from engine.backing_queue.protocol import Arrival
from engine.classic_v1.queue.queue import VariableQueue
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from engine.storage.port import Storage

COUNT = 1_000_000
TINY_COUNT = 5_000
GROWTH_COUNTS = (10_000, 100_000, 1_000_000)
TARGET = 10_000
BORDER = 4_000
BURST = 1_000
GOALS = {
    "ledger_messages_per_s": 200_000,
    "files_messages_per_s": 100_000,
    "bytes_a_message": 100,
    "growth": 1.5,
}
BOUNDS = {**GOALS, "files_messages_per_s": 40_000}
"""What a run must reach. With files, bodies of the message store come to 103,000 a second and more on a quiet machine,
which a busy one halves; `mixed` has no bound of time: what it costs in calls is bounded by a test (docs/figures.md).
"""


def sizes_of(count: int, kind: str) -> list[int]:
    """Return body bytes of a log's messages; the same each time."""
    draw = random.Random(31)
    drawn = [max(1, min(1_000_000, round(draw.lognormvariate(7.3, 1.1)))) for _ in range(count)]
    if kind == "embedded":
        return [min(BORDER - 1 - size % 512, size) for size in drawn]
    return [size + BORDER for size in drawn] if kind == "stored" else drawn


def bursts(test: QueueUnderTest, sizes: list[int], persistent: list[bool] | None) -> Iterator[list[Arrival]]:
    """Yield a log as the queue takes it: whole, or a burst of some messages where some of them are persistent."""
    column = test.codec.column(0, sizes)
    if persistent is None:
        yield [Arrival(len(sizes), 0, column)]
        return
    for low in range(0, len(sizes), BURST):
        at, burst = low, []
        for mode, same in groupby(persistent[low : low + BURST]):
            count = len(list(same))
            burst.append(Arrival(count, at, column, mode))
            at += count
        yield burst


def run_through(storage: Storage, sizes: list[int], kind: str) -> Callable[[], int]:
    """Return how to publish a log with a target of 10,000 messages and to drain it, which returns its transitions."""
    test = QueueUnderTest(storage, min(TARGET, len(sizes) // 10))
    draw = random.Random(32)
    persistent = [draw.random() < 0.5 for _ in sizes] if kind == "mixed" else None

    def run() -> int:
        queue = test.queue
        assert isinstance(queue, VariableQueue)
        for burst in bursts(test, sizes, persistent):
            queue.publish(burst)
            queue.drain_mailbox()
        while queue.depth:
            queue.fetch(queue.depth, False)
            queue.drain_mailbox()
        return test.log.number

    return run


def held_bytes(sizes: list[int]) -> float:
    """Return the bytes that the engine keeps for each message of a log that lies in the queue."""
    test = QueueUnderTest(LedgerStorage(), None)
    tracemalloc.start()
    for [arrival] in bursts(test, sizes, None):
        test.queue.publish([arrival])
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / len(sizes)


def speeds(count: int, kind: str, times: int) -> Result:
    """Return the messages a second of a log, sizes only and with real files."""
    sizes = sizes_of(count, kind)
    ledger = best(lambda: run_through(LedgerStorage(), sizes, kind), times)
    files = best_on_files(lambda root: run_through(DirectoryStorage(root, fsync=False), sizes, kind), times)
    return {
        "messages": count,
        "ledger_messages_per_s": round(count / ledger),
        "files_messages_per_s": round(count / files),
    }


def mixed(count: int) -> Result:
    """Return the messages a second of a log as it comes."""
    return speeds(count, "mixed", 1)


def run(tiny: bool) -> Result:
    """Measure."""
    count = TINY_COUNT if tiny else COUNT
    found: Result = {"messages": count}
    found |= {kind: speeds(count, kind, 2) for kind in ("embedded", "stored")}
    found["mixed"] = mixed(count // 10)
    found["mixed_compiled"] = on_compiled("bench.unequal:mixed", count // 10)
    found["bytes_a_message"] = round(held_bytes(sizes_of(count, "embedded")), 1)
    counts = GROWTH_COUNTS if not tiny else (1_000, TINY_COUNT)
    each = {
        each: seconds(run_through(LedgerStorage(), sizes_of(each, "embedded"), "embedded")) / each
        for each in counts
    }
    found["nanoseconds_per_message"] = {str(each): round(1e9 * cost, 1) for each, cost in each.items()}
    found["growth"] = round(each[counts[-1]] / each[counts[0]], 2)
    found["goals"] = GOALS
    found["bounds"] = BOUNDS
    fast = ("ledger_messages_per_s", "files_messages_per_s")
    found["passed"] = (
        all(found[kind][name] >= BOUNDS[name] for kind in ("embedded", "stored") for name in fast)
        and found["bytes_a_message"] < BOUNDS["bytes_a_message"]
        and found["growth"] < BOUNDS["growth"]
        and not_slower(found["mixed_compiled"], found["mixed"])
    )
    return found
