"""A broker's `backing_queue_status`, and how a generation reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec

Question = tuple[str, dict[str, Any]]
"""A code, and the numbers in its sentence."""
MANY_PENDING: Final = 10_000
"""Number of unacknowledged messages from which to ask a question."""
GROWS: Final = 1.05
"""Factor by which ingress must exceed egress before asking who is slow."""


QueueRates = tuple[float, float, float, float]
"""Messages per second: in, out, and the acknowledgements of both."""
Queue = Mapping[str, Any]
"""A backing queue of a snapshot."""


def rates_printed(rates: QueueRates) -> dict[str, float]:
    names = ("avg_ingress_rate", "avg_egress_rate", "avg_ack_ingress_rate", "avg_ack_egress_rate")
    return dict(zip(names, rates, strict=True))


def lane_count(queue: Queue, lane: str) -> int:
    """Return how many messages a lane of a snapshot lists."""
    return sum(row[1] for row in queue["lanes"].get(lane, ()))


def record_printed(*items: str | int | None) -> str:
    """Return a record as Erlang prints it; None is undefined."""
    return f"{{{','.join('undefined' if each is None else str(each) for each in items)}}}"


class PrintedStatus(msgspec.Struct, frozen=True):
    """A parsed status.

    Args:
        values: all values as text, by name.
        counts: messages of each lane; None if the text lacks them.
        counted: messages in lanes with only a record; None if the text lacks them.
        redelivered: how many messages the status names that were delivered before.
    """

    values: Mapping[str, str]
    counts: Mapping[str, int | None]
    counted: int | None
    redelivered: int

    def whole(self, *names: str) -> int | None:
        """Return the first value that exists, if it is a whole number."""
        text = next((self.values[name] for name in names if name in self.values), "")
        return int(text) if re.fullmatch(r"\d{1,15}", text) else None

    def number(self, name: str) -> float | None:
        try:
            return float(self.values[name])
        except (KeyError, ValueError):
            return None

    def growth(self) -> dict[str, str] | None:
        """Return the rates if more comes in than goes out, else None."""
        ingress, egress = self.number("avg_ingress_rate"), self.number("avg_egress_rate")
        if ingress is None or egress is None or ingress <= egress * GROWS:
            return None
        return {"ingress": f"{ingress:.1f}", "egress": f"{egress:.1f}"}

    def many_pending(self, *names: str) -> Iterator[Question]:
        """Yield the question about messages with consumers, where there are very many."""
        pending = self.whole(*names)
        if pending is not None and pending > MANY_PENDING:
            yield "pending", {"count": pending}


class StatusReader(msgspec.Struct, frozen=True, kw_only=True):
    """How to read the statuses of one generation's queues.

    Args:
        version: its number in a status.
        lanes: its lanes from the tail to the head, by printed name, each with the place of its messages: content in
            "ram", only the index entry in RAM (at the "line"), or all on "disk".
        counted: lanes that are printed as a record; its third term is the number of messages.
        items: possible numbers of terms in such a record.
        keys: names of values that only its statuses have.
        named: remark about a status with its lanes; empty for the usual ones.
        numbered: remark about a status with its number and the usual lanes.
        questions: questions to ask about a status, by code.
    """

    version: str
    lanes: Mapping[str, str]
    counted: frozenset[str]
    items: tuple[int, ...]
    keys: frozenset[str]
    named: str = ""
    numbered: str = ""
    questions: Callable[[PrintedStatus], Iterator[Question]]
