"""A PerfTest command line: producers and consumers with rates, as the load generator of RabbitMQ takes them.

What the model cannot do is refused by name. What is played in another way, and what has no influence on storage
(addresses, output, metrics), is told one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from engine.broker.commands.scenario import MAX_COMMANDS, MAX_UNTIL_US
from engine.broker.commands.settings import NodeSettings
from workloads.errors import WorkloadError
from workloads.imports.common import Imported, Options, make_scenario
from workloads.imports.perf_test.clients import MEASURED, clients_of, consumers, producer_rate, producers
from workloads.imports.perf_test.layout import layout
from workloads.imports.perf_test.options import Given, given
from workloads.imports.perf_test.shell import command_line
from workloads.imports.perf_test.values import SECOND_US, pairs, whole
from workloads.remarks import Remark

DEFAULT_TIME_S: Final = 30
MEBIBYTE: Final = 1 << 20
DRAINED_PER_S: Final = 10_000
"""About how many messages a second a consumer without a rate takes from a long queue."""


def read(lines: Iterable[str], options: Options) -> Imported:
    """Return the scenario of a PerfTest command line.

    Raises:
        WorkloadError: an option is unknown or cannot be carried over; its line is given.
    """
    asked = given(command_line(lines))
    remarks: list[Remark] = []
    sending = clients_of(asked, "producers")
    reading = clients_of(asked, "consumers")
    stop_us, until_us = _times(asked, sending, remarks)
    where = layout(asked, reading, remarks)
    commands = [
        *consumers(asked, where, reading, until_us, options, remarks),
        *producers(asked, where, sending, stop_us, remarks),
    ]
    if len(commands) > MAX_COMMANDS:
        raise WorkloadError("too_many_changes", most=MAX_COMMANDS)
    _remark_on_the_rest(asked, options, remarks)
    # A while longer, so that what is left can drain.
    end_us = until_us + max(SECOND_US, until_us // 10)
    scenario = make_scenario("Imported PerfTest run", commands, end_us, options)
    scenario["topology"] = where.topology
    if sending and producer_rate(asked) is None and not pairs(asked, "variable-rate"):
        scenario["settings"]["work_profile"] = MEASURED
        remarks.append(Remark.of("unlimited_producers", profile=MEASURED))
    clients = {each["name"] for each in commands if each["do"] in ("set_consumer", "set_publisher")}
    ram_bytes = _room_for(len(clients))
    if options.ram_bytes is None and ram_bytes:
        scenario["settings"]["ram_bytes"] = ram_bytes
        remarks.append(Remark.of("ram_for_connections", count=len(clients), mib=ram_bytes // MEBIBYTE))
    return Imported(scenario, remarks)


def _room_for(connections: int) -> int:
    """Return the RAM with which that many connections leave the usual room for messages; 0 if the usual RAM does.

    A node counts the receive buffer of each connection. A session's is small: a few dozen would ring its memory alarm
    before the first message, which those of a machine that PerfTest is run against do not.
    """
    usual = NodeSettings()
    watermark = usual.vm_memory_high_watermark
    if not isinstance(watermark, float):
        return 0
    counted = connections * usual.receive_buffer_bytes
    paging_at = usual.ram_bytes * watermark * usual.vm_memory_high_watermark_paging_ratio
    if usual.base_memory_bytes + counted < paging_at:
        return 0
    return usual.ram_bytes + math.ceil(counted / watermark / MEBIBYTE) * MEBIBYTE


def _times(asked: Given, sending: int, remarks: list[Remark]) -> tuple[int, int]:
    """Return when the producers stop, and when PerfTest ends, in microseconds."""
    messages, seconds = whole(asked, "pmessages", 0), whole(asked, "time", 0)
    sent_us = _sent_us(asked, messages) if messages > 0 and sending else None
    if seconds > 0:
        until_us = seconds * SECOND_US
    elif sent_us is not None:
        until_us = sent_us
    elif messages > 0 and sending:
        until_us = max(DEFAULT_TIME_S, messages * sending // DRAINED_PER_S) * SECOND_US
    elif pairs(asked, "variable-rate"):
        until_us = sum(pair.seconds for pair in pairs(asked, "variable-rate")) * SECOND_US
    else:
        until_us = DEFAULT_TIME_S * SECOND_US
        remarks.append(Remark.of("default_time", seconds=DEFAULT_TIME_S))
    if until_us > MAX_UNTIL_US * 10 // 11:
        until_us = MAX_UNTIL_US * 10 // 11
        remarks.append(Remark.of("time_cut", hours=until_us // SECOND_US // 3600))
    stop_us = until_us if sent_us is None else max(1, min(until_us, sent_us))
    if messages > 0 and sending:
        bound = Remark.of("messages_burst", count=messages)
        if sent_us is not None:
            bound = Remark.of("messages_bound", count=messages, seconds=f"{stop_us / SECOND_US:g}")
        remarks.append(bound)
    return stop_us, until_us


def _sent_us(asked: Given, messages: int) -> int | None:
    """Return when a producer has sent so many messages, None where it sends as fast as it can, or never ends."""
    variable = pairs(asked, "variable-rate")
    if not variable:
        per_s = producer_rate(asked)
        return int(messages * SECOND_US / per_s) if per_s else None
    in_a_round = sum(pair.value * pair.seconds for pair in variable)
    if not in_a_round:
        return None
    rounds, left = divmod(messages, in_a_round)
    at_us = rounds * sum(pair.seconds for pair in variable) * SECOND_US
    for pair in variable:
        if left <= pair.value * pair.seconds:
            return at_us + (left * SECOND_US // pair.value if pair.value else 0)
        left -= pair.value * pair.seconds
        at_us += pair.seconds * SECOND_US
    return at_us


def _remark_on_the_rest(asked: Given, options: Options, remarks: list[Remark]) -> None:
    """Tell what is passed over, and what only the whole command shows."""
    word = asked.word("uris")
    if word is not None and "," in word.text:
        remarks.append(Remark.of("one_node", name="--uris"))
    if asked.has("exit-when"):
        remarks.append(Remark.of("exit_when"))
    if asked.has("queue") or asked.has("queue-pattern") or asked.has("exchange"):
        remarks.append(Remark.of("names_replaced"))
    if options.queue is not None:
        remarks.append(Remark.of("queue_option"))
    if asked.without_effect():
        remarks.append(Remark.of("no_effect", names=", ".join(asked.without_effect())))
    for name, again in asked.again():
        remarks.append(Remark.of("given_again", name=name, text=again.text[:40]))
    if asked.stray:
        remarks.append(Remark.of("stray_words", names=", ".join(word.text[:40] for word in asked.stray[:8])))
    if asked.around:
        remarks.append(Remark.of("commands_around", names="; ".join(asked.around[:8])))
    if asked.second_line:
        remarks.append(Remark.of("first_command", line=asked.second_line))


__all__ = ["read"]
