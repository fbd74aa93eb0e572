"""The stories on a real node, with pika: a channel that consumes, one that publishes, one with confirms."""

from __future__ import annotations

import shlex
import subprocess
import time
from contextlib import suppress
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError, ChannelClosedByBroker, ConnectionClosedByBroker

from tests.differential.node import PrivateNode
from tests.interop.stories.story import Delivery, Step, View, comparable_headers

LOOPBACK = "127.0.0.1"
SETTLE_S = 0.12
QUIET_ROUNDS = 2
NOT_FOUND = 404
NODE = "waterline@localhost"


class BrokerPlayer:
    """Takes steps on a private node; every story begins on an empty broker.

    Args:
        node: running.
    """

    def __init__(self, node: PrivateNode) -> None:
        self._node = node
        self._parameters = pika.ConnectionParameters(LOOPBACK, node.amqp_port, heartbeat=0)
        self._connection = pika.BlockingConnection(self._parameters)
        self._made: set[tuple[str, str]] = set()
        self._view = View()
        self._published = 0
        self._together = False
        self._waiting: list[int] = []
        """Numbers of publishes that the broker has not spoken of."""

    def close(self) -> None:
        """Leave the broker."""
        with suppress(AMQPError):
            self._connection.close()

    def begin(self) -> None:
        """Start a story from nothing."""
        self.close()
        self._connection = pika.BlockingConnection(self._parameters)
        channel = self._connection.channel()
        for kind, name in self._made:
            if kind == "queue":
                channel.queue_delete(name)
            else:
                channel.exchange_delete(name)
        channel.close()
        self._made.clear()
        self._hand: BlockingChannel | None = None
        self._publishers: dict[bool, Any] = {}
        self._held: list[int] = []

    def take(self, step: Step) -> View:
        """Take one step and return what a client sees of it."""
        self._view = View()
        words = {name: value for name, value in step.items() if name != "do"}
        try:
            getattr(self, f"_{step['do']}")(**words)
            self._settle()
        except (ChannelClosedByBroker, ConnectionClosedByBroker) as closed:
            self._hand_closed(closed.reply_code, closed.reply_text)
            self._settle()
        return self._view

    def _settle(self) -> None:
        """Wait until nothing more comes."""
        quiet = 0
        while quiet < QUIET_ROUNDS:
            before = self._counted()
            self._connection.process_data_events(SETTLE_S)
            quiet = 0 if self._counted() != before else quiet + 1

    def _counted(self) -> int:
        view = self._view
        return len(view.deliveries) + view.confirmed + view.nacked + len(view.returned) + len(view.closed)

    # --- channels ----------------------------------------------------------------------------------------------------

    def _channel(self) -> BlockingChannel:
        """Return the channel that declares, consumes, gets and acknowledges; a new one after it was closed."""
        if self._hand is None:
            self._hand = self._connection.channel()
            self._hand._impl.add_on_close_callback(self._on_hand_close)
            self._held = []
        return self._hand

    def _on_hand_close(self, _: Any, reason: Any) -> None:
        self._hand_closed(getattr(reason, "reply_code", 0), getattr(reason, "reply_text", ""))

    def _hand_closed(self, code: int, text: str) -> None:
        self._hand = None
        if code not in (0, 200) and ("hand", code, text) not in self._view.closed:
            self._view.closed.append(("hand", code, text))

    def _publisher(self, confirm: bool) -> Any:
        """Return a channel that publishes: pika's own, below its blocking face, so that single frames are seen."""
        if confirm not in self._publishers:
            channel = self._connection.channel()._impl
            channel.add_on_return_callback(self._on_return)
            channel.add_on_close_callback(lambda _, reason: self._on_publisher_close(confirm, reason))
            if confirm:
                self._published, self._waiting = 0, []
                channel.confirm_delivery(self._on_confirm)
                self._settle()
            self._publishers[confirm] = channel
        return self._publishers[confirm]

    def _on_publisher_close(self, confirm: bool, reason: Any) -> None:
        self._publishers.pop(confirm, None)
        if getattr(reason, "reply_code", 200) != 200:
            self._view.closed.append(("publisher", reason.reply_code, reason.reply_text))

    def _on_return(self, _: Any, method: Any, __: Any, ___: bytes) -> None:
        assert (method.reply_code, method.reply_text) == (312, "NO_ROUTE")
        self._view.returned.append((method.exchange, method.routing_key, 1))

    def _on_confirm(self, frame: Any) -> None:
        method = frame.method
        numbers = (
            [each for each in self._waiting if each <= method.delivery_tag]
            if method.multiple
            else [method.delivery_tag]
        )
        self._waiting = [each for each in self._waiting if each not in numbers]
        if method.NAME == "Basic.Nack":
            self._view.nacked += len(numbers)
        else:
            self._view.confirmed += len(numbers)
            self._view.together |= self._together and len(numbers) > 1

    def _deliver(self, consumer: str | None, method: Any, properties: Any, body: bytes, ack: bool) -> None:
        headers = comparable_headers(properties.headers)
        self._view.deliveries.append(
            Delivery(
                method.delivery_tag,
                consumer,
                len(body),
                bool(method.redelivered),
                method.exchange,
                method.routing_key,
                headers,
            )
        )
        if ack:
            self._held.append(method.delivery_tag)

    # --- steps -------------------------------------------------------------------------------------------------------

    def _declare_queue(self, name: str, durable: bool = True, arguments: Any = None, **more: Any) -> None:
        self._channel().queue_declare(name, durable=durable, arguments=arguments, **more)
        self._made.add(("queue", name))

    def _delete_queue(self, name: str, **more: Any) -> None:
        self._channel().queue_delete(name, **more)

    def _declare_exchange(self, name: str, type: str) -> None:  # noqa: A002 - AMQP's word
        self._channel().exchange_declare(name, type, durable=True)
        self._made.add(("exchange", name))

    def _bind(self, exchange: str, queue: str, routing_key: str = "", arguments: Any = None) -> None:
        self._channel().queue_bind(queue, exchange, routing_key, arguments)

    def _publish(
        self,
        sizes: list[int],
        routing_key: str,
        exchange: str,
        confirm: bool = False,
        persistent: bool = False,
        mandatory: bool = False,
        expiration_ms: int | None = None,
        headers: dict[str, Any] | None = None,
        together: bool = False,
    ) -> None:
        channel, self._together = self._publisher(confirm), together
        properties = pika.BasicProperties(
            delivery_mode=2 if persistent else 1,
            expiration=None if expiration_ms is None else str(expiration_ms),
            headers=headers,
        )
        for size in sizes:
            if confirm:
                self._published += 1
                self._waiting = [*self._waiting, self._published]
            body = b"x" * (sizes[0] if together else size)
            channel.basic_publish(exchange, routing_key, body, properties, mandatory or together)

    def _consume(
        self,
        name: str,
        queue: str,
        prefetch: int,
        priority: int = 0,
        exclusive: bool = False,
        elsewhere: bool = False,
    ) -> None:
        if elsewhere:
            self._consume_elsewhere(queue, exclusive)
            return
        channel = self._channel()
        channel.basic_qos(prefetch_count=prefetch)
        channel.basic_consume(
            queue,
            lambda _, method, properties, body: self._deliver(name, method, properties, body, True),
            consumer_tag=name,
            exclusive=exclusive,
            arguments={"x-priority": priority} if priority else None,
        )

    def _consume_elsewhere(self, queue: str, exclusive: bool) -> None:
        other = pika.BlockingConnection(self._parameters)
        try:
            other.channel().basic_consume(queue, lambda *_: None, exclusive=exclusive)
        except ChannelClosedByBroker as closed:
            self._view.closed.append(("elsewhere", closed.reply_code, closed.reply_text))
        finally:
            other.close()

    def _cancel(self, name: str) -> None:
        self._channel().basic_cancel(name)

    def _get(self, queue: str, count: int, ack: bool) -> None:
        for _ in range(count):
            method, properties, body = self._channel().basic_get(queue, auto_ack=not ack)
            if method is None:
                self._view.empty = True
                return
            self._deliver(None, method, properties, body, ack)

    def _ack(self, tag: int, multiple: bool) -> None:
        self._channel().basic_ack(tag, multiple)
        self._held = [
            each for each in self._held if not (each == tag or (multiple and (each <= tag or tag == 0)))
        ]

    def _nack(self, count: int, multiple: bool, requeue: bool) -> None:
        tags, self._held = self._held[:count], self._held[count:]
        for tag in tags[-1:] if multiple else tags:
            self._channel().basic_nack(tag, multiple, requeue)

    def _reject(self, count: int, requeue: bool) -> None:
        tags, self._held = self._held[:count], self._held[count:]
        for tag in tags:
            self._channel().basic_reject(tag, requeue)

    def _close_channel(self) -> None:
        channel, self._hand = self._channel(), None
        channel._impl.close()  # pika's own face would cancel consumers first and give their messages back itself

    def _counts(self, queues: list[str]) -> None:
        for name in queues:
            channel = self._connection.channel()
            try:
                found = channel.queue_declare(name, passive=True).method
                self._view.counts[name] = (found.message_count, found.consumer_count)
                channel.close()
            except ChannelClosedByBroker as closed:
                if closed.reply_code != NOT_FOUND:
                    raise
                self._view.counts[name] = None

    def _ctl(self, line: str) -> None:
        environment = {
            name: value for name, value in self._node.environment().items() if name != "RABBITMQ_DIST_PORT"
        }
        program = str(self._node.home / "sbin" / "rabbitmqctl")
        run = subprocess.run(
            [program, "-n", NODE, *shlex.split(line)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        self._view.said = run.stdout.replace(NODE, "rabbit@waterline")

    def _wait(self, ms: int) -> None:
        until = time.monotonic() + ms / 1000
        while (left := until - time.monotonic()) > 0:
            self._connection.process_data_events(min(left, SETTLE_S))
