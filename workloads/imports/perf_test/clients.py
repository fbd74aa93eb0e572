"""PerfTest's producers and consumers as the scenario's publishers and consumers.

Equal clients beyond what a session has room for are played as fewer that each do the work of several.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from engine.broker.commands.base import MAX_PREFETCH, MAX_RATE, PROPERTIES
from engine.broker.commands.client_commands import MAX_TX
from engine.broker.commands.scenario import MAX_COMMANDS
from workloads.errors import LineError, WorkloadError
from workloads.imports.common import Options
from workloads.imports.perf_test.layout import Layout, start_us
from workloads.imports.perf_test.options import Given
from workloads.imports.perf_test.values import SECOND_US, Pair, interval_s, pairs, rate, table, truth, whole
from workloads.remarks import Remark

MOST_CLIENTS: Final = 60
"""Producers, and consumers: those that a session has, of both together, and room for some more."""
MOST_GIVEN: Final = 1_000_000
LEAST_BODY_BYTES: Final = 12
"""PerfTest puts a sequence number and a time into each body."""
FASTEST_CONSUMER: Final = 20_000
"""Messages a second for a consumer without a rate: about what one connection of the broker can take."""
FASTEST_PRODUCER: Final = 50_000
"""Messages a second for a producer without a rate: more than one connection of the broker takes, so that the node's
flow control decides.
"""
MOST_SINGLE: Final = 4_000
"""Messages that are published one by one, where there is less than one in a second."""
MEASURED: Final = "measured-vm"
"""The work profile in which a producer without a rate is slowed down by the node."""
COMMON: Final = {
    "contentType": "content_type",
    "contentEncoding": "content_encoding",
    "priority": "priority",
    "correlationId": "correlation_id",
    "replyTo": "reply_to",
    "messageId": "message_id",
    "timestamp": "timestamp",
    "type": "type",
    "userId": "user_id",
    "appId": "app_id",
    "clusterId": "cluster_id",
}


class Timed(NamedTuple):
    """A value from a moment on."""

    at_us: int
    value: Any


def clients_of(given: Given, name: str) -> int:
    """Return how many channels the producers, or the consumers, have together."""
    singular = name.removesuffix("s")
    count = max(0, whole(given, name, 1)) * max(0, whole(given, f"{singular}-channel-count", 1))
    if count > MOST_GIVEN:
        word = given.word(name) or given.word(f"{singular}-channel-count")
        raise LineError(
            word.line if word else 1, "too_many_clients", count=count, name=f"--{name}", most=MOST_GIVEN
        )
    return count


def _groups(shares: Sequence[int], name: str, remarks: list[Remark]) -> list[list[int]]:
    """Return, for each share of the clients, how many clients each played client stands for."""
    total = sum(shares)
    if total <= MOST_CLIENTS:
        return [[1] * share for share in shares]
    each = max(1, MOST_CLIENTS // len(shares))
    played = [
        [sum(1 for _ in range(place, share, each)) for place in range(min(share, each))] for share in shares
    ]
    remarks.append(Remark.of("clients_merged", count=total, name=name, fewer=sum(map(len, played))))
    return played


def message(given: Given, remarks: list[Remark]) -> dict[str, Any]:
    """Return what all messages have besides their size: fields of set_publisher and of publish."""
    flags = {word.text for word in given.values.get("flag", ())}
    for word in given.values.get("flag", ()):
        if word.text not in {"persistent", "mandatory"}:
            raise LineError(word.line, "flag_unknown", text=repr(word.text[:40]))
    window = whole(given, "confirm", -1)
    fields: dict[str, Any] = {"persistent": "persistent" in flags, "confirm": window >= 0}
    if "mandatory" in flags:
        fields["mandatory"] = True
    if window > 0:
        remarks.append(Remark.of("confirm_window", count=window))
    properties: dict[str, Any] = {}
    headers: dict[str, Any] = {}
    content_type = given.word("body-content-type")
    if content_type is not None:
        properties["content_type"] = _masked(content_type.text)
        remarks.append(Remark.of("content_type"))
    for word, key, value in table(given, "message-properties"):
        if key == "deliveryMode":
            fields["persistent"] = value == 2
        elif key == "expiration" and isinstance(value, int) and not isinstance(value, bool):
            fields["expiration_ms"] = value
        elif COMMON.get(key) in PROPERTIES:
            properties[COMMON[key]] = _property(word.line, key, value)
        else:
            headers[f"h{len(headers) + 1}".ljust(min(len(key), 64), "h")] = (
                _masked(value) if isinstance(value, str) else value
            )
    return (
        fields
        | ({"properties": properties} if properties else {})
        | ({"headers": headers} if headers else {})
    )


def _property(line: int, key: str, value: Any) -> Any:
    if key in {"priority", "timestamp"} and (isinstance(value, bool | str) or value < 0):
        raise LineError(line, "option_not_whole", name=key, text=repr(str(value)[:40]))
    return value if key in {"priority", "timestamp"} else _masked(str(value))


def _masked(text: str) -> str:
    """Return a text of the same length that tells nothing."""
    return "x" * min(len(text.encode()), 255)


def _turns(every: Sequence[Pair], until_us: int) -> list[Timed]:
    """Return when values change that go round, beginning with the first.

    Raises:
        WorkloadError: they change more often than a scenario has room for.
    """
    found: list[Timed] = []
    at_us = 0
    for pair in itertools.cycle(every):
        if at_us >= until_us:
            return found
        if len(found) >= MAX_COMMANDS:
            raise WorkloadError("too_many_changes", most=MAX_COMMANDS)
        found.append(Timed(at_us, pair.value))
        at_us += pair.seconds * SECOND_US
    return found


def _value_at(turns: Sequence[Timed], at_us: int) -> Any:
    return turns[bisect.bisect_right(turns, at_us, key=lambda turn: turn.at_us) - 1].value


def producer_rate(given: Given) -> Fraction | None:
    """Return the messages a second of one producer, None if unbounded; variable rates take precedence."""
    seconds = interval_s(given, "publishing-interval")
    return 1 / seconds if seconds is not None else rate(given, "rate")


def producers(
    given: Given, where: Layout, count: int, stop_us: int, remarks: list[Remark]
) -> Iterator[dict[str, Any]]:
    """Yield the commands of the producers up to `stop_us`, and those that end them."""
    same = message(given, remarks)
    if given.has("json-body"):
        remarks.append(Remark.of("json_body"))
    delay = whole(given, "producer-random-start-delay", -1)
    if delay > 0:
        remarks.append(Remark.of("random_start", seconds=delay))
    sizes = _turns(pairs(given, "variable-size") or [Pair(whole(given, "size", 0), 2**40)], stop_us)
    variable = pairs(given, "variable-rate")
    one = producer_rate(given)
    each_sends = whole(given, "pmessages", 0)
    tx = _transactions(given, same, not variable and (each_sends > 0 if one is None else one < 1), remarks)
    routes = where.routes(count)
    groups = _groups([share for *_, share in routes], "--producers", remarks)
    number = 0
    for (exchange, key, _share), group in zip(routes, groups, strict=True):
        fields = {**same, "routing_key": key, **({"exchange": exchange} if exchange else {})}
        for many in group:
            number += 1
            if not variable and one is None and each_sends > 0:
                yield _burst(each_sends * many, sizes, fields)
            elif not variable and one is not None and one * many < 1:
                yield from _single(given, one, many, sizes, fields, stop_us)
            else:
                rates = _turns(variable or [Pair(-1, 2**40)], stop_us)
                yield from _steady(
                    f"p{number}", rates, one, many, sizes, {**fields, **tx}, remarks if number == 1 else []
                )
                yield {"at_us": stop_us, "do": "remove", "name": f"p{number}"}


def _transactions(given: Given, same: dict[str, Any], bursts: bool, remarks: list[Remark]) -> dict[str, Any]:
    """Return after how many messages a producer commits; it cannot have confirms as well.

    Raises:
        LineError: it asks for both.
    """
    size, word = max(0, whole(given, "ptxsize", 0)), given.word("ptxsize")
    if word is None or not size:
        return {}
    if same["confirm"]:
        raise LineError(word.line, "tx_and_confirm")
    if bursts or size > MAX_TX:
        remarks.append(Remark.of("transactions_left_out", count=size, most=MAX_TX))
        return {}
    return {"tx": size}


def _burst(count: int, sizes: Sequence[Timed], fields: dict[str, Any]) -> dict[str, Any]:
    return {"at_us": 0, "do": "publish", "count": count, "size_bytes": _body(sizes, 0), **fields}


def _body(sizes: Sequence[Timed], at_us: int) -> int:
    return max(LEAST_BODY_BYTES, _value_at(sizes, at_us))


def _single(
    given: Given, one: Fraction, many: int, sizes: Sequence[Timed], fields: dict[str, Any], stop_us: int
) -> Iterator[dict[str, Any]]:
    """Yield each message of producers that send less than one in a second."""
    if one == 0:
        return
    step_us = int(SECOND_US / one)
    if stop_us // step_us >= MOST_SINGLE:
        word = given.word("rate") or given.word("publishing-interval")
        raise LineError(word.line if word else 1, "too_many_changes", most=MOST_SINGLE)
    for at_us in range(0, stop_us, step_us):
        yield {"at_us": at_us, "do": "publish", "count": many, "size_bytes": _body(sizes, at_us), **fields}


def _steady(
    name: str,
    rates: Sequence[Timed],
    one: Fraction | None,
    many: int,
    sizes: Sequence[Timed],
    fields: dict[str, Any],
    remarks: list[Remark],
) -> Iterator[dict[str, Any]]:
    """Yield a steady publisher, and it again whenever its rate or the size of its messages changes."""
    for at_us in sorted({turn.at_us for turn in (*rates, *sizes)}):
        varied = _value_at(rates, at_us)
        wanted = Fraction(varied) if varied >= 0 else one
        per_s = FASTEST_PRODUCER if wanted is None else _rounded(wanted * many, "--rate", wanted, remarks)
        yield {
            "at_us": at_us,
            "do": "set_publisher",
            "name": name,
            "rate_per_s": max(1, per_s),
            "size_bytes": _body(sizes, at_us),
            "running": per_s > 0,
            **fields,
        }


def _rounded(wanted: Fraction, name: str, given: Fraction, remarks: list[Remark]) -> int:
    """Return a rate that a client can have: a whole number."""
    per_s = min(MAX_RATE, max(1, round(wanted)) if wanted > 0 else 0)
    if per_s != wanted:
        remarks.append(Remark.of("rate_rounded", name=name, given=f"{float(given):g}", rate=per_s))
    return per_s


def consumers(
    given: Given, where: Layout, count: int, until_us: int, options: Options, remarks: list[Remark]
) -> Iterator[dict[str, Any]]:
    """Yield the commands of the consumers."""
    readers = where.readers(count)
    if not readers:
        return
    shared = 1 if where.in_turn or where.own else len(where.queues)
    if shared > 1:
        remarks.append(Remark.of("consumer_shares", count=shared))
    groups = _groups([share for _queue, share in readers], "--consumers", remarks)
    latencies = _turns(pairs(given, "variable-latency") or [Pair(-1, 2**40)], until_us)
    _remark_on_consumers(given, remarks)
    same = {
        "ack": _ack_mode(given, remarks),
        **_consumer_arguments(given, remarks),
        **_nack(given, remarks),
    }
    number = 0
    for (queue, _share), group in zip(readers, groups, strict=True):
        for many in group:
            number += 1
            begins_us = start_us(given, number - 1)
            for turn in latencies:
                at_us = max(begins_us, turn.at_us)
                if at_us >= until_us or at_us > turn.at_us != latencies[0].at_us:
                    continue
                per_s = _consumer_rate(given, turn.value, options, remarks if number == 1 else [])
                yield {
                    "at_us": at_us,
                    "do": "set_consumer",
                    "name": f"c{number}",
                    "rate_per_s": min(MAX_RATE, max(1, round(per_s * many / shared))),
                    "prefetch": min(MAX_PREFETCH, max(0, whole(given, "qos", 0)) * many),
                    "channel_prefetch": min(MAX_PREFETCH, max(0, whole(given, "global-qos", 0)) * many),
                    "queue": queue,
                    **same,
                }


def _remark_on_consumers(given: Given, remarks: list[Remark]) -> None:
    messages = whole(given, "cmessages", 0)
    if messages > 0:
        remarks.append(Remark.of("consumer_messages", count=messages))


def _ack_mode(given: Given, remarks: list[Remark]) -> str:
    if given.has("autoack"):
        return "auto"
    every = whole(given, "multi-ack-every", 0)
    if every > 1:
        remarks.append(Remark.of("acks_together", count=every))
        return "multiple"
    return "each"


def _nack(given: Given, remarks: list[Remark]) -> dict[str, Any]:
    """Return what becomes of messages that the consumers refuse: they go back, unless --requeue says otherwise."""
    if not given.has("nack") or given.has("autoack"):
        return {}
    requeue = truth(given, "requeue", True)
    remarks.append(Remark.of("nacks_requeue" if requeue else "nacks_discard"))
    return {"nack": "requeue" if requeue else "discard"}


def _consumer_arguments(given: Given, remarks: list[Remark]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word, key, value in table(given, "consumer-args"):
        if key == "x-priority" and isinstance(value, int) and not isinstance(value, bool):
            found["priority"] = value
        elif key == "x-priority":
            raise LineError(word.line, "option_not_whole", name=key, text=repr(str(value)[:40]))
        elif key == "x-cancel-on-ha-failover" and value is True:
            found["cancel_on_failover"] = True
        else:
            remarks.append(Remark.of("consumer_argument", text=key[:60]))
    return found


def _consumer_rate(given: Given, latency_us: int, options: Options, remarks: list[Remark]) -> Fraction:
    """Return how many messages a second one consumer finishes: by its rate, and by the time that each takes."""
    if options.consumer_rate_per_s:
        return Fraction(options.consumer_rate_per_s)
    latency_us = latency_us if latency_us >= 0 else whole(given, "consumer-latency", 0)
    bounds = [
        each for each in (rate(given, "consumer-rate"), Fraction(SECOND_US, max(1, latency_us))) if each
    ]
    per_s = min(*bounds, Fraction(FASTEST_CONSUMER))
    if latency_us <= 0 and rate(given, "consumer-rate") is None and not given.has("variable-latency"):
        remarks.append(Remark.of("unlimited_consumers", rate=FASTEST_CONSUMER))
    return per_s
