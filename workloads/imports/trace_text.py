r"""A log of rabbitmq_tracing as text, as 3.10.8 writes it (tests/recordings/traces).

An entry is an empty line, a line of eighty equals signs, its time with *Message published* or *Message received*, an
empty line, and its fields by name. The last one is the payload: what follows, up to the line break and the empty line
that the next entry begins with. A payload may have lines that look like the beginning of an entry; they are told from
one by the field that comes next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from workloads.errors import LineError
from workloads.imports.records import (
    PERSISTENT_MODE,
    ArrivedMessages,
    DeliveredMessage,
    Record,
    expiration_ms,
    time_us,
)

RULE: Final = "=" * 80
TITLE: Final = re.compile(r"(\S{1,40}(?: \S{1,40})?): Message (published|received)")
FIRST_FIELD: Final = "Node:         "
PAYLOAD: Final = "Payload:"
BEGINNING: Final = 4
"""Lines by which an entry is known: rule, title, an empty one, first field."""
TERMS: Final = re.compile(r'<<"((?:[^"\\]|\\.)*)"(?:/utf8)?>>')
MODE: Final = re.compile(r'<<"delivery_mode">>,signedint,(\d+)')
EXPIRATION: Final = re.compile(r'<<"expiration">>,longstr,<<"(\d+)">>')

Line = tuple[int, str]


def records(lines: Iterable[Line]) -> Iterator[Record]:
    """Yield the messages of a trace.

    Args:
        lines: with their numbers and line breaks; bytes that are no text as surrogates.

    Raises:
        LineError: something else than an entry stands where one has to.
    """
    entry: list[Line] = []
    waiting: list[Line] = []
    """What may be the beginning of an entry: its rule, its title, an empty line, its first field."""
    for number, line in lines:
        text = line.rstrip("\r\n")
        if waiting and _goes_on(text, len(waiting)):
            waiting.append((number, line))
            if len(waiting) == BEGINNING:
                if entry:
                    yield _record(entry, more=True)
                entry, waiting = waiting, []
            continue
        entry += waiting
        waiting = [(number, line)] if text == RULE else []
        if not waiting and (entry or text):
            entry.append((number, line))
            _check(entry[0])
    entry += waiting
    if entry:
        yield _record(entry, more=False)


def _check(first: Line) -> None:
    """Refuse what is before the first entry."""
    if first[1].rstrip("\r\n") != RULE:
        raise LineError(first[0], "no_trace_entry")


def _goes_on(text: str, at: int) -> bool:
    """Return whether a line is the one that an entry's beginning has at this place."""
    if at == 1:
        return TITLE.fullmatch(text) is not None
    return not text if at == 2 else text.startswith(FIRST_FIELD)


def _record(entry: list[Line], more: bool) -> Record:
    """Return what an entry says.

    Args:
        entry: its lines, from its rule on.
        more: whether another entry follows, whose empty line is the last one here.
    """
    number, rule = entry[0]
    found = TITLE.fullmatch(entry[1][1].rstrip("\r\n")) if len(entry) > 3 else None
    if found is None:
        raise LineError(number, "no_trace_entry")
    at_us = time_us(number, found[1])
    fields: dict[str, str] = {}
    name = ""
    rest = iter(entry[3:])
    for _number, line in rest:
        if line.startswith(PAYLOAD):
            break
        before, colon, value = line.partition(":")
        if colon and not line.startswith(" "):
            name = before
            fields[name] = value.strip()
        elif name:
            fields[name] += line.strip()
    else:
        raise LineError(number, "no_trace_entry")
    if found[2] == "received":
        return DeliveredMessage(number, at_us, fields.get("Queue", ""))
    properties = fields.get("Properties", "")
    mode, expires = MODE.search(properties), EXPIRATION.search(properties)
    return ArrivedMessages(
        number,
        at_us,
        tuple(dict.fromkeys(TERMS.findall(fields.get("Routed queues", "")))),
        _payload_bytes(rest, more, len(rule) - len(RULE)),
        mode is not None and int(mode[1]) == PERSISTENT_MODE,
        expiration_ms=expiration_ms(expires[1]) if expires else None,
        is_payload=True,
    )


def _payload_bytes(lines: Iterable[Line], more: bool, break_bytes: int) -> int:
    """Return the bytes of a payload: the line break behind it is not its own, nor is the next entry's empty line.

    Args:
        lines: from the payload on.
        more: whether another entry follows.
        break_bytes: of the breaks that the log has: two where somebody saved it with those of Windows.
    """
    size_bytes = sum(len(line.encode("utf-8", "surrogateescape")) for _number, line in lines)
    return max(0, size_bytes - break_bytes * (2 if more else 1))
