"""The stories on a real node, with pika."""

from __future__ import annotations

import shlex
import subprocess
import time
from contextlib import suppress
from functools import partial
from typing import Any

import pika
from pika import spec
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import (
    AMQPError,
    ChannelClosedByBroker,
    ChannelWrongStateError,
    ConnectionClosedByBroker,
)

from tests.programs.differential.driver import Driver
from tests.programs.differential.node import PrivateNode
from tests.programs.stories.story import (
    HAND,
    PUBLISHER,
    Delivery,
    Step,
    View,
    comparable_headers,
    connection_of,
)

LOOPBACK = "127.0.0.1"
NODE = "waterline@localhost"
LIMIT_MS = 2000
CONFIRM_LIMIT_S = 1.0
CONSUMED_AGAIN_MS = 200
"""Waited after a queue's process died: channels look for the new one every 30 ms, and consume again."""


class BrokerPlayer:
    """Takes steps on a private node; every story begins on an empty broker.

    Args:
        node: running.
        patience_s: after each step the node must be at rest; wait so much longer, for a machine that is busy.
    """

    def __init__(self, node: PrivateNode, patience_s: float = 0.0) -> None:
        self._node = node
        self.patience_s = patience_s
        self._parameters = pika.ConnectionParameters(LOOPBACK, node.amqp_port, heartbeat=0)
        self._driver = Driver(node.driver_port)
        self._view = View()
        self._forget_clients()

    def _forget_clients(self) -> None:
        self._connections: dict[str, pika.BlockingConnection] = {}
        self._channels: dict[str, BlockingChannel] = {}
        self._held: dict[str, list[int]] = {}
        self._limited: set[str] = set()
        """Channels whose consumers share a limit."""
        self._publishers: dict[bool, Any] = {}
        self._waiting: dict[Any, list[int]] = {}
        """For each channel in confirm mode the numbers of publishes that the broker has not spoken of."""
        self._published: dict[Any, int] = {}
        self._together = False

    def close(self) -> None:
        """Leave the broker."""
        self._leave()
        self._driver.close()

    def _leave(self) -> None:
        for connection in self._connections.values():
            _close(connection)
        self._forget_clients()

    def begin(self) -> None:
        """Start a story from nothing."""
        self._leave()
        self._driver.ask({"do": "settled", "limit_ms": LIMIT_MS})
        self._driver.ask({"do": "clear"})

    def take(self, step: Step) -> View:
        """Take one step and return what clients see of it."""
        self._view = View()
        words = {name: value for name, value in step.items() if name != "do"}
        # What is closed is noted by the callbacks of the channel and the connection.
        with suppress(ChannelClosedByBroker, ConnectionClosedByBroker, ChannelWrongStateError):
            getattr(self, f"_{step['do']}")(**words)
        self._settle()
        self._view.queues = {
            name: (int(ready), int(consumers))
            for name, (ready, consumers) in self._driver.ask({"do": "queues"})["queues"].items()
        }
        return self._view

    # --- quiet -------------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Wait until the node is at rest, all it sent has arrived, and nothing more is awaited."""
        until = time.monotonic() + CONFIRM_LIMIT_S
        self._receive()
        time.sleep(self.patience_s)
        while True:
            self._driver.ask({"do": "settled", "limit_ms": LIMIT_MS})
            if not self._receive() and (not any(self._waiting.values()) or time.monotonic() > until):
                return

    def _receive(self) -> bool:
        """Handle what came in on all connections; return whether there was anything."""
        before = self._counted()
        for name, connection in list(self._connections.items()):
            try:
                for _ in range(2):
                    connection.process_data_events(0)
            except ConnectionClosedByBroker as closed:
                self._connection_closed(name, closed.reply_code, closed.reply_text)
            except AMQPError:
                self._connection_closed(name, 0, "")
        return self._counted() != before

    def _counted(self) -> int:
        view = self._view
        return (
            len(view.deliveries)
            + view.confirmed
            + view.nacked
            + len(view.returned)
            + len(view.closed)
            + len(view.cancelled)
        )

    # --- connections and channels ------------------------------------------------------------------------------------

    def _connection(self, name: str) -> pika.BlockingConnection:
        if name not in self._connections:
            self._connections[name] = pika.BlockingConnection(self._parameters)
        return self._connections[name]

    def _channel(self, name: str = HAND) -> BlockingChannel:
        """Return a channel; a new one after it was closed."""
        if name not in self._channels:
            channel = self._connection(connection_of(name)).channel()
            channel._impl.add_on_close_callback(lambda _, reason: self._channel_closed(name, channel, reason))
            # pika's blocking face would keep to itself what came back just before the channel was closed.
            channel._impl.add_on_return_callback(lambda _, method, __, ___: self._on_return(method))
            channel.add_on_cancel_callback(lambda frame: self._cancelled(frame.method.consumer_tag))
            self._channels[name] = channel
            self._held[name] = []
        return self._channels[name]

    def _channel_closed(self, name: str, channel: BlockingChannel, reason: Any) -> None:
        self._waiting.pop(channel._impl, None)
        if self._channels.get(name) is channel:
            del self._channels[name]
        code = getattr(reason, "reply_code", 0)
        if isinstance(reason, ChannelClosedByBroker):
            self._view.closed.append((name, code, reason.reply_text))
        elif isinstance(reason, ConnectionClosedByBroker):
            self._connection_closed(connection_of(name), code, reason.reply_text)

    def _connection_closed(self, name: str, code: int, text: str) -> None:
        if self._connections.pop(name, None) is None:
            return
        for channel in [each for each in self._channels if connection_of(each) == name]:
            self._waiting.pop(self._channels.pop(channel)._impl, None)
        if name == PUBLISHER:
            for publisher in self._publishers.values():
                self._waiting.pop(publisher, None)
            self._publishers = {}
        if code not in (0, 200):
            self._view.closed.append((name, code, text))

    def _cancelled(self, consumer: str) -> None:
        self._view.cancelled.append(consumer)

    def _publisher(self, confirm: bool) -> Any:
        """Return a channel that publishes: pika's own, below its blocking face, so that single frames are seen."""
        if confirm not in self._publishers:
            channel = self._connection(PUBLISHER).channel()._impl
            channel.add_on_return_callback(lambda _, method, __, ___: self._on_return(method))
            channel.add_on_close_callback(lambda _, reason: self._publisher_closed(confirm, reason))
            if confirm:
                self._select_confirms(channel)
            self._publishers[confirm] = channel
        return self._publishers[confirm]

    def _select_confirms(self, channel: Any) -> None:
        """Put a channel of pika's own into confirm mode, so that single frames are seen."""
        self._published[channel], self._waiting[channel] = 0, []
        channel.confirm_delivery(partial(self._on_confirm, channel))
        self._settle()

    def _publisher_closed(self, confirm: bool, reason: Any) -> None:
        self._waiting.pop(self._publishers.pop(confirm, None), None)
        if isinstance(reason, ChannelClosedByBroker):
            self._view.closed.append((PUBLISHER, reason.reply_code, reason.reply_text))

    def _on_return(self, method: Any) -> None:
        assert (method.reply_code, method.reply_text) == (312, "NO_ROUTE")
        self._view.returned.append((method.exchange, method.routing_key, 1))

    def _on_confirm(self, channel: Any, frame: Any) -> None:
        method = frame.method
        waiting = self._waiting.get(channel, [])
        numbers = [
            each
            for each in waiting
            if each == method.delivery_tag or (method.multiple and each <= method.delivery_tag)
        ]
        self._waiting[channel] = [each for each in waiting if each not in numbers]
        if method.NAME == "Basic.Nack":
            self._view.nacked += len(numbers)
        else:
            self._view.confirmed += len(numbers)
            self._view.together |= self._together and len(numbers) > 1

    def _deliver(
        self, channel: str, consumer: str | None, method: Any, properties: Any, body: bytes, held: bool
    ) -> None:
        given = {
            name: value
            for name, value in vars(properties).items()
            if value is not None and name not in {"headers", "delivery_mode"}
        }
        if properties.delivery_mode == 2:
            given["delivery_mode"] = 2
        self._view.deliveries.append(
            Delivery(
                method.delivery_tag,
                consumer,
                len(body),
                bool(method.redelivered),
                method.exchange,
                method.routing_key,
                comparable_headers(properties.headers),
                channel,
                given,
            )
        )
        if held:
            self._held[channel].append(method.delivery_tag)

    # --- what is there -----------------------------------------------------------------------------------------------

    def _send(self, on: str, method: Any) -> None:
        """Send a method whose flag no-wait asks for no answer."""
        self._channel(on)._impl._send_method(method)

    def _declare_queue(self, name: str, on: str = HAND, no_wait: bool = False, **more: Any) -> None:
        if no_wait:
            self._send(on, spec.Queue.Declare(0, name, nowait=True, **{"durable": True, **more}))
            return
        answer = self._channel(on).queue_declare(name, **{"durable": True, **more}).method
        self._view.answer = [answer.message_count, answer.consumer_count]

    def _delete_queue(self, name: str, on: str = HAND, no_wait: bool = False, **more: Any) -> None:
        if no_wait:
            self._send(on, spec.Queue.Delete(0, name, nowait=True, **more))
            return
        self._view.answer = [self._channel(on).queue_delete(name, **more).method.message_count]

    def _purge(self, queue: str, on: str = HAND) -> None:
        self._view.answer = [self._channel(on).queue_purge(queue).method.message_count]

    def _declare_exchange(
        self,
        name: str,
        type: str = "direct",  # noqa: A002
        on: str = HAND,
        no_wait: bool = False,
        **more: Any,
    ) -> None:
        if no_wait:
            self._send(on, spec.Exchange.Declare(0, name, type, nowait=True, **{"durable": True, **more}))
            return
        self._channel(on).exchange_declare(name, type, **{"durable": True, **more})

    def _delete_exchange(
        self, name: str, on: str = HAND, if_unused: bool = False, no_wait: bool = False
    ) -> None:
        if no_wait:
            self._send(on, spec.Exchange.Delete(0, name, if_unused, True))
            return
        self._channel(on).exchange_delete(name, if_unused)

    def _bind(
        self, exchange: str, queue: str, routing_key: str = "", arguments: Any = None, on: str = HAND
    ) -> None:
        self._channel(on).queue_bind(queue, exchange, routing_key, arguments)

    def _unbind(
        self, exchange: str, queue: str, routing_key: str = "", arguments: Any = None, on: str = HAND
    ) -> None:
        self._channel(on).queue_unbind(queue, exchange, routing_key, arguments)

    def _bind_exchange(
        self, source: str, destination: str, routing_key: str = "", arguments: Any = None, on: str = HAND
    ) -> None:
        self._channel(on).exchange_bind(destination, source, routing_key, arguments)

    def _unbind_exchange(
        self, source: str, destination: str, routing_key: str = "", arguments: Any = None, on: str = HAND
    ) -> None:
        self._channel(on).exchange_unbind(destination, source, routing_key, arguments)

    def _set_policy(self, **words: Any) -> None:
        self._view.printed = "refused" if "refused" in self._driver.ask({"do": "set_policy", **words}) else ""

    def _clear_policy(self, name: str) -> None:
        answer = self._driver.ask({"do": "clear_policy", "name": name})
        self._view.printed = "refused" if "refused" in answer else ""

    # --- messages in -------------------------------------------------------------------------------------------------

    def _publish(
        self,
        sizes: list[int],
        routing_key: str,
        exchange: str = "",
        confirm: bool = False,
        persistent: bool = False,
        mandatory: bool = False,
        expiration_ms: int | None = None,
        expiration: str | None = None,
        headers: dict[str, Any] | None = None,
        properties: dict[str, Any] | None = None,
        together: bool = False,
        pad_ms: int = 0,
        on: str | None = None,
    ) -> None:
        self._together = together
        given = pika.BasicProperties(
            delivery_mode=2 if persistent else 1,
            expiration=str(expiration_ms) if expiration_ms is not None else expiration,
            headers=headers or None,
            **(properties or {}),
        )
        publisher = None if on is not None else self._publisher(confirm)
        for size in sizes:
            body = b"x" * (sizes[0] if together else size)
            if on is not None:
                hand = self._channel(on)
                self._count_publish(hand._impl)
                hand.basic_publish(exchange, routing_key, body, given, mandatory)
                continue
            if publisher is None or not publisher.is_open:
                break  # it was closed meanwhile: what is behind it in the socket is not read any more
            self._count_publish(publisher)
            publisher.basic_publish(exchange, routing_key, body, given, mandatory)
            if not together:
                self._receive()
        if pad_ms:
            self._wait(pad_ms)

    def _count_publish(self, channel: Any) -> None:
        """Wait for the confirm of a publish, if the channel is in confirm mode."""
        if channel in self._waiting:
            self._published[channel] += 1
            self._waiting[channel].append(self._published[channel])

    def _confirm_select(self, on: str = HAND) -> None:
        channel = self._channel(on)._impl
        if channel not in self._waiting:
            self._select_confirms(channel)

    def _tx_select(self, on: str = HAND) -> None:
        self._channel(on).tx_select()

    def _tx_commit(self, on: str = HAND) -> None:
        self._channel(on).tx_commit()

    def _tx_rollback(self, on: str = HAND) -> None:
        self._channel(on).tx_rollback()

    # --- messages out ------------------------------------------------------------------------------------------------

    def _consume(
        self,
        name: str,
        queue: str,
        mode: str = "manual",
        prefetch: int = 0,
        channel_prefetch: int = 0,
        priority: int = 0,
        exclusive: bool = False,
        on: str | None = None,
    ) -> None:
        place = on or (HAND if mode == "manual" else name)
        channel = self._channel(place)
        self._forget_cancelled(channel, name)
        if mode == "manual":
            channel.basic_qos(prefetch_count=prefetch)
            if channel_prefetch or place in self._limited:
                # That lifted the channel's limit, and chance decides what else goes out before the next method, and
                # whether pika's blocking face hands it on if that one closes the channel.
                self._settle()
                self._limited.discard(place)
        if channel_prefetch:
            self._limited.add(place)
            channel.basic_qos(prefetch_count=channel_prefetch, global_qos=True)
        arguments = {"x-priority": priority} if priority else None
        if name in channel._consumer_infos:
            if name in channel._impl._consumers:  # pika would refuse it itself
                consume = spec.Basic.Consume(
                    0, queue, name, False, mode == "auto", exclusive, False, arguments
                )
                channel._impl._send_method(consume)
                return
            del channel._consumer_infos[name]
        channel.basic_consume(
            queue,
            lambda _, method, properties, body: self._deliver(
                place, name, method, properties, body, mode == "manual"
            ),
            auto_ack=mode == "auto",
            consumer_tag=name,
            exclusive=exclusive,
            arguments=arguments,
        )

    def _qos(self, prefetch: int, channel: bool = False, on: str = HAND) -> None:
        self._channel(on).basic_qos(prefetch_count=prefetch, global_qos=channel)
        if channel:
            (self._limited.add if prefetch else self._limited.discard)(on)

    def _cancel(self, name: str, on: str = HAND) -> None:
        # pika's blocking face would give messages back that it has not handed on yet: its own channel does not.
        self._channel(on)._impl.basic_cancel(name)

    @staticmethod
    def _forget_cancelled(channel: BlockingChannel, name: str) -> None:
        """Let pika, too, take a tag as free that was cancelled: at the broker it is."""
        if name in channel._impl._cancelled:
            channel._impl._cancelled.discard(name)
            channel._consumer_infos.pop(name, None)

    def _get(self, queue: str, count: int = 1, ack: bool = True, on: str = HAND) -> None:
        for _ in range(count):
            method, properties, body = self._channel(on).basic_get(queue, auto_ack=not ack)
            if method is None:
                self._view.empty = True
                return
            self._deliver(on, None, method, properties, body, ack)

    def _ack(self, tag: int | None = None, count: int = 0, multiple: bool = False, on: str = HAND) -> None:
        channel = self._channel(on)
        for each in self._named(on, count, tag, multiple):
            channel.basic_ack(each, multiple)

    def _nack(
        self,
        count: int = 0,
        tag: int | None = None,
        multiple: bool = False,
        requeue: bool = True,
        on: str = HAND,
    ) -> None:
        channel = self._channel(on)
        for each in self._named(on, count, tag, multiple):
            channel.basic_nack(each, multiple, requeue)

    def _reject(self, count: int = 0, tag: int | None = None, requeue: bool = True, on: str = HAND) -> None:
        channel = self._channel(on)
        for each in self._named(on, count, tag, False):
            channel.basic_reject(each, requeue)

    def _named(self, on: str, count: int, tag: int | None, multiple: bool) -> list[int]:
        """Return the tags to send for the oldest `count` that are held, or for one tag."""
        held = sorted(self._held[on])
        if tag is not None:
            self._held[on] = [
                each for each in held if not (each == tag or (multiple and (each <= tag or tag == 0)))
            ]
            return [tag]
        tags, self._held[on] = held[:count], held[count:]
        return tags[-1:] if multiple else tags

    def _recover(self, requeue: bool = True, on: str = HAND) -> None:
        self._channel(on)._impl.basic_recover(requeue)
        self._held[on] = []

    # --- ends --------------------------------------------------------------------------------------------------------

    def _close_channel(self, name: str = HAND) -> None:
        channel = self._channels.pop(name, None)
        if channel is not None:
            self._waiting.pop(channel._impl, None)
            _as_one(channel._impl)
            channel._impl.close()

    def _close_connection(self, name: str = HAND) -> None:
        connection = self._connections.pop(name, None)
        for channel in [each for each in self._channels if connection_of(each) == name]:
            self._waiting.pop(self._channels.pop(channel)._impl, None)
        if connection is not None:
            _close(connection)

    def _kill_queue(self, queue: str, how: str = "kill") -> None:
        self._driver.ask({"do": "kill_queue", "queue": queue, "how": how})
        self._wait(CONSUMED_AGAIN_MS)

    def _restart(self, kind: str) -> None:
        connections = self._connections.values()
        if kind == "clean":
            self._driver.ask({"do": "restart_app"})
        else:
            self._driver.close()
            self._node.kill()
            self._node.start()
            self._driver = Driver(self._node.driver_port)
        for connection in connections:
            _close(connection)
        self._forget_clients()
        self._view = View()

    def _ctl(self, line: str) -> None:
        environment = {
            name: value for name, value in self._node.environment().items() if name != "RABBITMQ_DIST_PORT"
        }
        program = self._node.program("rabbitmqctl")
        run = subprocess.run(
            [*program, "-n", NODE, *shlex.split(line)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        self._view.printed = run.stdout.replace(NODE, "rabbit@waterline")

    def _wait(self, ms: int) -> None:
        until = time.monotonic() + ms / 1000
        while (left := until - time.monotonic()) > 0:
            self._receive()
            time.sleep(min(left, 0.02))


def _as_one(channel: Any) -> None:
    """Let all consumers of a channel end with it.

    pika would cancel them one by one before: a cancel hands what waits to the next consumer (W222), which is another
    story than a channel that ends.
    """
    channel._consumers.clear()


def _close(connection: pika.BlockingConnection) -> None:
    """Close a connection without the cancels and rejects that pika would send first."""
    with suppress(AMQPError):
        if connection.is_open:
            for channel in connection._impl._channels.values():
                _as_one(channel)
            connection._impl.close()
        while not connection.is_closed:
            connection.process_data_events(0.01)
