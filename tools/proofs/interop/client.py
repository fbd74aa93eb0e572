"""What a real AMQP client does: declare, publish with confirms, take messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPConnectionError, ConnectionWrongStateError

from tools.proofs.interop.host import TakenMessage

LOOPBACK = "127.0.0.1"
COMPARED = ("content_type", "delivery_mode", "priority", "correlation_id", "message_id", "type", "app_id")


@contextmanager
def channel(port: int, vhost: str = "/") -> Iterator[BlockingChannel]:
    """Open a connection with one channel."""
    parameters = pika.ConnectionParameters(
        LOOPBACK, port, vhost, pika.PlainCredentials("guest", "guest"), heartbeat=0, socket_timeout=30
    )
    connection = pika.BlockingConnection(parameters)
    try:
        yield connection.channel()
    finally:
        with suppress(AMQPConnectionError, ConnectionWrongStateError):  # the node may have been killed
            connection.close()


def listed(properties: pika.BasicProperties) -> dict[str, Any]:
    """Return the properties that are compared."""
    found = {name: getattr(properties, name) for name in COMPARED if getattr(properties, name) is not None}
    if properties.headers:
        found["headers"] = sorted(properties.headers)
    return found


def count_of(ch: BlockingChannel, queue: str) -> int:
    """Return how many messages the broker says are ready."""
    return int(ch.queue_declare(queue, passive=True).method.message_count)


def drain(ch: BlockingChannel, queue: str, acknowledge: bool) -> list[TakenMessage]:
    """Take every message; unless acknowledged they go back when the connection closes."""
    seen: list[TakenMessage] = []
    while True:
        method, properties, body = ch.basic_get(queue, auto_ack=acknowledge)
        if method is None:
            return seen
        seen.append(TakenMessage(body, bool(method.redelivered), listed(properties)))
