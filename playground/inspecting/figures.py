"""Pasted output of `rabbitmqctl list_queues ... backing_queue_status`: its figures, and the questions they raise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.backing_queue.places import PLACES, VARIABLE_QUEUE
from playground.inspecting.unreadable import Unreadable

MOST_CHARS: Final = 200_000
MOST_QUEUES: Final = 50
MANY_PENDING: Final = 10_000
PAIR: Final = re.compile(r"\{:?(\w+),\s*:?(\"?[\w.+-]+\"?)\}|\b(\w+):\s*:?(\"?[\w.+-]+\"?)(?=[,\]}\s])")
DELTA: Final = re.compile(r"\{:?delta,\s*:?(\w+),\s*(\d+),\s*(\d+),\s*:?(\w+)\}")
LANES: Final = {
    place.name: "line" if place.content == "mixed" else place.content
    for place in PLACES[VARIABLE_QUEUE]
    if not place.unacked
}
"""Where a place's messages are: content in RAM, only the index entry in RAM (at the line), or all of it on disk."""
IN_RAM: Final = tuple(lane for lane, where in LANES.items() if where == "ram")


Question = tuple[str, dict[str, Any]]


class Figures(msgspec.Struct, frozen=True):
    """One queue's.

    Args:
        name: what stands before the status, or its place in the text.
        lanes: each place from the tail to the head: its name, its messages, their share of the most (0 to 100), where.
        values: everything that was found, by name.
        questions: what somebody should ask about it, by code, each with the numbers in its sentence.
    """

    name: str
    lanes: list[tuple[str, int, int, str]]
    values: dict[str, str]
    questions: list[Question]


def read(text: str) -> list[Figures]:
    """Return the figures of each queue in a text; raise Unreadable where no status is in it."""
    found: list[Figures] = []
    for line in _records(text[:MOST_CHARS]):
        values = {
            first or third: (second or fourth).strip('"')
            for first, second, third, fourth in PAIR.findall(line)
        }
        delta = DELTA.search(line)
        if delta:
            values["delta"] = delta[2]
        if not any(name in values for name in (*IN_RAM, "avg_ingress_rate", "target_ram_count")):
            continue
        name = re.split(r"[\t\[{]|\s{2,}", line.strip(), maxsplit=1)[0].strip() or f"#{len(found) + 1}"
        counts = [(lane, _whole(values.get(lane))) for lane in LANES]
        most = max(1, *(count for _lane, count in counts))
        lanes = [(lane, count, round(100 * count / most), LANES[lane]) for lane, count in counts]
        found.append(Figures(name[:80], lanes, values, list(_questions(values))))
        if len(found) == MOST_QUEUES:
            break
    if not found:
        raise Unreadable("figures")
    return found


def _records(text: str) -> Iterator[str]:
    """Yield a queue's text each: a line, or several where the status goes on over them."""
    gathered = ""
    for line in text.splitlines():
        gathered = f"{gathered} {line}" if gathered else line
        if gathered.count("[") + gathered.count("{") <= gathered.count("]") + gathered.count("}"):
            yield gathered
            gathered = ""
    if gathered:
        yield gathered


def _whole(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"\d{1,15}", text) else 0


def _number(values: dict[str, str], name: str) -> float | None:
    try:
        return float(values[name])
    except (KeyError, ValueError):
        return None


def _questions(values: dict[str, str]) -> Iterator[Question]:
    ingress, egress = _number(values, "avg_ingress_rate"), _number(values, "avg_egress_rate")
    delta = _whole(values.get("delta"))
    if ingress is not None and egress is not None and ingress > egress * 1.05:
        rates = {"ingress": f"{ingress:.1f}", "egress": f"{egress:.1f}"}
        yield ("grows_in_delta" if delta else "grows"), rates
    if delta:
        yield "delta", {"count": delta}
    target = values.get("target_ram_count")
    if target is not None and "infinity" not in target:
        yield "target", {"target": target}
    if values.get("mode") == "lazy" and any(_whole(values.get(lane)) for lane in IN_RAM):
        yield "lazy", {}
    ram, length = _whole(values.get("ram_msg_count")), _whole(values.get("len"))
    if length and "ram_msg_count" in values and not ram and values.get("mode") != "lazy":
        yield "no_ram", {"length": length}
    pending = _whole(values.get("num_pending_acks"))
    if pending > MANY_PENDING:
        yield "pending", {"count": pending}
