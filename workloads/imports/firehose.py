"""A capture of the Firehose: what a queue bound to amq.rabbitmq.trace got, as JSON, one message in each line.

A message is as the HTTP API answers it (`POST /api/queues/VHOST/NAME/get`): `routing_key` with `publish.EXCHANGE` or
`deliver.QUEUE`, the headers that the Firehose writes below `properties`, `payload_bytes`, and the payload if it is
short of those. The Firehose itself says no time, so whoever captures adds one: `timestamp` (ISO 8601), `at_us`, `at_ms`
or `at_s`; else the times that the message itself has count (its property `timestamp`, or the header `timestamp_in_ms`
of the plugin message_timestamp).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from workloads.errors import LineError
from workloads.imports.records import (
    PERSISTENT_MODE,
    SECOND_US,
    ArrivedMessages,
    DeliveredMessage,
    Record,
    expiration_ms,
    numbered,
    time_us,
)

TITLE: Final = "Imported Firehose capture"
WITHOUT_CONSUMER: Final = "trace_without_consumer"


class _Line(msgspec.Struct):
    """What is read of a message."""

    routing_key: str
    properties: dict[str, Any] = {}
    headers: dict[str, Any] = {}
    payload_bytes: int | None = None
    payload: str | None = None
    payload_encoding: str = "string"
    timestamp: Any = None
    at_us: float | None = None
    at_ms: float | None = None
    at_s: float | None = None

    @property
    def time_us(self) -> int | None:
        """When it came, where it says so as a number."""
        for value, unit_us in ((self.at_us, 1), (self.at_ms, 1_000), (self.at_s, SECOND_US)):
            if value is not None:
                return round(value * unit_us)
        return None


def records(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the messages of a capture.

    Raises:
        LineError: a line is not a message of the Firehose, or has no time.
    """
    for number, text in numbered(lines):
        if not text.strip():
            continue
        try:
            line = msgspec.json.decode(text, type=_Line)
        except (msgspec.ValidationError, msgspec.DecodeError, UnicodeEncodeError) as error:
            raise LineError(number, "no_firehose_line", why=error) from None
        yield _record(number, line)


def _record(number: int, line: _Line) -> Record:
    headers = line.headers or _table(line.properties.get("headers"))
    properties = _table(headers.get("properties"))
    at_us = _time_us(number, line, properties)
    kind, _dot, name = line.routing_key.partition(".")
    if kind == "deliver":
        return DeliveredMessage(number, at_us, name)
    if kind != "publish" or not isinstance(headers.get("routed_queues"), list):
        why = "routing_key" if kind != "publish" else "routed_queues"
        raise LineError(number, "no_firehose_line", why=why)
    return ArrivedMessages(
        number,
        at_us,
        tuple(dict.fromkeys(map(str, headers["routed_queues"]))),
        _size_bytes(line),
        properties.get("delivery_mode") == PERSISTENT_MODE,
        expiration_ms=expiration_ms(properties.get("expiration")),
    )


def _size_bytes(line: _Line) -> int:
    if line.payload_bytes is not None:
        return line.payload_bytes
    payload = line.payload or ""
    if line.payload_encoding == "base64":
        return len(payload) * 3 // 4 - payload[-2:].count("=")
    return len(payload.encode())


def _time_us(number: int, line: _Line, properties: dict[str, Any]) -> int:
    """Return when a message came: what the capture says, else what the message says itself."""
    if line.time_us is not None:
        return line.time_us
    if isinstance(line.timestamp, str):
        return time_us(number, line.timestamp)
    exact_ms = _table(properties.get("headers")).get("timestamp_in_ms")
    if isinstance(exact_ms, int):
        return exact_ms * 1_000
    seconds = line.timestamp if line.timestamp is not None else properties.get("timestamp")
    if isinstance(seconds, int | float):
        return round(seconds * SECOND_US)
    raise LineError(number, "firehose_time")


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
