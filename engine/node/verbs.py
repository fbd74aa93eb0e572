"""What each command does, after a look whether it can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from engine.errors import CommandError
from engine.node import commands as cmd
from engine.node.actors import Consumer, Publisher
from engine.node.deliveries import Deliveries
from engine.node.topology import MAX_QUEUES

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
            cmd.DeclareQueue: self._declare_queue,
            cmd.DeleteQueue: self._delete_queue,
            cmd.KillQueue: self._kill_queue,
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
        consumers = self._node.consumers
        consumer = consumers.all.get(command.name)
        queue = self._queue(command.queue)
        if consumer is None:
            self._check_new(command.name, "consumer")
            consumer = Consumer(command.name, self._node.settings.unsent_message_limit)
            consumer.alarm = self._node.connections.alarm
        elif (consumer.ack != command.ack or consumer.queue != command.queue) and consumer.holding:
            raise CommandError(
                f"{command.name} holds {consumer.holding} messages, so its "
                f"{'ack mode' if consumer.ack != command.ack else 'queue'} cannot change; "
                "remove it and add it again"
            )
        elif consumer.queue != command.queue:
            consumers.unsubscribe(consumer)
        consumer.rule = "set"
        consumer.change(command)
        if consumer not in queue.consumers:
            consumers.subscribe(consumer)
        queue.wake(consumer)

    def _queue(self, name: str) -> Deliveries:
        """Return a queue that is there."""
        queue = self._node.queues.get(name)
        if queue is None:
            known = ", ".join(self._node.queues) or "none"
            raise CommandError(f"there is no queue {name}; queues: {known}")
        return queue

    def _check_new(self, name: str, role: str) -> None:
        node = self._node
        others = node.consumers.all if role == "publisher" else node.connections.publishers
        if name in others:
            raise CommandError(f"{name} is already the name of another actor; choose another name")
        if len(node.connections.publishers) - 1 + len(node.consumers.all) >= MAX_ACTORS:
            raise CommandError(f"there are {MAX_ACTORS} publishers and consumers already; remove one first")

    def _remove(self, command: cmd.Remove) -> None:
        node = self._node
        if command.name in node.connections.publishers:
            node.connections.remove(node.connections.publishers[command.name])
        elif command.name in node.consumers.all:
            node.consumers.remove(node.consumers.all[command.name])
        else:
            known = [*node.connections.publishers, *node.consumers.all]
            names = ", ".join(name for name in known if name != "burst") or "none"
            raise CommandError(f"there is no {command.name}; publishers and consumers: {names}")
        node.board.forget_actor(command.name, "P11")

    def _held(self, count: int) -> None:
        held = len(self._node.hand.channel)
        if count > held:
            raise CommandError(
                f"{held} messages are held by hand, not {count}; "
                "first use get with ack, or a consumer with manual acks"
            )

    def _ack(self, command: cmd.Ack) -> None:
        self._held(command.count)
        self._node.consumers.ack_held(command.count, command.multiple)

    def _requeue(self, command: cmd.Requeue) -> None:
        self._held(command.count)
        self._node.consumers.requeue_held(command.count)

    def _get(self, command: cmd.Get) -> None:
        if not self._queue(command.queue).state.len:
            raise CommandError("the queue is empty; publish something first")
        self._node.consumers.get(command.queue, command.count, command.ack)

    def _purge(self, command: cmd.Purge) -> None:
        self._queue(command.queue).purge()

    def _set(self, command: cmd.Set) -> None:
        node = self._node
        value: Any = command.value
        if command.name == "queue_mode":
            process = self._queue(command.queue).process
            node.queues.wishes[command.queue].mode = value
            node.tell_settings()
            process.set_mode(value)
            process.handled()
        elif command.name == "target_ram_count":
            process = self._queue(command.queue).process
            node.queues.wishes[command.queue].target = value
            node.tell_settings()
            process.pin_target(value)
        else:
            node.settings = msgspec.structs.replace(node.settings, **{command.name: cmd.value_of(command)})
            node.named_settings |= {command.name}
            node.tell_settings()
            if command.name == "work_profile":
                node.use_work_profile()
            elif command.name == "disk_free_limit":
                node.look_at_disk()
            elif command.name != "disk_free_bytes_other":
                node.look_at_memory()

    def _restart(self, command: cmd.Restart) -> None:
        self._node.restart(command.kind)

    # --- queues ------------------------------------------------------------------------------------------------------

    def _declare_queue(self, command: cmd.DeclareQueue) -> None:
        queues = self._node.queues
        if command.name in queues:
            raise CommandError(f"there is a queue {command.name} already")
        if len(queues) >= MAX_QUEUES:
            raise CommandError(f"there are {MAX_QUEUES} queues already; delete one first")
        queues.begin(command.name, command.durable)

    def _delete_queue(self, command: cmd.DeleteQueue) -> None:
        self._queue(command.name)
        self._node.delete_queue(command.name)

    def _kill_queue(self, command: cmd.KillQueue) -> None:
        self._queue(command.queue)
        self._node.kill_queue(command.queue)
