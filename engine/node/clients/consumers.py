"""All consumers of a node, and the person's own channel (P11, P14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from engine.amqp.declarations import unknown_tag
from engine.node.clients.actors import OPEN, Consumer, Hand
from engine.node.clients.channel import Unacked, by_queue
from engine.node.clients.queue import Queue
from engine.node.clients.way_out import WayOut
from engine.ranges import Range
from engine.transitions import ConsumerCancelled, Transition
from engine.variable_queue.arrivals import Taken


class Consumers:
    """Who consumes, from which queue, and what is held by hand.

    Args:
        queues: the node's queues by name.
        hand: the channel of the get, ack and requeue commands.
        way_out: the processes of consumers, where work takes time.
        on_gone: told of a queue that lost a consumer (P18).
    """

    def __init__(
        self,
        queues: Mapping[str, Queue],
        hand: Hand,
        way_out: WayOut,
        emit: Callable[[Transition], None],
        on_gone: Callable[[str], None],
    ) -> None:
        self.all: dict[str, Consumer] = {}
        self.hand = hand
        self._queues = queues
        self._way_out = way_out
        self._emit = emit
        self._on_gone = on_gone

    def of(self, queue: str) -> list[Consumer]:
        """Return those that consume from a queue on an open connection."""
        return [each for each in self._queues[queue].consumers if each.connection_state == OPEN]

    def subscribe(self, consumer: Consumer) -> None:
        """Make a consumer known to its queue; it takes its turn last."""
        self.all[consumer.name] = consumer
        self._queues[consumer.queue].add(consumer)

    def unsubscribe(self, consumer: Consumer) -> bool:
        """Let its queue forget a consumer; return whether the queue knew it."""
        queue = self._queues.get(consumer.queue)
        if queue is None or consumer not in queue.consumers:
            return False
        queue.remove(consumer)
        return True

    # --- ends of consumers -------------------------------------------------------------------------------------------

    def cancel(self, consumer: Consumer) -> None:
        """basic.cancel: it gets nothing more, and finishes what it holds (P11)."""
        known = self.unsubscribe(consumer)
        consumer.running = False
        consumer.finishing = bool(consumer.holding)
        self._emit(ConsumerCancelled("P11", consumer.name, consumer.queue, {"cause": "cancelled"}))
        if known:
            self._on_gone(consumer.queue)

    def close(self, consumer: Consumer) -> None:
        """Close a consumer's channel: what it holds goes back to its queue (P11)."""
        known = self.unsubscribe(consumer)
        self._way_out.close(consumer)
        held = list(consumer.channel.unacked) + self.hand.channel.take_of(consumer.name)
        consumer.channel_closed()
        self._requeue(held)
        if known:
            self._on_gone(consumer.queue)

    def remove(self, consumer: Consumer) -> None:
        """Close a consumer's connection: what it holds goes back to its queue (P11)."""
        del self.all[consumer.name]
        known = self.unsubscribe(consumer)
        self._way_out.close(consumer)
        held = list(consumer.channel.unacked) + self.hand.channel.take_of(consumer.name)
        consumer.disconnect()
        queue = self._queues.get(consumer.queue)
        if queue is not None:
            queue.requeue([each.messages for each in held])
        if known:
            self._on_gone(consumer.queue)

    def close_hand(self) -> None:
        """Close the hand's channel: manual consumers lose it too, and everything held goes back (P11)."""
        left: list[str] = []
        for consumer in self.all.values():
            if consumer.ack == "manual":
                if self.unsubscribe(consumer):
                    left.append(consumer.queue)
                consumer.channel_closed()
        held = list(self.hand.channel.unacked)
        self.hand.disconnect()
        self.hand.says_more = True
        self._requeue(held)
        for queue in left:
            self._on_gone(queue)

    def _requeue(self, held: Iterable[Unacked]) -> None:
        for name, group in by_queue(held):
            if name in self._queues:
                self._queues[name].requeue([each.messages for each in group])

    # --- by hand -----------------------------------------------------------------------------------------------------

    def get(self, queue: str, count: int, ack: bool) -> None:
        """basic.get `count` times (P10)."""
        self._queues[queue].get(count, ack, partial(self._got, queue, ack))

    def _got(self, queue: str, ack: bool, taken: list[Taken]) -> None:
        for each in taken:
            self.hand.delivered += each.extent.count
            self.hand.redelivered += each.redelivered
            if ack:
                self.hand.channel.deliver(queue, None, Range(each.extent.start, each.extent.count))
            else:
                self.hand.channel.send(each.extent.count)

    def ack_held(self, count: int, multiple: bool) -> None:
        """Acknowledge the oldest deliveries held by hand (P14)."""
        self._ack(self.hand.channel.take(count), multiple)

    def ack_tag(self, tag: int, multiple: bool) -> None:
        """Acknowledge a delivery tag of the hand's channel (P14).

        Raises AmqpError 406 when it is not outstanding.
        """
        taken = self.hand.channel.take_tag(tag, multiple)
        if taken is None:
            raise unknown_tag(tag)
        self.hand.says_more = True
        self._ack(taken, multiple)

    def _ack(self, taken: list[Unacked], multiple: bool) -> None:
        for queue, group in by_queue(self._give_up(taken, acked=True)):
            self.hand.acked += sum(each.count for each in group)
            self._queues[queue].send_ack([each.messages for each in group], multiple)

    def requeue_held(self, count: int) -> None:
        """Reject the oldest deliveries held by hand, with requeue (P11)."""
        self._requeue(self._give_up(self.hand.channel.take(count), acked=False))

    def nack_held(self, count: int, multiple: bool, requeue: bool) -> None:
        """Reject the oldest deliveries held by hand, one by one or at once, with requeue or for good (P11)."""
        for queue, group in by_queue(self._give_up(self.hand.channel.take(count), acked=False)):
            tags = [each.messages for each in group]
            if not requeue:
                self._queues[queue].reject(tags, multiple)
            else:
                self._queues[queue].requeue(tags, multiple)

    def _give_up(self, taken: list[Unacked], acked: bool) -> list[Unacked]:
        """Let manual consumers have room again for what is held no longer."""
        for each in taken:
            if each.consumer is not None and each.consumer in self.all:
                consumer = self.all[each.consumer]
                consumer.holding -= each.count
                if acked:
                    consumer.acked += each.count
        return taken

    # --- ends --------------------------------------------------------------------------------------------------------

    def forget_queue(self, queue: str, rule: str, cause: str) -> None:
        """A queue is gone: its consumers are cancelled, and what was delivered from it can be acked no more."""
        for consumer in self.all.values():
            if consumer.queue == queue:
                if self.unsubscribe(consumer) and consumer.connection_state == OPEN:
                    self._emit(ConsumerCancelled(rule, consumer.name, queue, {"cause": cause}))
                consumer.rule = rule
                consumer.running = False
                consumer.forget_held()
        self.hand.channel.forget_queue(queue)

    def disconnect_all(self) -> None:
        """Every connection is lost; the node stopped."""
        for consumer in self.all.values():
            consumer.disconnect()
        self.hand.disconnect()
