"""The verbs of commands about publishers, consumers and manual channels (P10-P14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from engine.amqp.declarations import check_access, check_consume
from engine.amqp.errors import AmqpError
from engine.broker.clients.actors import OPEN, Consumer, Publisher, stop
from engine.broker.clients.channel import connection_of
from engine.broker.clients.connections import ChannelClosing, HeartbeatWatch
from engine.broker.clients.manual_channels import ManualChannel
from engine.broker.commands import client_commands as cmd
from engine.broker.commands.base import Command
from engine.broker.control.node_lifecycle import Handlers
from engine.broker.control.verb_parts import VerbParts
from engine.broker.mirrors.membership import NodeParts, PendingCalls
from engine.values.errors import CommandError, ProcessCrash
from engine.values.labels import bare

MAX_ACTORS: Final = 128


@contextmanager
def _called_by(channel: str, begins: str = "") -> Iterator[None]:
    """Note who waits for the answer of a queue's process that ends meanwhile, and which consumer the call begins."""
    try:
        yield
    except ProcessCrash as crash:
        crash.caller = (channel, begins)
        raise


class ClientVerbs(VerbParts):
    """Verbs that add, change and remove publishers and consumers."""

    def __init__(self, below: NodeParts, closing: ChannelClosing, patience: PendingCalls) -> None:
        super().__init__(below, closing, patience)
        self._configuration = below.configuration
        self._board = below.board
        self._scheduler = below.clock
        self._heartbeats = HeartbeatWatch(below.clock, self._is_blocked, self._missed)

    def handlers(self) -> Handlers:
        """Return the function for each of these commands."""
        return {
            cmd.Publish: self._publish,
            cmd.SetPublisher: self._set_publisher,
            cmd.SetConsumer: self._begin_or_change,
            cmd.Consume: self._consume,
            cmd.Cancel: self._cancel,
            cmd.CloseChannel: self._close_channel,
            cmd.Hang: self._hang,
            cmd.Remove: self._remove,
        }

    def _publish(self, command: cmd.Publish) -> None:
        if command.immediate:
            hand = None if command.channel is None else self._consumers.channel(command.channel)
            actor = self._connections.burst.name if hand is None else hand.name
            self._closing.fail(actor, AmqpError("not_implemented", "immediate=true"), "K1")
            return
        refusal = self._connections.refusal(command)
        if refusal is not None:
            raise refusal
        if command.channel is None:
            self._connections.publish_burst(command)
            return
        hand = self._consumers.channel(command.channel)
        try:
            self._connections.publish_by_hand(hand, command)
        except AmqpError as error:
            self._closing.fail(hand.name, error, "K1")

    def _set_publisher(self, command: cmd.SetPublisher) -> None:
        publishers = self._connections.publishers
        publisher = publishers.get(command.name)
        if publisher is None:
            self._check_new(command.name, "publisher")
            publisher = publishers[command.name] = Publisher(command.name)
        publisher.rule = "set"
        self._heartbeats.heard(command.name)
        publisher.change(command)
        if command.tx and command.confirm:
            words = "cannot switch from confirm to tx mode"
            self._closing.fail(command.name, AmqpError("precondition_failed", words), "D12")
            return
        self._connections.set_running(publisher)

    def _begin_or_change(self, command: cmd.SetConsumer, lifts: bool = False) -> None:
        """Begin a consumer, or change one. `lifts`: whether its client first sends basic.qos for the
        consumer, which lifts the channel's limit.
        """
        consumers = self._consumers
        if command.channel_prefetch and not consumers.rules.limits_channels:
            command = replace(command, prefetch=command.channel_prefetch, channel_prefetch=0)
        consumer = consumers.all.get(command.name)
        if consumer is None:
            self._check_new(command.name, "consumer")
            consumer = Consumer(command.name, self._configuration.node.unsent_message_limit)
            consumer.alarm = self._connections.alarm
        elif (consumer.ack != command.ack or consumer.queue != command.queue) and consumer.holding:
            if consumer.ack != command.ack or consumer.ack != "manual" or consumer.running:
                code = "ack_mode_fixed" if consumer.ack != command.ack else "queue_fixed"
                raise CommandError(code, name=command.name, held=consumer.holding)
            consumer.forget_held()  # its tag was cancelled and is free; what it took is its channel's (P12)
        channel = (
            consumers.channel(command.channel).channel if command.ack == "manual" else consumer.own_channel
        )
        consumer.rule = "set"
        self._heartbeats.heard(command.name)
        place = (consumer.queue, consumer.priority)
        if place != (command.queue, command.priority) and consumers.unsubscribe(consumer):
            self._lifetimes.lost_consumer(self._queues[consumer.queue])
        consumer.change(command, self._scheduler.now_us)
        consumers.all[consumer.name] = consumer
        consumer.channel = channel
        if lifts:
            consumers.limit_channel(consumer.channel, 0)
        consumers.limit_channel(consumer.channel, consumer.channel_prefetch)
        try:
            self._check_consume(consumer)
            down = consumer.queue not in self._queues
            # its channel consumes anew by itself (H67)
            again = down and place == (command.queue, command.priority)
            subscribe = partial(self._subscribe, consumer)
            if again or self._patience.puts_off(consumer.queue, consumer.channel.name, subscribe):
                return
        except AmqpError as error:
            self._closing.fail(consumer.channel.name, error, "P18")
            return
        self._subscribe(consumer)

    def _subscribe(self, consumer: Consumer) -> None:
        """Give a queue a new or changed consumer."""
        self._check_consume(consumer)
        queue = self._queues[consumer.queue]
        if consumer in queue.consumers:
            queue.wake(consumer)
            return
        self._consumers.subscribe(consumer)
        with _called_by(consumer.channel.name, consumer.name):
            queue.wake(consumer)

    def _consume(self, command: cmd.Consume) -> None:
        """Begin a manual consumer; its channel must not have the tag yet."""
        known = self._consumers.all.get(command.name)
        queue = None if known is None else self._queues.get(known.queue)
        if known is not None and queue is not None and known in queue.consumers:
            hand = self._consumers.by_hand.get(command.channel)
            if hand is None or known.channel is not hand.channel:
                raise CommandError("name_taken", name=command.name)
            explanation = f"attempt to reuse consumer tag '{command.name}'"
            self._closing.fail(hand.name, AmqpError("not_allowed", explanation), "P12")
            return
        words = {name: getattr(command, name) for name in command.__struct_fields__}
        self._begin_or_change(cmd.SetConsumer(**words, ack="manual"), lifts=True)

    def _check_consume(self, consumer: Consumer) -> None:
        name = consumer.queue
        known = self._consumers.of(name) if name in self._queues else []
        others = [each for each in known if each is not consumer]
        check_consume(
            self._definitions.queues.get(name),
            name,
            consumer.connection,
            exclusive=consumer.exclusive,
            consumers=len(others),
            has_exclusive=any(each.exclusive for each in others),
            single_active=name in self._queues and self._queues[name].ring.single_active,
        )

    def _cancel(self, command: cmd.Cancel) -> None:
        consumer = self._consumers.all.get(command.name)
        if consumer is None:
            known = ", ".join(self._consumers.all) or "none"
            raise CommandError("no_consumer", name=command.name, known=known)
        consumer.rule = "P11"
        self._consumers.cancel(consumer)

    def _actor(self, name: str) -> Publisher | Consumer | None:
        return self._connections.publishers.get(name) or self._consumers.all.get(name)

    def _hang(self, command: cmd.Hang) -> None:
        """Make an actor silent on its open connection."""
        actor = self._actor(command.name)
        if actor is None:
            raise self._no_actor(command.name)
        actor.rule = "A3"
        actor.running = False
        stop(actor)
        self._heartbeats.silent(command.name, command.heartbeat_s)

    def _is_blocked(self, name: str) -> bool:
        actor = self._actor(name)
        return isinstance(actor, Publisher) and actor.blocked

    def _missed(self, name: str, interval_s: int) -> None:
        """Close the connection of an actor whose heartbeats are missing."""
        actor = self._actor(name)
        if actor is not None and actor.connection_state == OPEN:
            text = f"missed heartbeats from client, timeout: {interval_s}s"
            self._closing.close_connection(name, "A3", 0, text)

    def _close_channel(self, command: cmd.CloseChannel) -> None:
        known = [*self._connections.publishers, *self._consumers.all, *self._consumers.by_hand]
        if command.name not in known:
            raise CommandError("no_channel", name=command.name, known=", ".join(known))
        self._closing.close_channel(command.name, "P11")

    def _check_new(self, name: str, role: str) -> None:
        publishers, consumers = self._connections.publishers, self._consumers.all
        if name in (consumers if role == "publisher" else publishers):
            raise CommandError("name_taken", name=name)
        actors = [each for each in (*publishers, *consumers) if bare(each) != "burst"]
        if len(actors) >= MAX_ACTORS:
            raise CommandError("too_many_actors", most=MAX_ACTORS)

    def _remove(self, command: cmd.Remove) -> None:
        publishers, consumers = self._connections.publishers, self._consumers.all
        by_hand = [name for name in self._consumers.by_hand if connection_of(name) == command.name]
        if by_hand:
            self._closing.close_connection(by_hand[0], "P11")
            return
        if command.name in publishers:
            self._connections.remove(publishers[command.name])
        elif command.name in consumers:
            self._consumers.remove(consumers[command.name])
        else:
            raise self._no_actor(command.name)
        self._heartbeats.heard(command.name)
        self._board.forget_actor(command.name, "P11")

    def _no_actor(self, name: str) -> CommandError:
        known = [
            each for each in [*self._connections.publishers, *self._consumers.all] if bare(each) != "burst"
        ]
        return CommandError("no_actor", name=name, known=", ".join(known) or "none")


class HandVerbs(VerbParts):
    """Verbs of manual channels."""

    def handlers(self) -> Handlers:
        """Return the function for each of these commands."""
        verbs: dict[type[Command], tuple[Callable[[ManualChannel, Any], None], str]] = {
            cmd.Get: (self._get, "P18"),
            cmd.Purge: (self._purge, "P19"),
            cmd.Ack: (self._ack, "P14"),
            cmd.Requeue: (self._requeue, "P14"),
            cmd.Nack: (self._nack, "P14"),
            cmd.Reject: (self._reject, "P14"),
            cmd.AckTag: (self._ack_tag, "P14"),
            cmd.NackTag: (self._nack_tag, "P14"),
            cmd.Recover: (self._recover, "P11"),
            cmd.Qos: (self._qos, "P13"),
            cmd.ConfirmSelect: (self._confirm_select, "K1"),
            cmd.TxSelect: (self._tx_select, "D12"),
            cmd.TxCommit: (self._tx_commit, "D13"),
            cmd.TxRollback: (self._tx_rollback, "D14"),
        }
        return {kind: partial(self._on_channel, do, rule) for kind, (do, rule) in verbs.items()}

    def _on_channel(self, do: Callable[[ManualChannel, Any], None], rule: str, command: Any) -> None:
        """Do a command on the channel that it names; AMQP's errors close the channel."""
        with self._consumers.on_channel(command.channel) as hand:
            try:
                do(hand, command)
            except AmqpError as error:
                self._closing.fail(hand.name, error, rule)

    def _check_access(self, hand: ManualChannel, queue: str) -> None:
        check_access(self._definitions.queues.get(queue), queue, connection_of(hand.name))

    def _get(self, hand: ManualChannel, command: cmd.Get) -> None:
        self._check_access(hand, command.queue)
        if self._patience.puts_off(command.queue, hand.name, partial(self._get, hand, command)):
            return
        self._lifetimes.used(self._queues[command.queue])
        with _called_by(hand.name):
            self._consumers.hand_deliveries.get(hand, command.queue, command.count, command.ack)

    def _purge(self, hand: ManualChannel, command: cmd.Purge) -> None:
        self._check_access(hand, command.queue)
        if self._patience.puts_off(command.queue, hand.name, partial(self._purge, hand, command)):
            return
        with _called_by(hand.name):
            self._queues[command.queue].purge()

    def _ack(self, hand: ManualChannel, command: cmd.Ack) -> None:
        self._consumers.hand_deliveries.ack_held(hand, command.count, command.multiple)

    def _requeue(self, hand: ManualChannel, command: cmd.Requeue) -> None:
        self._consumers.hand_deliveries.nack_held(hand, command.count, True, True)

    def _nack(self, hand: ManualChannel, command: cmd.Nack) -> None:
        self._consumers.hand_deliveries.nack_held(hand, command.count, command.multiple, command.requeue)

    def _reject(self, hand: ManualChannel, command: cmd.Reject) -> None:
        self._consumers.hand_deliveries.nack_held(hand, command.count, False, command.requeue, reject=True)

    def _ack_tag(self, hand: ManualChannel, command: cmd.AckTag) -> None:
        self._consumers.hand_deliveries.ack_tag(hand, command.tag, command.multiple)

    def _nack_tag(self, hand: ManualChannel, command: cmd.NackTag) -> None:
        self._consumers.hand_deliveries.nack_tag(
            hand, command.tag, command.multiple, command.requeue, command.reject
        )

    def _recover(self, hand: ManualChannel, command: cmd.Recover) -> None:
        if not command.requeue:
            raise AmqpError("not_implemented", "requeue=false")
        self._consumers.hand_deliveries.recover(hand)

    def _qos(self, hand: ManualChannel, command: cmd.Qos) -> None:
        # Without `global` it only lifts the channel's limit: a consumer's own prefetch is a word of its command.
        self._consumers.limit_channel(hand.channel, command.prefetch if command.channel_wide else 0)

    def _tx_select(self, hand: ManualChannel, _: cmd.TxSelect) -> None:
        hand.select_tx()

    def _confirm_select(self, hand: ManualChannel, _: cmd.ConfirmSelect) -> None:
        hand.select_confirms()

    def _check_tx(self, hand: ManualChannel) -> None:
        if not hand.in_tx:
            raise AmqpError("precondition_failed", "channel is not transactional")

    def _tx_commit(self, hand: ManualChannel, _: cmd.TxCommit) -> None:
        self._check_tx(hand)
        tx = hand.publisher.tx
        if tx is None:
            return
        tx.at_commit, tx.refused = True, False
        try:
            self._consumers.hand_deliveries.commit(hand, self._connections.commit(hand))
        finally:
            tx.at_commit = False
        if tx.refused:
            raise AmqpError("precondition_failed", "partial tx completion")

    def _tx_rollback(self, hand: ManualChannel, _: cmd.TxRollback) -> None:
        self._check_tx(hand)
        if hand.publisher.tx is not None:
            hand.publisher.tx.roll_back()
        hand.roll_back()
