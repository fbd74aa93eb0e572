"""The states of a queue whose memory is measured: how a client brings them about, and what the node has then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import pika
from pika.adapters.blocking_connection import BlockingChannel

from tools.proofs.differential.driver import Driver
from tools.proofs.differential.node import PrivateNode

LOOPBACK: Final = "127.0.0.1"
ASLEEP_S: Final = 5.0
"""A queue that has nothing to do sleeps by then, has collected its garbage and written its buffers (W63)."""
PERSISTENT: Final = pika.BasicProperties(delivery_mode=2)
MANY: Final = 1500
CONNECTIONS: Final = 10
BASE: Final = "base"
WARMING: Final = 6000
"""Messages that a consumer takes so that the queue expects it to go on, and keeps what comes in memory (W32)."""


class Part(msgspec.Struct, frozen=True):
    """Entries of one part of a queue or of the stores, and the bytes of all of them."""

    count: int
    bytes: int


class NodeProcess(msgspec.Struct, frozen=True):
    """Live bytes of a process, those of binaries that it refers to, and what the node counts for it."""

    heap: int
    binary: int
    memory: int


class Look(msgspec.Struct, frozen=True):
    """What a node had at one moment.

    Args:
        queue: its process.
        parts: of its state, by name.
        channels: all of them.
        tables: of the message stores.
        total: all memory of the node.
    """

    queue: NodeProcess
    parts: dict[str, Part]
    channels: list[NodeProcess]
    tables: dict[str, Part]
    total: int


class CellBench:
    """A node with one client.

    Args:
        node: that runs.
    """

    def __init__(self, node: PrivateNode) -> None:
        self._driver = Driver(node.driver_port)
        self._port = node.amqp_port
        self._made = 0

    def connect(self) -> pika.BlockingConnection:
        """Return another connection."""
        return pika.BlockingConnection(pika.ConnectionParameters(LOOPBACK, self._port, heartbeat=0))

    @contextmanager
    def queue(self) -> Iterator[tuple[str, BlockingChannel]]:
        """Yield the name of a fresh queue, and a channel; both are gone afterwards."""
        self._made += 1
        name = f"calibrated{self._made:03}"
        connection = self.connect()
        channel = connection.channel()
        channel.queue_declare(name, durable=True)
        try:
            yield name, channel
        finally:
            channel.queue_delete(name)
            connection.close()

    def look(self, name: str) -> Look:
        """Collect the garbage of the queue and of all channels, and return what lives."""
        return msgspec.convert(self._driver.ask({"do": "memory", "queue": name}), Look)


def publish(channel: BlockingChannel, name: str, count: int, size: int) -> None:
    """Publish and wait until all is in the queue; nobody waits for confirms."""
    before = channel.queue_declare(name, passive=True).method.message_count
    for _ in range(count):
        channel.basic_publish("", name, bytes(size), PERSISTENT)
    while channel.queue_declare(name, passive=True).method.message_count < before + count:
        time.sleep(0.05)


def take(channel: BlockingChannel, name: str, count: int, auto_ack: bool) -> None:
    """Consume so many messages, and acknowledge none."""
    taken = [0]

    def on_message(*_: Any) -> None:
        taken[0] += 1

    tag = channel.basic_consume(name, on_message, auto_ack=auto_ack)
    while taken[0] < count:
        channel.connection.process_data_events(0.05)
    if auto_ack:
        channel.basic_cancel(tag)


def buffered(bench: CellBench, size: int) -> Look:
    """Look at messages that just came: some wait in write buffers, the rest is on disk and partly in caches."""
    with bench.queue() as (name, channel):
        publish(channel, name, MANY, size)
        return bench.look(name)


def on_disk(bench: CellBench, size: int) -> Look:
    """Look at messages of a queue that sleeps: all are in the tail and in files."""
    with bench.queue() as (name, channel):
        publish(channel, name, MANY, size)
        time.sleep(ASLEEP_S)
        return bench.look(name)


def unacked(bench: CellBench, size: int) -> Look:
    """Look at messages that a consumer holds."""
    with bench.queue() as (name, channel):
        publish(channel, name, MANY, size)
        take(channel, name, MANY, auto_ack=False)
        time.sleep(ASLEEP_S)
        return bench.look(name)


def in_memory(bench: CellBench, size: int) -> Look:
    """Look at messages of the head lane: a queue that expects its consumer to go on keeps some (W32)."""
    with bench.queue() as (name, channel):
        publish(channel, name, WARMING, 1)
        take(channel, name, WARMING, auto_ack=True)
        publish(channel, name, MANY, size)
        return bench.look(name)


CELLS: Final[dict[str, Callable[[CellBench, int], Look]]] = {
    "buffered": buffered,
    "on_disk": on_disk,
    "unacked": unacked,
    "in_memory": in_memory,
}
SIZES: Final = (16, 1000, 5000)
"""Bytes of bodies: inside a heap, outside of it in the queue's own files, and in the shared store (Q12)."""


def empty(bench: CellBench) -> dict[str, float]:
    """Return the bytes of a node with one queue, of the process of that queue, and what a connection adds."""
    connection = bench.connect()
    channel = connection.channel()
    channel.queue_declare(BASE, durable=True)
    time.sleep(ASLEEP_S)
    alone = bench.look(BASE)
    made = [bench.connect() for _ in range(CONNECTIONS)]
    for each in made:
        each.channel()
    time.sleep(ASLEEP_S)
    connections = bench.look(BASE)
    for each in made:
        each.close()
    channel.queue_delete(BASE)
    connection.close()
    return {
        "node": alone.total,
        "queue_process": alone.queue.memory,
        "connection": (connections.total - alone.total) / CONNECTIONS,
    }
