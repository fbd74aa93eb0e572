"""The clients of a story on a real node: connections, channels, and what comes back on them."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import (
    AMQPError,
    ChannelClosedByBroker,
    ConnectionClosedByBroker,
)

from tools.proofs.differential.driver import Driver
from tools.proofs.differential.node import PrivateNode
from tools.proofs.stories.story import (
    HAND,
    PUBLISHER,
    Delivery,
    View,
    comparable_headers,
    connection_of,
)

LOOPBACK = "127.0.0.1"
LIMIT_MS = 2000
CONFIRM_LIMIT_S = 1.0
PATIENT_LIMIT_S = 20.0
"""A confirm that did not come by then never comes; with patience, as on a busy machine that has 16 MB to write."""


class Clients:
    """Connections and channels of pika to a private node, and the view of what they saw.

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
        self._settling: dict[str, list[int]] = {}
        """For each channel in a transaction the tags that it settled since it began: a rollback gives them back."""
        self._limited: set[str] = set()
        """Channels whose consumers share a limit."""
        self._publishers: dict[bool, Any] = {}
        self._waiting: dict[Any, list[int]] = {}
        """For each channel in confirm mode the numbers of publishes that the broker has not spoken of."""
        self._published: dict[Any, int] = {}
        self._together = False
        self._alarmed = False
        """Whether publishers wait for the node's memory."""

    def _leave(self) -> None:
        for connection in self._connections.values():
            close(connection)
        self._forget_clients()

    # --- quiet -------------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Wait until the node is at rest, all it sent has arrived, and nothing more is awaited."""
        limit_s = PATIENT_LIMIT_S if self.patience_s else CONFIRM_LIMIT_S
        until = time.monotonic() + (0 if self._alarmed else limit_s)
        self._receive()
        time.sleep(self.patience_s)
        while True:
            self._driver.ask({"do": "settled", "limit_ms": LIMIT_MS})
            if not self._receive() and (not any(self._waiting.values()) or time.monotonic() > until):
                return

    def _receive(self) -> bool:
        """Handle what came in on all connections; return whether there was anything, or is more to send."""
        before = self._counted()
        for name, connection in list(self._connections.items()):
            try:
                for _ in range(2):
                    connection.process_data_events(0)
            except ConnectionClosedByBroker as closed:
                self._connection_closed(name, closed.reply_code, closed.reply_text)
            except AMQPError:
                self._connection_closed(name, 0, "")
        return self._counted() != before or any(
            transport is not None and transport.get_write_buffer_size()
            for each in self._connections.values()
            for transport in (each._impl._transport,)
        )

    def _counted(self) -> int:
        view = self._view
        return (
            len(view.deliveries)
            + view.confirmed
            + view.nacked
            + len(view.returned)
            + len(view.closed)
            + len(view.cancelled)
            + sum(each._impl.bytes_received for each in self._connections.values())
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
            self._settling.pop(name, None)
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

    def _count_publish(self, channel: Any) -> None:
        """Wait for the confirm of a publish, if the channel is in confirm mode."""
        if channel in self._waiting:
            self._published[channel] += 1
            self._waiting[channel].append(self._published[channel])

    def _named(self, on: str, count: int, tag: int | None, multiple: bool) -> list[int]:
        """Return the tags to send for the oldest `count` that are held, or for one tag."""
        held = sorted(self._held[on])
        if tag is not None:
            kept = [each for each in held if not (each == tag or (multiple and (each <= tag or tag == 0)))]
            named = [tag]
        else:
            kept = held[count:]
            named = held[:count][-1:] if multiple else held[:count]
        if on in self._settling:
            self._settling[on] += [each for each in held if each not in kept]
        self._held[on] = kept
        return named

    def _wait(self, ms: int) -> None:
        until = time.monotonic() + ms / 1000
        while (left := until - time.monotonic()) > 0:
            self._receive()
            time.sleep(min(left, 0.02))

    # --- ends -------------------------------------------------------------------------------------------------------

    def _close_channel(self, name: str = HAND) -> None:
        channel = self._channels.pop(name, None)
        if channel is not None:
            self._waiting.pop(channel._impl, None)
            as_one(channel._impl)
            channel._impl.close()

    def _close_connection(self, name: str = HAND) -> None:
        connection = self._connections.pop(name, None)
        for channel in [each for each in self._channels if connection_of(each) == name]:
            self._waiting.pop(self._channels.pop(channel)._impl, None)
        if connection is not None:
            close(connection)


def as_one(channel: Any) -> None:
    """Let all consumers of a channel end with it.

    pika would cancel them one by one before: a cancel hands what waits to the next consumer (W222), which is another
    story than a channel that ends.
    """
    channel._consumers.clear()


def close(connection: pika.BlockingConnection) -> None:
    """Close a connection without the cancels and rejects that pika would send first."""
    with suppress(AMQPError):
        if connection.is_open:
            for channel in connection._impl._channels.values():
                as_one(channel)
            connection._impl.close()
        while not connection.is_closed:
            connection.process_data_events(0.01)
