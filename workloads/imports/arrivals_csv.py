"""A CSV of arrivals: one line for each message, or for several that came at once.

The first line names the columns, in any order: one of `at_us`, `at_ms`, `at_s` (a number from any origin) or
`timestamp` (ISO 8601); `size_bytes`; and, if wanted, `count`, `persistent` (true or false), `queue` (several, with
semicolons between them, for a message that all of them got) and `expiration_ms`.
"""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any, Final

from workloads.errors import LineError
from workloads.imports.records import ArrivedMessages, Record, numbered

TITLE: Final = "Imported arrivals"
WITHOUT_CONSUMER: Final = "table_without_consumer"
TIMES: Final = {"at_us": 1, "at_ms": 1_000, "at_s": 1_000_000}
KNOWN: Final = (*TIMES, "timestamp", "size_bytes", "count", "persistent", "queue", "expiration_ms")
TRUTHS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}
MOST_AT_ONCE: Final = 10_000_000
BETWEEN: Final = ";"


def records(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the messages of a table of arrivals.

    Raises:
        LineError: a line is not possible (its number is given).
    """
    rows = _rows(csv.reader(text for _number, text in numbered(lines)))
    _line, first = next(rows, (1, []))
    header = [name.strip().lower() for name in first]
    time_column = _check_header(header)
    for line, row in rows:
        if any(cell.strip() for cell in row):
            if len(row) != len(header):
                raise LineError(line, "wrong_cell_count", count=len(row), wanted=len(header))
            yield _record(dict(zip(header, row, strict=True)), time_column, line)


def _rows(rows: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a reader of CSV, each with the number of its last line."""
    while True:
        try:
            row = next(rows, None)
        except csv.Error:  # a value is too long, or a line ends within one
            raise LineError(rows.line_num, "no_table_line", most=csv.field_size_limit()) from None
        if row is None:
            return
        yield rows.line_num, row


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


def _record(row: dict[str, str], time_column: str, line: int) -> ArrivedMessages:
    truth = row.get("persistent", "").strip().lower()
    if truth not in TRUTHS:
        raise LineError(line, "not_true_or_false", name="persistent", text=repr(truth[:40]))
    count = _whole(line, "count", row.get("count", "1") or "1")
    if not 1 <= count <= MOST_AT_ONCE:
        raise LineError(line, "count_out_of_range", count=count, most=MOST_AT_ONCE)
    expires = row.get("expiration_ms", "").strip()
    return ArrivedMessages(
        line,
        _time_us(line, time_column, row[time_column].strip()),
        tuple(dict.fromkeys(each.strip() for each in row.get("queue", "").split(BETWEEN))),
        _whole(line, "size_bytes", row["size_bytes"]),
        TRUTHS[truth],
        count,
        _whole(line, "expiration_ms", expires) if expires else None,
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
