"""Imports: a PerfTest command line, a log of rabbitmq_tracing, a Firehose capture, a table of arrivals.

Each becomes a scenario. Each reader refuses what it cannot carry over, with the number of the line. Nothing of what a
log has about people is kept: no user, no connection, no host, no payload, no name of a queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import ModuleType
from typing import Final

from workloads.imports import arrivals_csv, firehose, perf_test, tracing
from workloads.imports.common import Imported, Options
from workloads.imports.log import read_parts
from workloads.imports.records import Record, without_mark

LOGS: Final[Mapping[str, ModuleType]] = {"tracing": tracing, "csv": arrivals_csv, "firehose": firehose}
"""The kinds of logs by name: modules that read the messages of one."""
KINDS: Final = ("perf-test", *LOGS)
"""The kinds of import by name."""

Lines = Iterable[str]


def read(kind: str, lines: Lines, options: Options) -> Imported:
    """Return the scenario of a command line or of a whole log.

    Raises:
        WorkloadError: a line is not possible (its number is given), or there is too little in it.
    """
    return next(parts(kind, [lines], options._replace(part_s=None)))


def parts(kind: str, files: Iterable[Lines], options: Options) -> Iterator[Imported]:
    """Yield the scenarios of a log that may lie in several files, in the order of their times.

    Args:
        kind: one of KINDS; of command lines the first file counts.
        files: the lines of each.
        options: what the log does not say.

    Raises:
        WorkloadError: a line is not possible (its number is given), or there is too little in it.
    """
    if kind not in LOGS:
        yield perf_test.read(without_mark(next(iter(files))), options)
        return
    log = LOGS[kind]
    found: Iterator[Record] = (record for lines in files for record in log.records(without_mark(lines)))
    yield from read_parts(found, options, log.TITLE, log.WITHOUT_CONSUMER)


READERS: Final[Mapping[str, Callable[[Lines, Options], Imported]]] = {
    kind: partial(read, kind) for kind in KINDS
}
"""How each kind of import is read whole."""

__all__ = ["KINDS", "READERS", "Imported", "Options", "parts"]
