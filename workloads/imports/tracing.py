"""A log of rabbitmq_tracing in its JSON format: one object for each line, published and received messages.

Kept of each line: its time, whether the message was published or received, to which queue it was routed, its delivery
mode and the length of its payload. A log has no acknowledgement and no confirm.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

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

TIMESTAMP: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{2}):(\d{2})(?:[:.,](\d{1,6}))?(Z|[+-]\d{2}:\d{2})?$"
)
PERSISTENT_MODE: Final = 2
SECOND_US: Final = 1_000_000


class _Line(msgspec.Struct):
    """What is read of a line; everything else in it is not even decoded into memory that stays."""

    timestamp: str
    type: str
    queue: Any = None
    routed_queues: Any = None
    properties: Any = None
    payload: str = ""


class _Received:
    """Deliveries to one queue's consumers."""

    def __init__(self) -> None:
        self.count = 0
        self.first_us = 0
        self.last_us = 0

    def add(self, at_us: int) -> None:
        if not self.count:
            self.first_us = at_us
        self.count += 1
        self.last_us = max(self.last_us, at_us)

    @property
    def rate_per_s(self) -> int:
        """Deliveries in a second, from the first to the last one."""
        return max(1, round(self.count * SECOND_US / max(self.last_us - self.first_us, SECOND_US // 10)))


def read(lines: Iterable[str], options: Options) -> Imported:
    """Return the scenario of a trace.

    Raises:
        WorkloadError: a line is not one of such a log (its number is given), or the log has several queues.
    """
    published: dict[str, Arrivals] = {}
    received: dict[str, _Received] = {}
    for number, text in enumerate(itertools.islice(lines, MOST_LINES + 1), start=1):
        if number > MOST_LINES:
            raise LineError(number, "too_many_lines", most=MOST_LINES)
        if text.strip():
            _add(number, text, published, received)
    routed = {name: each.messages for name, each in published.items()}
    queue = one_queue(routed, options.queue) or ""
    remarks: list[Remark] = []
    arrivals = published.get(queue, Arrivals())
    commands = arrivals.bursts(remarks)
    begin_us = arrivals.first_us or 0
    until_us = arrivals.last_us
    deliveries = received.get(queue)
    if options.consumer_rate_per_s is not None:
        commands.append(consumer(options.consumer_rate_per_s, options))
    elif deliveries is not None:
        rate = deliveries.rate_per_s
        commands.append(consumer(rate, options, at_us=max(0, deliveries.first_us - begin_us)))
        remarks.append(Remark.of("trace_rate", rate=rate))
        remarks.append(Remark.of("trace_acks"))
        until_us = max(until_us, deliveries.last_us)
    else:
        remarks.append(Remark.of("trace_without_consumer"))
    span_us = until_us - begin_us
    end_us = span_us + max(SECOND_US, span_us // 10) + TICK_US
    return Imported(make_scenario("Imported trace", commands, end_us, options), remarks)


def _add(number: int, text: str, published: dict[str, Arrivals], received: dict[str, _Received]) -> None:
    if len(text) > MOST_LINE_CHARACTERS:
        raise LineError(number, "line_too_long", most=MOST_LINE_CHARACTERS)
    try:
        line = msgspec.json.decode(text, type=_Line)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        if text.startswith(("=", "Node:")):
            raise LineError(number, "trace_as_text", why=error) from None
        raise LineError(number, "no_trace_line", why=error) from None
    at_us = _time_us(number, line.timestamp)
    if line.type == "received":
        if isinstance(line.queue, str):
            received.setdefault(line.queue, _Received()).add(at_us)
    elif line.type == "published":
        properties = line.properties if isinstance(line.properties, dict) else {}
        queues = line.routed_queues if isinstance(line.routed_queues, list) else []
        for queue in dict.fromkeys(str(each) for each in queues):
            published.setdefault(queue, Arrivals()).add(
                number,
                at_us,
                _payload_bytes(line.payload),
                persistent=properties.get("delivery_mode") == PERSISTENT_MODE,
            )
    else:
        raise LineError(number, "trace_type", text=repr(line.type[:40]))


def _payload_bytes(base64_text: str) -> int:
    """Return the length of what is encoded, without decoding it."""
    return len(base64_text) * 3 // 4 - base64_text[-2:].count("=")


def _time_us(number: int, text: str) -> int:
    found = TIMESTAMP.match(text)
    if found is None:
        raise LineError(number, "trace_time", text=repr(text[:40]))
    *parts, fraction, zone = found.groups()
    year, month, day, hour, minute, second = map(int, parts)
    try:
        moment = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC)
    except ValueError:
        raise LineError(number, "no_time_value", name="timestamp", text=repr(text[:40])) from None
    shift_us = 0
    if zone and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[4:6])
        shift_us = minutes * 60 * SECOND_US * (1 if zone[0] == "+" else -1)
    return round(moment.timestamp()) * SECOND_US + int((fraction or "0").ljust(6, "0")) - shift_us
