"""What each command does, after a look whether it can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from engine.amqp.declarations import check_access, check_consume
from engine.amqp.errors import AmqpError
from engine.ctl import console
from engine.errors import CommandError
from engine.node.clients.actors import Consumer, Publisher
from engine.node.commands import commands as cmd
from engine.node.commands.base import Command
from engine.node.control.topology_verbs import topology_verbs
from engine.node.queues.deliveries import Deliveries

if TYPE_CHECKING:
    from engine.node.node import Node

MAX_ACTORS: Final = 20


class Verbs:
    """The commands of one node. A verb raises CommandError before it changes anything, or not at all."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._handlers: dict[type[Command], Any] = {
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
            cmd.Cancel: self._cancel,
            cmd.CloseChannel: self._close_channel,
            cmd.Nack: self._nack,
            cmd.Reject: self._reject,
            cmd.AckTag: self._ack_tag,
            cmd.Ctl: self._ctl,
            cmd.StopApp: self._stop_app,
            cmd.StartApp: self._start_app,
            **topology_verbs(node),
        }

    def do(self, command: Command) -> None:
        """Do a command.

        Raises CommandError when it cannot be done now; nothing changed then.
        """
        if not self._node.life.runs and not isinstance(command, cmd.StartApp | cmd.StopApp | cmd.Ctl):
            raise CommandError("the broker is stopped; start it with start_app first")
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
        if command.tx and command.confirm:
            words = "cannot switch from confirm to tx mode"
            self._node.closing.fail(command.name, AmqpError("precondition_failed", words), "D12")
            return
        connections.set_running(publisher)

    def _set_consumer(self, command: cmd.SetConsumer) -> None:
        node, consumers = self._node, self._node.consumers
        consumer = consumers.all.get(command.name)
        if consumer is None:
            self._check_new(command.name, "consumer")
            consumer = Consumer(command.name, node.settings.unsent_message_limit)
            consumer.alarm = node.connections.alarm
        elif (consumer.ack != command.ack or consumer.queue != command.queue) and consumer.holding:
            what = "ack mode" if consumer.ack != command.ack else "queue"
            raise CommandError(
                f"{command.name} holds {consumer.holding} messages, so its {what} cannot change; "
                "remove it and add it again"
            )
        consumer.rule = "set"
        place = (consumer.queue, consumer.priority)
        if place != (command.queue, command.priority) and consumers.unsubscribe(consumer):
            self._node.lifetimes.lost_consumer(node.queues[consumer.queue])
        consumer.change(command)
        consumers.all[consumer.name] = consumer
        if consumer.ack == "manual" and consumer.channel_prefetch:
            node.hand.channel_prefetch = consumer.channel_prefetch
        try:
            self._consume(consumer)
        except AmqpError as error:
            node.closing.fail(consumer.name, error, "P18")
            return
        queue = node.queues[consumer.queue]
        if consumer not in queue.consumers:
            consumers.subscribe(consumer)
        queue.wake(consumer)

    def _consume(self, consumer: Consumer) -> None:
        """Look whether AMQP lets a consumer have its queue."""
        node, name = self._node, consumer.queue
        others = (
            [each for each in node.consumers.of(name) if each is not consumer] if name in node.queues else []
        )
        check_consume(
            node.definitions.queues.get(name),
            name,
            consumer.connection,
            exclusive=consumer.exclusive,
            consumers=len(others),
            has_exclusive=any(each.exclusive for each in others),
        )

    def _by_hand(self, name: str, rule: str) -> Deliveries | None:
        """Return a queue that the hand may use; without one its channel is closed, and there is None."""
        try:
            check_access(self._node.definitions.queues.get(name), name, "hand")
        except AmqpError as error:
            self._node.closing.fail("hand", error, rule)
            return None
        return self._node.queues[name]

    def _queue(self, name: str) -> Deliveries:
        """Return a queue that is there."""
        queue = self._node.queues.get(name)
        if queue is None:
            known = ", ".join(self._node.queues) or "none"
            raise CommandError(f"there is no queue {name}; queues: {known}")
        return queue

    def _cancel(self, command: cmd.Cancel) -> None:
        consumer = self._node.consumers.all.get(command.name)
        if consumer is None:
            known = ", ".join(self._node.consumers.all) or "none"
            raise CommandError(f"there is no consumer {command.name}; consumers: {known}")
        consumer.rule = "P11"
        self._node.consumers.cancel(consumer)

    def _close_channel(self, command: cmd.CloseChannel) -> None:
        node = self._node
        known = [*node.connections.publishers, *node.consumers.all, node.hand.name]
        if command.name not in known:
            raise CommandError(f"there is no {command.name}; channels: {', '.join(known)}")
        node.closing.close_channel(command.name, "P11")

    def _check_new(self, name: str, role: str) -> None:
        node = self._node
        others = node.consumers.all if role == "publisher" else node.connections.publishers
        if name in others:
            raise CommandError(f"{name} is already the name of another actor; choose another name")
        if len(node.connections.publishers) - 1 + len(node.consumers.all) >= MAX_ACTORS:
            raise CommandError(f"there are {MAX_ACTORS} publishers and consumers already; remove one first")

    def _remove(self, command: cmd.Remove) -> None:
        node = self._node
        if command.name == node.hand.name:
            node.closing.close_connection(command.name, "P11")
            return
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

    def _nack(self, command: cmd.Nack) -> None:
        self._held(command.count)
        self._node.consumers.nack_held(command.count, command.multiple, command.requeue)

    def _reject(self, command: cmd.Reject) -> None:
        self._held(command.count)
        self._node.consumers.nack_held(command.count, False, command.requeue)

    def _ack_tag(self, command: cmd.AckTag) -> None:
        try:
            self._node.consumers.ack_tag(command.tag, command.multiple)
        except AmqpError as error:
            self._node.closing.fail("hand", error, "P14")

    def _get(self, command: cmd.Get) -> None:
        queue = self._by_hand(command.queue, "P18")
        if queue is None:
            return
        if not queue.state.len:
            raise CommandError("the queue is empty; publish something first")
        self._node.consumers.get(command.queue, command.count, command.ack)
        self._node.lifetimes.used(command.queue)

    def _purge(self, command: cmd.Purge) -> None:
        queue = self._by_hand(command.queue, "P19")
        if queue is not None:
            queue.purge()

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

    def _ctl(self, command: cmd.Ctl) -> None:
        self.do(cmd.parse(console.command_of(command.line, self._node.snapshot(), self._node.live())))

    def _stop_app(self, _: cmd.StopApp) -> None:
        if self._node.life.runs:
            self._node.life.stop_app()

    def _start_app(self, _: cmd.StartApp) -> None:
        if not self._node.life.runs:
            self._node.life.start_app()

    def _restart(self, command: cmd.Restart) -> None:
        self._node.life.restart(command.kind)
