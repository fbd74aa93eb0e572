"""One run of a workload on a real node: the node's settings, the clients, the sampler, and the row of what was seen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pika

from tools.proofs.differential.driver import Driver
from tools.proofs.differential.node import PrivateNode
from tools.proofs.predictions.drive.clients import Client
from tools.proofs.predictions.drive.machine import QUIET_SHARE, OtherWork
from tools.proofs.predictions.drive.seen import Seen, percentile
from tools.proofs.predictions.measured import CellToMeasure

SAMPLE_S: Final = 0.25
AT_REST_S: Final = 6.0
"""How long the node rests before a workload begins: its timers have fired, and what starting left is collected."""

DEFAULT_WATERMARK: Final = 0.4
HANDLED: Final = frozenset(
    {"ram_bytes", "vm_memory_high_watermark", "connection_bytes_per_s", "client_trip_us", "work_profile"}
)
"""Settings of a scenario that are not settings of a node: it is given the limit as bytes, and its work takes time."""
OF_NODE: Final = frozenset({"queue_index_embed_msgs_below", "vm_memory_high_watermark_paging_ratio"})
"""Settings that a node has by the same name."""

Row = dict[str, Any]


class NotOnANode(ValueError):
    """A workload asks for what this driver cannot do on a real node."""


def node_settings(scenario: Mapping[str, Any], strategy: str, limit_shift_bytes: int = 0) -> dict[str, Any]:
    """Return the settings of a node that is to be as the scenario's.

    Raises NotOnANode for a setting that it has no way to make.
    """
    settings = scenario["settings"]
    if unknown := settings.keys() - HANDLED - OF_NODE:
        raise NotOnANode(f"a node cannot be given {', '.join(sorted(unknown))}")
    limit = int(settings["ram_bytes"] * settings.get("vm_memory_high_watermark", DEFAULT_WATERMARK))
    return {
        "vm_memory_high_watermark": ("absolute", limit + limit_shift_bytes),
        "vm_memory_calculation_strategy": strategy,
        **{name: settings[name] for name in sorted(OF_NODE & settings.keys())},
    }


def measure(cell: CellToMeasure) -> Row:
    """Run a workload on a node of its own; return the row of what was measured (tests/recordings/validation)."""
    scenario = cell.scenario
    settings = node_settings(scenario, cell.strategy, cell.limit_shift_bytes)
    with PrivateNode(settings, in_memory=False, release=cell.release) as node:
        node.start()
        driver = Driver(node.driver_port)
        _declare(node.amqp_port, scenario)
        time.sleep(AT_REST_S)
        other = OtherWork([os.getpid(), node.pid])
        base = driver.ask({"do": "sample"})
        seen, samples = play(scenario, node.amqp_port, lambda: driver.ask({"do": "sample"}))
        share = other.share()
        row = reported(scenario, seen, base, samples)
        driver.close()
    return {
        "cell": cell.name,
        "strategy": cell.strategy,
        "limit_shift_bytes": cell.limit_shift_bytes,
        "quiet": share < QUIET_SHARE,
        "others_pct": round(100 * share, 1),
        **row,
    }


def _declare(port: int, scenario: Mapping[str, Any]) -> None:
    """Declare what the workload needs, before anything is measured."""
    topology = scenario.get("topology") or {}
    modes = {
        each.get("queue", ""): each["value"]
        for each in scenario["commands"]
        if each["do"] == "set" and each["name"] == "queue_mode"
    }
    with pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port)) as connection:
        channel = connection.channel()
        for queue in queues(scenario):
            arguments = dict(queue.get("arguments", {}))
            if mode := modes.get(queue["name"], modes.get("")):
                arguments["x-queue-mode"] = mode
            channel.queue_declare(queue["name"], durable=queue.get("durable", True), arguments=arguments)
        for exchange in topology.get("exchanges", ()):
            channel.exchange_declare(exchange["name"], exchange["type"], durable=True)
        for binding in topology.get("bindings", ()):
            channel.queue_bind(binding["queue"], binding["exchange"], binding.get("routing_key", ""))


def queues(scenario: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the queues of a scenario; one is there if it names none."""
    found: Sequence[Mapping[str, Any]] = (scenario.get("topology") or {}).get("queues") or [
        {"name": "orders"}
    ]
    return found


def play(
    scenario: Mapping[str, Any], port: int, sample: Callable[[], Row]
) -> tuple[Seen, list[tuple[float, Row, bool]]]:
    """Give the commands to clients at their times.

    Returns:
        what all clients saw, and samples with their seconds and whether anybody was blocked.

    Raises NotOnANode for a command that no client has, RuntimeError if a client failed.
    """
    first_queue = queues(scenario)[0]["name"]
    named: dict[str, Client] = {}
    everybody: list[Client] = []
    sampled: list[tuple[float, Row]] = []
    waiting, log = without_log(scenario["commands"])
    began, end = time.monotonic(), scenario["until_us"] / 1e6
    if log:
        replay = {"do": "replay", "queue": first_queue, "bursts": log, "began_s": began}
        everybody.append(Client(port, replay))
    try:
        while (now := time.monotonic() - began) < end:
            while waiting and waiting[0].get("at_us", 0) <= now * 1e6:
                _do(waiting.pop(0), port, first_queue, named, everybody)
            sampled.append((round(now, 3), sample()))
            due = waiting[0]["at_us"] / 1e6 if waiting else end
            time.sleep(max(0.0, min(due, end, now + SAMPLE_S) - (time.monotonic() - began)))
    finally:
        for client in everybody:
            client.stop()
        ended = [client.ended() for client in everybody]
    if failed := [error for _, error in ended if error]:
        raise RuntimeError("; ".join(failed))
    seen = Seen()
    for own, _ in ended:
        seen.add(own)
    return seen, [(at, row, seen.anybody_blocked(began + at)) for at, row in sampled]


def without_log(commands: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return commands in the order of their times, and apart from them the bursts of a log if there is one.

    A log's messages have sizes of their own; it came over one connection, as the engine's bursts do.
    """
    ordered = sorted(commands, key=lambda each: each.get("at_us", 0))
    if not any(each.get("sizes") for each in ordered):
        return ordered, []
    return (
        [each for each in ordered if each["do"] != "publish"],
        [each for each in ordered if each["do"] == "publish"],
    )


def _do(
    command: dict[str, Any], port: int, queue: str, named: dict[str, Client], everybody: list[Client]
) -> None:
    verb, name = command["do"], command.get("name", "")
    spoken = {"queue": queue, **command}
    if verb == "publish":
        everybody.append(Client(port, spoken))
    elif verb in {"set_publisher", "set_consumer"}:
        if name in named:
            named[name].change(command)
        else:
            named[name] = Client(port, spoken)
            everybody.append(named[name])
    elif verb == "remove":
        named.pop(name).stop()
    elif verb != "set" or name != "queue_mode":
        raise NotOnANode(f"no client can {verb} {name}")


def first_paging_s(
    scenario: Mapping[str, Any], base: Row, samples: Sequence[tuple[float, Row, bool]]
) -> float | None:
    """Return when the first content left RAM: a default queue writes transient messages to a store for nothing else.

    None where nothing was paged, where persistent messages or a lazy queue write anyway, and on a node that does not
    count its writes.
    """
    if not base["files"] or any(
        each.get("persistent") or each.get("name") == "queue_mode" for each in scenario["commands"]
    ):
        return None
    before = base["files"]["msg_store_write_count"]
    return next((at for at, each, _ in samples if each["files"]["msg_store_write_count"] > before), None)


def reported(
    scenario: Mapping[str, Any], seen: Seen, base: Row, samples: Sequence[tuple[float, Row, bool]]
) -> Row:
    """Return the metrics of a run from what its clients saw and its node reported."""
    last, seconds = samples[-1][1], scenario["until_us"] / 1e6

    def most(name: str) -> int:
        return max(each[name] for _, each, _ in samples)

    def used(name: str) -> int | None:
        return int(last["files"][name] - base["files"][name]) if base["files"] else None

    written = used("io_write_bytes")

    over = [each["monitor"] > each["limit"] for _, each, _ in samples]
    until = [*(at for at, _, _ in samples[1:]), seconds]
    return {
        "base_total": base["total"],
        "base_rss": base["rss"],
        "base_monitor": base["monitor"],
        "limit_bytes": base["limit"],
        "peak_ram_bytes": most("monitor"),
        "peak_total": most("total"),
        "peak_rss": most("rss"),
        "peak_binary": most("binary"),
        "peak_processes": most("processes"),
        "peak_ets": most("ets"),
        "final_ram_bytes": last["monitor"],
        "blocked_s": round(seen.blocked_s, 3),
        "over_watermark_s": round(
            sum(end - at for is_over, end, (at, _, _) in zip(over, until, samples, strict=True) if is_over), 3
        ),
        "published": seen.published_count,
        "delivered": seen.delivered_count,
        "throughput_per_s": seen.delivered_count / seconds,
        "latency_p50_s": percentile(seen.waits_s, 0.5),
        "latency_p95_s": percentile(seen.waits_s, 0.95),
        "confirm_p50_s": percentile(seen.confirms_s, 0.5),
        "confirm_p95_s": percentile(seen.confirms_s, 0.95),
        "bytes_written": written,
        "disk_writes": used("io_write_count"),
        "fsyncs": used("io_sync_count"),
        "bytes_read": used("io_read_bytes"),
        "disk_reads": used("io_read_count"),
        "store_writes": used("msg_store_write_count"),
        "first_paging_s": first_paging_s(scenario, base, samples),
        "write_amplification": written / seen.published_bytes
        if written is not None and seen.published_bytes
        else None,
        "samples": len(samples),
        "series": [
            [
                at,
                each["monitor"] // 1000,
                each["rss"] // 1000,
                each["ready"],
                0,
                int(blocked),
                each["binary"] // 1000,
                each["processes"] // 1000,
            ]
            for at, each, blocked in samples[::4]
        ],
    }
