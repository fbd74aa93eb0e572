"""The publishers and consumers of a workload as AMQP clients, each with a connection and a thread of its own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pika
from pika.exceptions import AMQPError

from tests.predictions.drive.seen import Seen

TICK_S = 0.005
"""How often a client checks what is due."""
STAMP_BYTES = 8
"""At the head of a body: when it was published, monotonic nanoseconds."""
BURST_ROUND = 100
"""Messages of a burst between two checks whether the connection is blocked."""


class Client:
    """A connection with its thread, which works until it is stopped.

    Args:
        command: `set_publisher`, `set_consumer` or `publish`, as a scenario has it.
    """

    def __init__(self, port: int, command: dict[str, Any], seen: Seen) -> None:
        self._parameters = pika.ConnectionParameters("127.0.0.1", port, heartbeat=0)
        self._lock = threading.Lock()
        self._command = command
        self._seen = seen
        self._blocked = False
        self._stopping = threading.Event()
        self.error: str | None = None
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def change(self, command: dict[str, Any]) -> None:
        """Go on with another rate."""
        with self._lock:
            self._command = {**self._command, **command}

    def stop(self) -> None:
        """Close the connection."""
        self._stopping.set()
        self._thread.join()

    def _live(self) -> None:
        try:
            connection = pika.BlockingConnection(self._parameters)
            connection.add_on_connection_blocked_callback(lambda *_: self._set_blocked(True))
            connection.add_on_connection_unblocked_callback(lambda *_: self._set_blocked(False))
            channel = connection.channel()
            {
                "set_publisher": self._publish,
                "publish": self._burst,
                "set_consumer": self._consume,
            }[self._command["do"]](connection, channel)
            self._set_blocked(False)
            with suppress(AMQPError):
                connection.close()
        except (AMQPError, OSError) as error:
            self.error = f"{self._command['do']}: {error!r}"

    def _set_blocked(self, blocked: bool) -> None:
        if blocked != self._blocked:
            self._blocked = blocked
            (self._seen.blocked if blocked else self._seen.unblocked)()

    def _due(self) -> Callable[[], int]:
        """Return a function that returns how much is due since its last call; a change of the rate begins anew."""
        since, done, rate = time.monotonic(), 0, None

        def due() -> int:
            nonlocal since, done, rate
            with self._lock:
                now_rate = self._command.get("rate_per_s") or 0
            if now_rate != rate or self._blocked:
                since, done, rate = time.monotonic(), 0, now_rate
            found = int((time.monotonic() - since) * rate) - done
            done += found
            return found

        return due

    # --- publishers --------------------------------------------------------------------------------------------------

    def _publish(self, connection: pika.BlockingConnection, channel: Any) -> None:
        due, send = self._due(), self._sender(channel)
        while not self._stopping.is_set():
            for _ in range(due()):
                send()
            connection.process_data_events(TICK_S)

    def _burst(self, connection: pika.BlockingConnection, channel: Any) -> None:
        send, left = self._sender(channel), self._command.get("count", 1)
        while left and not self._stopping.is_set():
            if not self._blocked:
                for _ in range(min(left, BURST_ROUND)):
                    send()
                left -= min(left, BURST_ROUND)
            connection.process_data_events(TICK_S if self._blocked else 0)
        while not self._stopping.is_set():
            connection.process_data_events(TICK_S)

    def _sender(self, channel: Any) -> Callable[[], None]:
        """Return what publishes one message; confirms are waited for beside it."""
        asked_for = self._command
        properties = pika.BasicProperties(
            delivery_mode=2 if asked_for.get("persistent") else 1,
            expiration=None if asked_for.get("expiration_ms") is None else str(asked_for["expiration_ms"]),
        )
        padding = b"x" * max(0, asked_for["size_bytes"] - STAMP_BYTES)
        exchange = asked_for.get("exchange", "")
        key = asked_for.get("routing_key") if exchange else asked_for.get("routing_key") or asked_for["queue"]
        unconfirmed: deque[tuple[int, int]] = deque()
        if asked_for.get("confirm"):
            channel._impl.confirm_delivery(lambda frame: self._confirmed(unconfirmed, frame.method))
        number = 0

        def send() -> None:
            nonlocal number
            number += 1
            now_ns = time.monotonic_ns()
            if asked_for.get("confirm"):
                unconfirmed.append((number, now_ns))
            body = now_ns.to_bytes(STAMP_BYTES) + padding
            channel._impl.basic_publish(exchange, key or "", body, properties)
            self._seen.published(len(body))

        return send

    def _confirmed(self, unconfirmed: deque[tuple[int, int]], method: Any) -> None:
        now_ns = time.monotonic_ns()
        of_tag = [
            each
            for each in unconfirmed
            if each[0] == method.delivery_tag or (method.multiple and each[0] < method.delivery_tag)
        ]
        for each in of_tag:
            unconfirmed.remove(each)
            self._seen.confirmed((now_ns - each[1]) / 1e9)

    # --- consumers ---------------------------------------------------------------------------------------------------

    def _consume(self, connection: pika.BlockingConnection, channel: Any) -> None:
        asked_for = self._command
        held: deque[int] = deque()
        auto = asked_for.get("ack") == "auto"

        def on_message(_: Any, method: Any, __: Any, body: bytes) -> None:
            wait_ns = time.monotonic_ns() - int.from_bytes(body[:STAMP_BYTES])
            self._seen.delivered(wait_ns / 1e9, bool(method.redelivered))
            if not auto:
                held.append(method.delivery_tag)

        channel.basic_qos(prefetch_count=asked_for.get("prefetch", 0))
        channel.basic_consume(asked_for["queue"], on_message, auto_ack=auto)
        due = self._due()
        while not self._stopping.is_set():
            connection.process_data_events(TICK_S)
            done = [held.popleft() for _ in range(min(due(), len(held)))]
            if done and asked_for.get("ack") == "multiple":
                channel.basic_ack(done[-1], multiple=True)
            else:
                for tag in done:
                    channel.basic_ack(tag)
