"""A log of rabbitmq_tracing, in its JSON format or as text: published and received messages.

Kept of each: its time, whether the message was published or received, to which queues it was routed, its delivery
mode, its expiration and the length of its payload. A log has no acknowledgement and no confirm.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from workloads.errors import LineError
from workloads.imports import trace_text
from workloads.imports.records import (
    PERSISTENT_MODE,
    ArrivedMessages,
    DeliveredMessage,
    Record,
    expiration_ms,
    numbered,
    time_us,
)

TITLE: Final = "Imported trace"
WITHOUT_CONSUMER: Final = "trace_without_consumer"
OBJECT: Final = "eyJ"
"""How a JSON object begins in base64, with the name of its first member."""


class _Line(msgspec.Struct):
    """What is read of a line; everything else in it is not even decoded into memory that stays."""

    timestamp: str
    type: str
    queue: Any = None
    routed_queues: Any = None
    properties: Any = None
    payload: str = ""


def records(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the messages of a trace in either format.

    Raises:
        LineError: a line is not one of such a log (its number is given).
    """
    rest = numbered(lines)
    for number, text in rest:
        if text.strip():
            whole = itertools.chain([(number, text)], rest)
            yield from trace_text.records(whole) if text.startswith("==") else _of_json(whole)
            return


def _of_json(lines: Iterable[tuple[int, str]]) -> Iterator[Record]:
    for number, text in lines:
        if text.strip():
            yield _record(number, text)


def _record(number: int, text: str) -> Record:
    try:
        line = msgspec.json.decode(text, type=_Line)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeEncodeError) as error:
        raise LineError(number, "no_trace_line", why=error) from None
    at_us = time_us(number, line.timestamp)
    if line.type == "received":
        return DeliveredMessage(number, at_us, str(line.queue))
    if line.type != "published":
        raise LineError(number, "trace_type", text=repr(line.type[:40]))
    properties = line.properties if isinstance(line.properties, dict) else {}
    queues = line.routed_queues if isinstance(line.routed_queues, list) else []
    return ArrivedMessages(
        number,
        at_us,
        tuple(dict.fromkeys(map(str, queues))),
        _payload_bytes(line.payload),
        properties.get("delivery_mode") == PERSISTENT_MODE,
        expiration_ms=expiration_ms(properties.get("expiration")),
        is_payload=True,
        is_torn=line.payload.startswith(OBJECT) and not _end(line.payload).rstrip().endswith(b"}"),
    )


def _end(base64_text: str) -> bytes:
    """Return the last bytes of what is encoded; none where the text is not base64."""
    try:
        return base64.b64decode(base64_text[-16:], validate=True)
    except ValueError:
        return b""


def _payload_bytes(base64_text: str) -> int:
    """Return the length of what is encoded, without decoding it."""
    return len(base64_text) * 3 // 4 - base64_text[-2:].count("=")
