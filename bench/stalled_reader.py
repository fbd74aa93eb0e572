"""A reader that never acknowledges: the server keeps a bounded number of frames, whatever happens."""

from __future__ import annotations

import gc
import tracemalloc

from bench.measure import Result
from bench.session import BenchSession, Reader

MOST_GROWTH_BYTES = 500_000
SECONDS, TINY_SECONDS = 20, 4
"""How long it has stalled when memory is read first; the second reading comes after three times as long."""


def busy_session(*readers: Reader) -> BenchSession:
    """A session that sends much."""
    session = BenchSession(readers)
    session.submit(do="set", name="target_ram_count", value=200)
    session.submit(do="set_publisher", name="p1", rate_per_s=500, size_bytes=100, persistent=True)
    session.submit(do="set_consumer", name="c1", rate_per_s=500, prefetch=20)
    session.play(10)  # until the log is full
    return session


def run(tiny: bool) -> Result:
    """Measure."""
    seconds = TINY_SECONDS if tiny else SECONDS
    stalled, reading = Reader(stalled=True), Reader()
    session = busy_session(stalled, reading)
    gc.collect()
    tracemalloc.start()
    sent_before = stalled.sent_bytes
    session.play(seconds)
    gc.collect()
    early, _ = tracemalloc.get_traced_memory()
    session.play(2 * seconds)
    gc.collect()
    late, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {
        "transitions": session.node.log.number,
        "unacknowledged": stalled.window.unacknowledged,
        "bytes_sent_while_stalled": stalled.sent_bytes - sent_before,
        "bytes_sent_to_the_other": reading.sent_bytes,
        "growth_bytes": late - early,
        "passed": late - early < MOST_GROWTH_BYTES and stalled.sent_bytes == sent_before,
    }
