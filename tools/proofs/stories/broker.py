"""The stories on a real node, with pika: each step as clients take it."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from typing import Any

import pika
from pika import spec
from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import (
    ChannelClosedByBroker,
    ChannelWrongStateError,
    ConnectionClosedByBroker,
)

from tools.proofs.differential.driver import BrokerRefused, Driver
from tools.proofs.stories.clients import LIMIT_MS, Clients, close
from tools.proofs.stories.story import (
    HAND,
    Step,
    View,
)

NODE = "waterline@localhost"
LISTINGS = 20
"""Times that the queues are asked for until each has its numbers."""
CONSUMED_AGAIN_MS = 200
"""Waited after a queue's process died: channels look for the new one every 30 ms, and consume again."""


class BrokerPlayer(Clients):
    """Takes steps on a private node; every story begins on an empty broker."""

    def close(self) -> None:
        """Leave the broker."""
        self._leave()
        self._driver.close()

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
        self._view.queues = self._queues()
        return self._view

    def _queues(self) -> dict[str, tuple[int, int]]:
        """Return ready messages and consumers of each queue; one that ends while it is listed has no numbers."""
        for _ in range(LISTINGS):
            found = self._driver.ask({"do": "queues"})["queues"]
            if all(ready and consumers for ready, consumers in found.values()):
                break
        return {name: (int(ready), int(consumers)) for name, (ready, consumers) in found.items()}

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
        try:
            refused = "refused" in self._driver.ask({"do": "set_policy", **words})
        except BrokerRefused:  # the broker's own check of a value ended with an error
            refused = True
        self._view.printed = "refused" if refused else ""

    def _clear_policy(self, name: str) -> None:
        answer = self._driver.ask({"do": "clear_policy", "name": name})
        self._view.printed = "refused" if "refused" in answer else ""

    def _alarm(self, on: bool) -> None:
        if on:  # a node does not answer when a channel is opened on a blocked connection
            self._publisher(confirm=False)
            self._publisher(confirm=True)
        self._driver.ask({"do": "watermark", "share": 0.0 if on else 0.4})
        self._alarmed = on

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

    def _confirm_select(self, on: str = HAND) -> None:
        channel = self._channel(on)._impl
        if channel not in self._waiting:
            self._select_confirms(channel)

    def _tx_select(self, on: str = HAND) -> None:
        self._channel(on).tx_select()
        self._settling.setdefault(on, [])

    def _tx_commit(self, on: str = HAND) -> None:
        self._channel(on).tx_commit()
        self._settling[on] = []

    def _tx_rollback(self, on: str = HAND) -> None:
        self._channel(on).tx_rollback()
        self._held[on] += self._settling[on]
        self._settling[on] = []

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

    def _recover(self, requeue: bool = True, on: str = HAND) -> None:
        self._channel(on)._impl.basic_recover(requeue)
        self._held[on] = []

    # --- ends --------------------------------------------------------------------------------------------------------

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
            close(connection)
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
