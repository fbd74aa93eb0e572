"""Imports: a PerfTest command line, a log of rabbitmq_tracing, a table of arrivals. Each becomes a scenario.

Each reader refuses what it cannot carry over, with the number of the line. Nothing of what a log has about people is
kept: no user, no connection, no host, no payload, no name of a queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workloads.imports import arrivals_csv, perf_test, tracing
from workloads.imports.common import Imported, Options

READERS: dict[str, Callable[[Iterable[str], Options], Imported]] = {
    "perf-test": perf_test.read,
    "tracing": tracing.read,
    "csv": arrivals_csv.read,
}
"""The kinds of import by name."""

__all__ = ["READERS", "Imported", "Options"]
