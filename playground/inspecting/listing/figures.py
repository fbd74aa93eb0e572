"""Pasted listings with backing_queue_status: each queue's figures, the questions they raise, and what was not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.classic_v1.places import PLACES
from playground.inspecting.listing.rows import MOST_NAMED, LeftOut, Row, rows
from playground.inspecting.listing.terms import Pair, pairs, plain, term
from playground.inspecting.unreadable import Unreadable

MOST_CHARS: Final = 200_000
MOST_QUEUES: Final = 50
MANY_PENDING: Final = 10_000
STATUS: Final = "backing_queue_status"
LANES: Final = {
    place.name: "line" if place.content == "mixed" else place.content for place in PLACES if not place.unacked
}
"""Where a place's messages are: content in RAM, only the index entry in RAM (at the line), or all of it on disk."""
NAMED: Final = {"q_tail": "disk", "q_head": "ram"}
"""The lanes as 4.3 prints them (W10, W74)."""
MOST_LOADED: Final = 2048
"""Messages that one load brings at most (W32)."""
IN_RAM: Final = tuple(lane for lane, where in LANES.items() if where == "ram")
KNOWN: Final = frozenset(
    "mode version q1 q2 delta q3 q4 len pending_acks num_pending_acks num_unconfirmed target_ram_count ram_msg_count "
    "ram_ack_count next_seq_id next_deliver_seq_id persistent_count avg_ingress_rate avg_egress_rate "
    "avg_ack_ingress_rate avg_ack_egress_rate qi_buffer_size qi_buffer_num_up priority_lengths mirror_seen "
    "mirror_senders q_head q_tail redeliver_seq_id delivery_count qs_buffer_size".split()
)
"""What statuses of releases from 3.0 to 4.3 have."""
OWN: Final = KNOWN - {"mode", "version"}
"""What nothing else has: a client tells its version, too."""
READ: Final = frozenset(
    {"name", "vhost", "arguments", STATUS, "messages", "messages_ready", "messages_unacknowledged"}
)
"""Columns that are used."""
DELTA_ITEMS: Final = (4, 5)
"""{delta,Start,Count,End} up to 3.6.6; {delta,Start,Count,Transient,End} to 4.0; {q_tail,Start,Count,End} in 4.3."""

SPREAD: Final = "backing_queue_status."
"""How the columns of a status begin that `rabbitmqadmin --depth=3 list queues` spreads over a table."""

Question = tuple[str, dict[str, Any]]
Lane = tuple[str, int | None, int, str]


class Figures(msgspec.Struct, frozen=True):
    """One queue's.

    Args:
        name: the queue's, or its place in the text.
        lanes: each place from the tail to the head: its name, its messages (None where the text does not have them),
            their share of the most (0 to 100), where.
        values: everything that was found, by name.
        questions: what somebody should ask about it, by code, each with the numbers in its sentence.
    """

    name: str
    lanes: list[Lane]
    values: dict[str, str]
    questions: list[Question]


class Listing(msgspec.Struct, frozen=True):
    """What a text has.

    Args:
        figures: of its queues.
        left_out: lines that were not read, the first of them.
        left_out_count: of all.
        columns: names of columns that are not used.
        more: queues beyond those that can be shown.
        rest: characters beyond those that are read.
    """

    figures: list[Figures]
    left_out: list[LeftOut]
    left_out_count: int
    columns: list[str]
    more: int
    rest: int


def read(text: str) -> Listing:
    """Return the figures of each queue in a text; raise Unreadable where no status is in it."""
    found: list[Figures] = []
    left_out: list[LeftOut] = []
    columns: dict[str, None] = {}
    more = 0
    for row in rows(text[:MOST_CHARS], left_out):
        status, cell = _status(row)
        if not status:
            left_out.append(LeftOut(row.line, " ".join(map(str, row.cells.values()))[:80]))
            continue
        if len(found) == MOST_QUEUES:
            more += 1
            continue
        columns |= dict.fromkeys(
            each for each in row.cells if row.headed and each not in READ and not each.startswith(SPREAD)
        )
        found.append(_figures(row, status, cell, len(found) + 1))
    if not found:
        raise Unreadable("figures")
    rest = max(0, len(text) - MOST_CHARS)
    return Listing(found, left_out[:MOST_NAMED], len(left_out), list(columns), more, rest)


def _status(row: Row) -> tuple[dict[str, Any], str]:
    """Return the status in a row by name, and which cell has it."""
    spread = {
        column.removeprefix(SPREAD): _spread(str(value))
        for column, value in row.cells.items()
        if column.startswith(SPREAD)
    }
    if spread:
        return spread, next(column for column in row.cells if column.startswith(SPREAD))
    for column in [STATUS] if STATUS in row.cells else list(row.cells):
        value = row.cells[column]
        if isinstance(value, str):
            begin = value.find("[")
            outer = term(value[begin:]) if begin >= 0 else []
            status = dict(pairs(outer[0])) if outer and isinstance(outer[0], list) else {}
        else:
            status = value if isinstance(value, dict) else {}
        if not OWN.isdisjoint(status):
            return status, column
    return {}, ""


def _spread(value: str) -> Any:
    """Return a cell of a status that is spread over columns; what has items stands there as JSON."""
    found = term(value) if value.startswith("[") else []
    return found[0] if found else value


def _figures(row: Row, status: dict[str, Any], cell: str, number: int) -> Figures:
    places = LANES if NAMED.keys().isdisjoint(status) else NAMED
    counts = {lane: _delta(status, lane) if lane in COUNTED else _whole(status.get(lane)) for lane in places}
    if _whole(status.get("len")) == sum(count or 0 for count in counts.values()):
        counts = {lane: count or 0 for lane, count in counts.items()}  # no message is left for the others
    values = {name: _shown(value) for name, value in status.items()}
    values |= {lane: str(counts[lane]) for lane in COUNTED if counts.get(lane) is not None}
    values |= {
        name: str(row.cells[name]) for name in READ - {STATUS, "name", "arguments"} if name in row.cells
    }
    if "mode" not in values and _is_lazy(row.cells.get("arguments")):
        values["mode"] = "lazy"
    most = max(1, *(count or 0 for count in counts.values()))
    lanes = [(lane, count, round(100 * (count or 0) / most), places[lane]) for lane, count in counts.items()]
    name = _name(row, cell) or f"#{number}"
    return Figures(name[:255], lanes, values, list(_questions(values, status, counts)))


COUNTED: Final = ("delta", "q_tail")
"""Lanes of which there is a record instead of their messages."""


def _delta(status: dict[str, Any], lane: str) -> int | None:
    """Return how many messages delta or the tail has; None for a form that is not known."""
    value = status.get(lane)
    if not isinstance(value, list) or len(value) not in DELTA_ITEMS or _shown(value[0]) != lane:
        return None
    return _whole(value[2])


def _name(row: Row, cell: str) -> str:
    """Return the queue's name: its column, or the first cell that is neither the status nor a pid."""
    if row.headed:
        return str(row.cells.get("name", ""))
    status = str(row.cells[cell])
    before = re.split(r"\s{2,}", status[: status.find("[")].strip())[0]
    others = [str(value) for column, value in row.cells.items() if column != cell]
    return next((each for each in [*others, before] if each and not each.startswith("<")), "")


def _is_lazy(arguments: Any) -> bool:
    if isinstance(arguments, dict):
        return arguments.get("x-queue-mode") == "lazy"
    text = str(arguments or "")
    return any(
        dict(pairs(each)).get("x-queue-mode") == "lazy" or dict(_threes(each))
        for each in term(text)
        if isinstance(each, list)
    )


def _threes(found: list[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the lazy argument where arguments stand with their types: {"x-queue-mode",longstr,"lazy"}."""
    for each in found:
        if isinstance(each, Pair) and each[:1] == ["x-queue-mode"] and each[-1:] == ["lazy"]:
            yield "x-queue-mode", True


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return plain(value)
    return "…" if isinstance(value, list | dict) else str(value).lower()


def _whole(value: Any) -> int | None:
    text = _shown(value)
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def _number(values: dict[str, str], name: str) -> float | None:
    try:
        return float(values[name])
    except (KeyError, ValueError):
        return None


def _questions(
    values: dict[str, str], status: dict[str, Any], counts: dict[str, int | None]
) -> Iterator[Question]:
    yield from _doubts(values, status, counts)
    if values.get("version") == "2" or "q_tail" in counts:
        yield from _of_version_2(values, status, counts)
        return
    ingress, egress = _number(values, "avg_ingress_rate"), _number(values, "avg_egress_rate")
    delta = counts.get("delta")
    if ingress is not None and egress is not None and ingress > egress * 1.05:
        rates = {"ingress": f"{ingress:.1f}", "egress": f"{egress:.1f}"}
        yield ("grows_in_delta" if delta else "grows"), rates
    if delta:
        yield "delta", {"count": delta}
    target = values.get("target_ram_count")
    if target is not None and "infinity" not in target:
        yield "target", {"target": target}
    if values.get("mode") == "lazy" and any(counts[lane] for lane in IN_RAM):
        yield "lazy", {}
    ram, length = _whole(values.get("ram_msg_count")), _whole(values.get("len"))
    if length and ram == 0 and values.get("mode") != "lazy":
        yield "no_ram", {"length": length}
    pending = _whole(values.get("num_pending_acks", values.get("pending_acks")))
    if pending is not None and pending > MANY_PENDING:
        yield "pending", {"count": pending}


def _of_version_2(
    values: dict[str, str], status: dict[str, Any], counts: dict[str, int | None]
) -> Iterator[Question]:
    """Yield what somebody should ask about a queue of version 2: it grows on disk, not in memory (W32, W70)."""
    ingress, egress = _number(values, "avg_ingress_rate"), _number(values, "avg_egress_rate")
    waiting = counts.get("q_tail", counts.get("delta"))
    if ingress is not None and egress is not None and ingress > egress * 1.05:
        rates = {"ingress": f"{ingress:.1f}", "egress": f"{egress:.1f}"}
        yield ("grows_in_tail" if waiting else "grows"), rates
    if waiting and egress is not None:
        yield "tail", {"count": waiting, "window": min(1 + int(2 * egress), MOST_LOADED)}
    counted = status.get("delivery_count")
    if isinstance(counted, dict | list) and counted:
        yield "counted_deliveries", {"count": len(counted)}
    pending = _whole(values.get("num_pending_acks"))
    if pending is not None and pending > MANY_PENDING:
        yield "pending", {"count": pending}


def _doubts(
    values: dict[str, str], status: dict[str, Any], counts: dict[str, int | None]
) -> Iterator[Question]:
    """Yield what contradicts itself in the figures, and what of them was not read."""
    if not NAMED.keys().isdisjoint(status):
        yield "version_2_named", {}
    elif values.get("version") == "2":
        yield "version_2", {}
    elif values.get("version", "1") != "1":
        yield "version_unknown", {"version": values["version"]}
    missing = [lane for lane, count in counts.items() if count is None]
    if missing:
        yield "lanes_missing", {"names": ", ".join(missing)}
    length, summed = _whole(values.get("len")), sum(count or 0 for count in counts.values())
    if length is not None and length != summed:
        yield "other_sum", {"length": length, "sum": summed}
    ready, unacked = (_whole(values.get(f"messages_{each}")) for each in ("ready", "unacknowledged"))
    messages = _whole(values.get("messages"))
    if None not in (ready, unacked, messages) and messages != (ready or 0) + (unacked or 0):
        yield "other_messages", {"messages": messages, "ready": ready, "unacked": unacked}
    unknown = [name for name in status if name not in KNOWN]
    if unknown:
        yield "fields_unknown", {"names": ", ".join(unknown)[:300]}
