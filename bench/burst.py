"""A burst of 500,000 transient 16-byte messages with target 10,000, then drained: on the ledger and on real files."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

from bench.measure import BROKER_MESSAGES_PER_S, Result, best
from bench.queue import QueueUnderTest
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage

COUNT = 500_000


def on_ledger() -> Callable[[], object]:
    """Prepare a run that keeps sizes only."""
    test = QueueUnderTest(LedgerStorage())
    return lambda: test.burst_and_drain(COUNT)


def on_files(fsync: bool) -> float:
    """Return the seconds of a run on real files."""

    def make() -> Callable[[], object]:
        root = tempfile.TemporaryDirectory()
        test = QueueUnderTest(DirectoryStorage(root.name, fsync=fsync))

        def run() -> None:
            test.burst_and_drain(COUNT)
            root.cleanup()

        return run

    return best(make, clock=time.perf_counter if fsync else time.process_time)


def run() -> Result:
    """Measure."""
    ledger = best(on_ledger)
    files = on_files(fsync=False)
    synced = on_files(fsync=True)
    return {
        "messages": COUNT,
        "ledger_messages_per_s": round(COUNT / ledger),
        "files_messages_per_s": round(COUNT / files),
        "files_with_fsync_messages_per_s": round(COUNT / synced),
        "ledger_times_the_broker": round(COUNT / ledger / BROKER_MESSAGES_PER_S, 1),
        "files_times_the_broker": round(COUNT / files / BROKER_MESSAGES_PER_S, 1),
        "files_over_ledger_time": round(files / ledger, 2),
        "passed": COUNT / ledger >= 50 * BROKER_MESSAGES_PER_S,
    }
