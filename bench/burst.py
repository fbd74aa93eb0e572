"""A burst of 500,000 transient 16-byte messages with target 10,000, then drained: on the ledger and on real files."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.measure import BROKER_MESSAGES_PER_S, Result, best, best_on_files
from bench.queue import QueueUnderTest
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage

COUNT = 500_000
TINY_COUNT = 50_000
TIMES_THE_BROKER = 50


def on_ledger(count: int) -> float:
    """Return the seconds of a run that keeps sizes only."""

    def make() -> Callable[[], object]:
        test = QueueUnderTest(LedgerStorage())
        return lambda: test.burst_and_drain(count)

    return best(make)


def on_files(count: int, fsync: bool) -> float:
    """Return the seconds of a run on real files."""

    def make(root: str) -> Callable[[], object]:
        test = QueueUnderTest(DirectoryStorage(root, fsync=fsync))
        return lambda: test.burst_and_drain(count)

    return best_on_files(make, clock=time.perf_counter if fsync else time.process_time)


def run(tiny: bool) -> Result:
    """Measure."""
    count = TINY_COUNT if tiny else COUNT
    ledger = on_ledger(count)
    files = on_files(count, fsync=False)
    synced = on_files(count, fsync=True)
    return {
        "messages": count,
        "ledger_messages_per_s": round(count / ledger),
        "files_messages_per_s": round(count / files),
        "files_with_fsync_messages_per_s": round(count / synced),
        "ledger_times_the_broker": round(count / ledger / BROKER_MESSAGES_PER_S, 1),
        "files_times_the_broker": round(count / files / BROKER_MESSAGES_PER_S, 1),
        "files_over_ledger_time": round(files / ledger, 2),
        "passed": count / ledger >= TIMES_THE_BROKER * BROKER_MESSAGES_PER_S,
    }
