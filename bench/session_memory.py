"""Memory of a session beyond the process: empty, at work, and holding a million messages."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

from bench.measure import Result
from bench.session import BenchSession, Reader

MOST_BYTES = 4_000_000
SECONDS, TINY_SECONDS = 30, 2
COUNT, TINY_COUNT = 1_000_000, 50_000


def empty() -> BenchSession:
    """A session in which nothing happened."""
    return BenchSession((Reader(),))


def at_work(seconds: int) -> BenchSession:
    """Some seconds of publishing, paging, consuming and confirming."""
    session = empty()
    session.submit(do="set", name="target_ram_count", value=500)
    session.submit(
        do="set_publisher", name="p1", rate_per_s=2000, size_bytes=5000, persistent=True, confirm=True
    )
    session.submit(do="set_consumer", name="c1", rate_per_s=1500, prefetch=50)
    session.play(seconds)
    return session


def well_filled(count: int) -> BenchSession:
    """Many messages, most of them in delta."""
    session = empty()
    session.submit(do="set", name="target_ram_count", value=10_000)
    session.submit(do="publish", count=count, size_bytes=16)
    session.play(5)
    return session


def bytes_of(make: Callable[[], BenchSession]) -> int:
    """Return what one more session keeps allocated, after a first one has filled the process's caches."""
    make()
    gc.collect()
    tracemalloc.start()
    session = make()
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del session
    return used


def run(tiny: bool) -> Result:
    """Measure."""
    seconds, count = (TINY_SECONDS, TINY_COUNT) if tiny else (SECONDS, COUNT)
    found = {
        "empty": bytes_of(empty),
        "at_work": bytes_of(lambda: at_work(seconds)),
        "well_filled": bytes_of(lambda: well_filled(count)),
    }
    return {
        "seconds_at_work": seconds,
        "messages_when_well_filled": count,
        "bytes": found,
        "filled_over_empty": round(found["well_filled"] / found["empty"], 1),
        "passed": max(found.values()) < MOST_BYTES,
    }
