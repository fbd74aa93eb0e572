"""All consumers of a node, and the person's own channel (P11, P14)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from engine.node.actors import Consumer, Hand
from engine.node.channel import Unacked, by_queue
from engine.node.deliveries import Deliveries
from engine.node.way_out import WayOut
from engine.ranges import Range
from engine.variable_queue.arrivals import Taken


class Consumers:
    """Who consumes, from which queue, and what is held by hand.

    Args:
        queues: the node's queues by name.
        hand: the channel of the get, ack and requeue commands.
        way_out: the processes of consumers, where work takes time.
    """

    def __init__(self, queues: Mapping[str, Deliveries], hand: Hand, way_out: WayOut) -> None:
        self.all: dict[str, Consumer] = {}
        self.hand = hand
        self._queues = queues
        self._way_out = way_out

    def subscribe(self, consumer: Consumer) -> None:
        """Make a consumer known to its queue; it takes its turn last."""
        self.all[consumer.name] = consumer
        self._queues[consumer.queue].add(consumer)

    def unsubscribe(self, consumer: Consumer) -> None:
        """Let its queue forget a consumer, if the queue is there and knows it."""
        queue = self._queues.get(consumer.queue)
        if queue is not None and consumer in queue.consumers:
            queue.remove(consumer)

    def remove(self, consumer: Consumer) -> None:
        """Close a consumer's connection: what it holds goes back to its queue (P11)."""
        del self.all[consumer.name]
        self.unsubscribe(consumer)
        self._way_out.close(consumer)
        held = list(consumer.channel.unacked) + self.hand.channel.take_of(consumer.name)
        consumer.disconnect()
        queue = self._queues.get(consumer.queue)
        if queue is not None:
            queue.requeue([each.messages for each in held])

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
        for queue, group in by_queue(self._give_up(self.hand.channel.take(count))):
            self.hand.acked += sum(each.count for each in group)
            self._queues[queue].send_ack([each.messages for each in group], multiple)

    def requeue_held(self, count: int) -> None:
        """Reject the oldest deliveries held by hand, with requeue (P11)."""
        for queue, group in by_queue(self._give_up(self.hand.channel.take(count))):
            self._queues[queue].requeue([each.messages for each in group])

    def _give_up(self, taken: list[Unacked]) -> list[Unacked]:
        """Let manual consumers have room again for what is held no longer."""
        for each in taken:
            if each.consumer is not None:
                consumer = self.all[each.consumer]
                consumer.holding -= each.count
                consumer.acked += each.count
        return taken

    # --- ends --------------------------------------------------------------------------------------------------------

    def forget_queue(self, queue: str) -> None:
        """A queue is gone: its consumers are cancelled, and what was delivered from it can be acked no more."""
        for consumer in self.all.values():
            if consumer.queue == queue:
                consumer.cancelled()
                consumer.channel.forget_queue(queue)
        self.hand.channel.forget_queue(queue)

    def disconnect_all(self) -> None:
        """Every connection is lost; the node stopped."""
        for consumer in self.all.values():
            consumer.disconnect()
        self.hand.disconnect()
