"""`python -m tools.proofs.predictions.drive.constants`: measure a node's constants by themselves.

- base: `erlang:memory(total)` of a fresh node with one empty queue (setting `base_memory_bytes`);
- receive buffer: what each connection adds to that (`receive_buffer_bytes`);
- lingering: how long `erlang:memory(binary)` keeps bodies that were acknowledged, or purged (`garbage_lingers_ms`);
- what the connection of a burst carries in a second, between this client and this node (`connection_bytes_per_s`);
- what a message adds to the work of a consumer that waits for each (`client_trip_us`): the way to it and back, Python's
  part of both included;
- when a node that has rested looks at its memory and computes durations first (`memory_monitor_after_ms` and others).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pika
from pika.adapters.blocking_connection import BlockingChannel

from tests.conftest import RECORDINGS
from tools.proofs.differential.driver import Driver
from tools.proofs.differential.installation import LATEST, RELEASES
from tools.proofs.differential.node import PrivateNode
from tools.proofs.predictions.drive.clients import Client
from tools.proofs.predictions.drive.run import AT_REST_S

CONNECTIONS: Final = 4
BODY: Final = b"x" * 20_000
COUNT: Final = 1500
BURST: Final = 20_000
BURST_BODY_BYTES: Final = 8192
TRIP_RATE: Final = 400
TRIP_S: Final = 8.0
POLL_S: Final = 0.01
LOOK_S: Final = 0.1
LINGERS_AT_MOST_S: Final = 15.0
NODE_SETTINGS: Final = {
    "vm_memory_calculation_strategy": "erlang",
    "vm_memory_high_watermark": ("absolute", 4 << 30),
}
QUEUE: Final = "orders"


def kept(release: str = LATEST) -> Path:
    """Return the file with what nodes of a release showed."""
    return RECORDINGS / "validation" / f"constants{'' if release == LATEST else f'-{release}'}.json"


def measure_constants(release: str = LATEST) -> dict[str, float]:
    """Return the constants of one fresh node, in bytes and seconds."""
    with PrivateNode(NODE_SETTINGS, in_memory=False, release=release) as node:
        node.start()
        driver = Driver(node.driver_port)

        def sample(name: str) -> int:
            return int(driver.ask({"do": "sample"})[name])

        with _connected(node.amqp_port) as connection:
            connection.channel().queue_declare(QUEUE, durable=True)
        time.sleep(AT_REST_S)
        timers = driver.ask({"do": "timers"})
        base = sample("total")
        connections = [_connected(node.amqp_port) for _ in range(CONNECTIONS)]
        for each in connections:
            each.channel().queue_declare(QUEUE, passive=True)
        time.sleep(AT_REST_S)
        buffers = (sample("total") - base) / CONNECTIONS
        for each in connections[1:]:
            each.close()
        channel = connections[0].channel()
        tag = _filled_and_got(channel)
        after_ack = _lingers_s(lambda: channel.basic_ack(tag, multiple=True), lambda: sample("binary"))
        _filled(channel)
        time.sleep(AT_REST_S)
        after_purge = _lingers_s(lambda: channel.queue_purge(QUEUE), lambda: sample("binary"))
        channel.queue_purge(QUEUE)
        carried = _carried_per_s(node.amqp_port, channel)
        trip = _trip_us(node.amqp_port)
        connections[0].close()
        driver.close()
    return {
        "base_bytes": base,
        "receive_buffer_bytes": buffers,
        "lingers_after_ack_s": round(after_ack, 2),
        "lingers_after_purge_s": round(after_purge, 2),
        "connection_bytes_per_s": carried,
        "client_trip_us": trip,
        **timers,
    }


def _connected(port: int) -> pika.BlockingConnection:
    return pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, heartbeat=0))


def _filled(channel: BlockingChannel) -> None:
    for _ in range(COUNT):
        channel.basic_publish("", QUEUE, BODY)
    while channel.queue_declare(QUEUE, passive=True).method.message_count < COUNT:
        time.sleep(LOOK_S)


def _filled_and_got(channel: BlockingChannel) -> int:
    """Fill the queue and get all of it; return the last tag."""
    _filled(channel)
    tag = 0
    while tag < COUNT:
        method, _, _ = channel.basic_get(QUEUE)
        if method is not None:
            tag = method.delivery_tag
    return tag


def _carried_per_s(port: int, channel: BlockingChannel) -> int:
    """Return the bytes that reach the queue in a second of a burst."""
    burst = Client(port, {"do": "publish", "count": BURST, "size_bytes": BURST_BODY_BYTES, "queue": QUEUE})
    first, arrived = 0.0, 0
    while arrived < BURST:
        arrived = channel.queue_declare(QUEUE, passive=True).method.message_count
        if not first and arrived:
            first, before = time.monotonic(), arrived
        time.sleep(POLL_S)
    seconds = time.monotonic() - first
    burst.stop()
    burst.ended()
    return int((BURST - before) * BURST_BODY_BYTES / seconds)


def _trip_us(port: int) -> int:
    """Return by how much longer than its work a consumer with prefetch 1 takes for a message that is there."""
    words = {"do": "set_consumer", "rate_per_s": TRIP_RATE, "prefetch": 1, "ack": "each", "queue": QUEUE}
    consumer = Client(port, words)
    time.sleep(TRIP_S)
    consumer.stop()
    seen, _ = consumer.ended()
    return int(1e6 * (TRIP_S / seen.delivered_count - 1 / TRIP_RATE))


def _lingers_s(free: Callable[[], object], binary: Callable[[], int]) -> float:
    """Return the seconds from when bodies are freed until half of their bytes are gone."""
    held = binary()
    free()
    began = time.monotonic()
    while binary() > held - COUNT * len(BODY) / 2 and time.monotonic() - began < LINGERS_AT_MOST_S:
        time.sleep(LOOK_S)
    return time.monotonic() - began


def main(argv: Sequence[str] | None = None) -> int:
    """Measure as often as asked, and keep what was seen."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.proofs.predictions.drive.constants", description=__doc__
    )
    parser.add_argument("--date", required=True, help="the day of the run, as 2026-01-31")
    parser.add_argument("--repetitions", type=int, default=3, help="how many fresh nodes")
    parser.add_argument("--release", default=LATEST, choices=RELEASES, help="of the nodes")
    parser.add_argument("--out", type=Path, default=None, help="default: where those of the release are kept")
    options = parser.parse_args(argv)
    out = options.out or kept(options.release)
    nodes = []
    for _ in range(options.repetitions):
        nodes.append(measure_constants(options.release))
        print(nodes[-1], flush=True)
    out.write_text(json.dumps({"date": options.date, "nodes": nodes}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
