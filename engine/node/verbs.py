"""What each command does, after a look whether it can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from engine.errors import CommandError
from engine.node import commands as cmd
from engine.node.actors import Consumer, Publisher

if TYPE_CHECKING:
    from engine.node.node import Node

MAX_ACTORS: Final = 20


class Verbs:
    """The commands of one node. A verb raises CommandError before it changes anything, or not at all."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._handlers: dict[type[cmd.Command], Any] = {
            cmd.Publish: self._publish,
            cmd.SetPublisher: self._set_publisher,
            cmd.SetConsumer: self._set_consumer,
            cmd.Remove: self._remove,
            cmd.Ack: self._ack,
            cmd.Requeue: self._requeue,
            cmd.Get: self._get,
            cmd.Purge: self._purge,
            cmd.Set: self._set,
            cmd.Restart: self._restart,
        }

    def do(self, command: cmd.AnyCommand) -> None:
        """Do a command.

        Raises CommandError when it cannot be done now; nothing changed then.
        """
        self._handlers[type(command)](command)

    def _publish(self, command: cmd.Publish) -> None:
        refusal = self._node.refusal_to_publish(command)
        if refusal is not None:
            raise CommandError(refusal)
        self._node.connections.publish_burst(command)

    def _set_publisher(self, command: cmd.SetPublisher) -> None:
        connections = self._node.connections
        publisher = connections.publishers.get(command.name)
        if publisher is None:
            self._check_new(command.name, "publisher")
            publisher = connections.publishers[command.name] = Publisher(command.name)
        publisher.rule = "set"
        publisher.change(command)
        connections.set_running(publisher)

    def _set_consumer(self, command: cmd.SetConsumer) -> None:
        deliveries = self._node.deliveries
        consumer = deliveries.consumers.get(command.name)
        if consumer is None:
            self._check_new(command.name, "consumer")
            consumer = Consumer(command.name, self._node.settings.unsent_message_limit)
            consumer.alarm = self._node.connections.alarm
            deliveries.add(consumer)
        elif consumer.ack != command.ack and consumer.holding:
            raise CommandError(
                f"{command.name} holds {consumer.holding} messages, so its ack mode cannot change; "
                "remove it and add it again"
            )
        consumer.rule = "set"
        consumer.change(command)
        deliveries.wake(consumer)

    def _check_new(self, name: str, role: str) -> None:
        node = self._node
        others = node.deliveries.consumers if role == "publisher" else node.connections.publishers
        if name in others:
            raise CommandError(f"{name} is already the name of another actor; choose another name")
        if len(node.connections.publishers) - 1 + len(node.deliveries.consumers) >= MAX_ACTORS:
            raise CommandError(f"there are {MAX_ACTORS} publishers and consumers already; remove one first")

    def _remove(self, command: cmd.Remove) -> None:
        node = self._node
        if command.name in node.connections.publishers:
            node.connections.remove(node.connections.publishers[command.name])
        elif command.name in node.deliveries.consumers:
            node.deliveries.remove(node.deliveries.consumers[command.name])
        else:
            known = [*node.connections.publishers, *node.deliveries.consumers]
            names = ", ".join(name for name in known if name != "burst") or "none"
            raise CommandError(f"there is no {command.name}; publishers and consumers: {names}")
        node.board.forget_actor(command.name, "P11")

    def _held(self, count: int) -> None:
        held = self._node.deliveries.hand.holding
        if count > held:
            raise CommandError(
                f"{held} messages are held by hand, not {count}; "
                "first use get with ack, or a consumer with manual acks"
            )

    def _ack(self, command: cmd.Ack) -> None:
        self._held(command.count)
        self._node.deliveries.ack_held(command.count, command.multiple)

    def _requeue(self, command: cmd.Requeue) -> None:
        self._held(command.count)
        self._node.deliveries.requeue_held(command.count)

    def _get(self, command: cmd.Get) -> None:
        if not self._node.process.queue.state.len:
            raise CommandError("the queue is empty; publish something first")
        self._node.deliveries.get(command.count, command.ack)

    def _purge(self, command: cmd.Purge) -> None:
        self._node.process.begin().purge()
        self._node.process.handled()

    def _set(self, command: cmd.Set) -> None:
        node = self._node
        value: Any = command.value
        if command.name == "queue_mode":
            node.mode = value
            node.tell_settings()
            node.process.begin().set_queue_mode(value)
            node.process.handled()
        elif command.name == "target_ram_count":
            node.target = value
            node.tell_settings()
            node.process.pin_target(value)
        else:
            node.settings = msgspec.structs.replace(node.settings, **{command.name: cmd.value_of(command)})
            node.named_settings |= {command.name}
            node.tell_settings()
            if command.name == "disk_free_limit":
                node.look_at_disk()
            elif command.name != "disk_free_bytes_other":
                node.look_at_memory()

    def _restart(self, command: cmd.Restart) -> None:
        self._node.restart(command.kind)
