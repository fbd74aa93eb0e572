"""A CSV of arrivals: one line for each message, or for several that came at once.

The first line names the columns, in any order: one of `at_us`, `at_ms`, `at_s` (a number from any origin) or
`timestamp` (ISO 8601); `size_bytes`; and, if wanted, `count`, `persistent` (true or false) and `queue`.
"""

from __future__ import annotations

import csv
import datetime as dt
import itertools
from collections.abc import Iterable, Iterator
from typing import Final

from workloads.errors import LineError
from workloads.imports.common import (
    MOST_LINE_CHARACTERS,
    MOST_LINES,
    TICK_US,
    Arrivals,
    Imported,
    Options,
    consumer,
    make_scenario,
    one_queue,
)
from workloads.remarks import Remark

TIMES: Final = {"at_us": 1, "at_ms": 1_000, "at_s": 1_000_000}
KNOWN: Final = (*TIMES, "timestamp", "size_bytes", "count", "persistent", "queue")
TRUTHS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}
MOST_AT_ONCE: Final = 10_000_000


def read(lines: Iterable[str], options: Options) -> Imported:
    """Return the scenario of a table of arrivals.

    Raises:
        WorkloadError: a line is not possible (its number is given), or the table has too little.
    """
    rows = csv.reader(_bounded(lines))
    header = [name.strip().lower() for name in next(rows, [])]
    time_column = _check_header(header)
    by_queue: dict[str, Arrivals] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        _add_row(dict(zip(header, row, strict=False)), len(row), header, time_column, rows.line_num, by_queue)
    queue = one_queue({name: each.messages for name, each in by_queue.items()}, options.queue)
    remarks: list[Remark] = []
    arrivals = by_queue.get(queue or "", Arrivals())
    commands = arrivals.bursts(remarks)
    if options.consumer_rate_per_s is not None:
        commands.insert(0, consumer(options.consumer_rate_per_s, options))
    else:
        remarks.append(Remark.of("table_without_consumer"))
    until_us = arrivals.duration_us + max(1_000_000, arrivals.duration_us // 10) + TICK_US
    return Imported(make_scenario("Imported arrivals", commands, until_us, options), remarks)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(itertools.islice(lines, MOST_LINES + 1), start=1):
        if number > MOST_LINES:
            raise LineError(number, "too_many_lines", most=MOST_LINES)
        if len(line) > MOST_LINE_CHARACTERS:
            raise LineError(number, "line_too_long", most=MOST_LINE_CHARACTERS)
        yield line


def _check_header(header: list[str]) -> str:
    """Return the column that has the time."""
    times = [name for name in header if name in TIMES or name == "timestamp"]
    unknown = [name for name in header if name not in KNOWN]
    if unknown:
        raise LineError(1, "no_column", name=unknown[0][:40], known=", ".join(KNOWN))
    if len(times) != 1:
        raise LineError(1, "no_time_column")
    if "size_bytes" not in header:
        raise LineError(1, "no_size_column")
    if len(set(header)) != len(header):
        raise LineError(1, "column_twice")
    return times[0]


def _add_row(
    row: dict[str, str],
    cells: int,
    header: list[str],
    time_column: str,
    line: int,
    by_queue: dict[str, Arrivals],
) -> None:
    if cells != len(header):
        raise LineError(line, "wrong_cell_count", count=cells, wanted=len(header))
    truth = row.get("persistent", "").strip().lower()
    if truth not in TRUTHS:
        raise LineError(line, "not_true_or_false", name="persistent", text=repr(truth[:40]))
    count = _whole(line, "count", row.get("count", "1") or "1")
    if not 1 <= count <= MOST_AT_ONCE:
        raise LineError(line, "count_out_of_range", count=count, most=MOST_AT_ONCE)
    by_queue.setdefault(row.get("queue", "").strip(), Arrivals()).add(
        line,
        _time_us(line, time_column, row[time_column].strip()),
        _whole(line, "size_bytes", row["size_bytes"]),
        persistent=TRUTHS[truth],
        count=count,
    )


def _whole(line: int, name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise LineError(line, "no_whole_number", name=name, text=repr(text.strip()[:40])) from None


def _time_us(line: int, column: str, text: str) -> int:
    try:
        if column == "timestamp":
            moment = dt.datetime.fromisoformat(text)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=dt.UTC)
            return round(moment.timestamp() * 1_000_000)
        return round(float(text) * TIMES[column])
    except (ValueError, OverflowError):
        raise LineError(line, "no_time_value", name=column, text=repr(text[:40])) from None
