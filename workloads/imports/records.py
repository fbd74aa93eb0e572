"""What every reader of a log yields: messages that were published, and messages that consumers received."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from workloads.errors import LineError

SECOND_US: Final = 1_000_000
MOST_LINES: Final = 20_000_000
MOST_LINE_CHARACTERS: Final = 4_000_000
PERSISTENT_MODE: Final = 2
BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
TIMESTAMP: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})[ T](\d{1,2}):(\d{2}):(\d{2})(?:[:.,](\d{1,6}))?(Z|[+-]\d{2}:\d{2})?$"
)


class ArrivedMessages(msgspec.Struct, frozen=True, gc=False):
    """Messages that came at once, all alike.

    Args:
        line: where it stands, to say what is wrong with it.
        at_us: when, from any origin.
        queues: where they went; none for messages that no queue got.
        size_bytes: of each body.
        persistent: delivery_mode 2.
        count: how many.
        expiration_ms: the property, None without one.
        is_payload: whether `size_bytes` is what a trace logged of a body, which max_payload_bytes may have cut.
        is_torn: whether that payload shows that it was cut.
    """

    line: int
    at_us: int
    queues: tuple[str, ...]
    size_bytes: int
    persistent: bool
    count: int = 1
    expiration_ms: int | None = None
    is_payload: bool = False
    is_torn: bool = False


class DeliveredMessage(msgspec.Struct, frozen=True, gc=False):
    """A message that a queue's consumer got."""

    line: int
    at_us: int
    queue: str


Record = ArrivedMessages | DeliveredMessage


def without_mark(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without the byte order mark with which some editors begin a text."""
    rest = iter(lines)
    for first in rest:
        yield first.removeprefix(BYTE_ORDER_MARK)
        yield from rest


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log with their numbers.

    Raises:
        LineError: there are too many, or one is too long.
    """
    for number, text in enumerate(itertools.islice(lines, MOST_LINES + 1), start=1):
        if number > MOST_LINES:
            raise LineError(number, "too_many_lines", most=MOST_LINES)
        if len(text) > MOST_LINE_CHARACTERS:
            raise LineError(number, "line_too_long", most=MOST_LINE_CHARACTERS)
        yield number, text


def time_us(number: int, text: str) -> int:
    """Return a moment as the plugins write it, in microseconds.

    Raises:
        LineError: it is none.
    """
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


def expiration_ms(value: object) -> int | None:
    """Return the property `expiration` as a number; the broker refuses messages with another text (P8)."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
