"""All consumers of a node, and the channels that a person works on by hand (P11, P14)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Final

from engine.amqp.declarations import unknown_tag
from engine.amqp.rules import AmqpRules
from engine.backing_queue.arrivals import Taken
from engine.broker.clients.actors import OPEN, Consumer
from engine.broker.clients.channel import Channel, Delivered, Group, Unacked, by_queue, tags_of
from engine.broker.clients.hand import Hand, Settling
from engine.broker.clients.queue import Queue
from engine.broker.clients.way_out import WayOut
from engine.broker.commands.base import HAND
from engine.report.transitions.amqp import ConsumerCancelled, GotEmpty
from engine.report.transitions.base import Transition
from engine.values.errors import CommandError
from engine.values.ranges import Range

MAX_CHANNELS: Final = 16
"""Channels by hand of one node: a bound of this program."""


Settles = Callable[[Hand, Group, bool], None]
"""Settles one group of a channel's deliveries; told whether the queue gets all at once."""


class Consumers:
    """Who consumes, from which queue, and what is held by hand.

    Args:
        queues: the node's queues by name.
        way_out: the processes of consumers, where work takes time.
        on_gone: called with a queue that lost a consumer (P18).
        rules: of the release.
    """

    def __init__(
        self,
        queues: Mapping[str, Queue],
        way_out: WayOut,
        emit: Callable[[Transition], None],
        on_gone: Callable[[Queue], None],
        rules: AmqpRules,
    ) -> None:
        self.all: dict[str, Consumer] = {}
        self.observer: Callable[[Delivered], None] | None = None
        self.by_hand: dict[str, Hand] = {HAND: Hand()}
        """Channels of the get, ack and requeue commands; the first is always there."""
        self._queues = queues
        self._way_out = way_out
        self._emit = emit
        self._on_gone = on_gone
        self.rules = rules

    def of(self, queue: str) -> list[Consumer]:
        """Return those that consume from a queue on an open connection."""
        return [each for each in self._queues[queue].consumers if each.connection_state == OPEN]

    def channel(self, name: str) -> Hand:
        """Return a channel by hand; it is opened with its first use.

        Raises CommandError when the name is another actor's, or there are too many.
        """
        found = self.by_hand.get(name)
        if found is None:
            if len(self.by_hand) >= MAX_CHANNELS:
                raise CommandError("too_many_channels", most=MAX_CHANNELS)
            found = self.by_hand[name] = Hand(name)
            found.channel.observer = self.observer
        return found

    @contextmanager
    def on_channel(self, name: str) -> Iterator[Hand]:
        """Give a channel by hand to a command; one that was opened for it is gone if the command is refused."""
        fresh = name not in self.by_hand
        hand = self.channel(name)
        try:
            yield hand
        except CommandError:
            if fresh:
                del self.by_hand[name]
            raise

    @property
    def hand(self) -> Hand:
        """The channel of commands that name none."""
        return self.by_hand[HAND]

    def observe(self, observer: Callable[[Delivered], None]) -> None:
        """Notify a listener of each delivery from now on, to whatever channel."""
        self.observer = observer
        for hand in self.by_hand.values():
            hand.channel.observer = observer
        for consumer in self.all.values():
            consumer.own_channel.observer = observer

    def subscribe(self, consumer: Consumer) -> None:
        """Make a consumer known to its queue; it takes its turn last."""
        self.all[consumer.name] = consumer
        consumer.own_channel.observer = self.observer
        self._queues[consumer.queue].add(consumer)

    def unsubscribe(self, consumer: Consumer, serve: bool = False) -> bool:
        """Let its queue forget a consumer, and `serve` those who are left; return whether the queue had it."""
        queue = self._queues.get(consumer.queue)
        if queue is None or consumer not in queue.consumers:
            return False
        queue.remove(consumer, serve=serve)
        return True

    def limit_channel(self, channel: Channel, limit: int) -> None:
        """basic.qos with global: how many messages all consumers of a channel may hold, 0 for any number (P13).

        A basic.qos without global lifts the limit.
        """
        active = channel.limiter.active
        if limit and self.rules.limits_channels:
            channel.limiter.set(limit, len(channel))
        else:
            channel.limiter.lift()
        if channel.limiter.active != active:
            for name in sorted({each.queue for each in self.all.values() if each.channel is channel}):
                queue = self._queues.get(name)
                if queue is not None and any(each.channel is channel for each in queue.consumers):
                    (queue.unlimit if active else queue.limit)(channel)

    def served_anew(self, queue: str, cancels: bool) -> None:
        """Another master serves a queue: its consumers begin there anew by themselves (H67).

        Args:
            cancels: whether those that want so are cancelled only now.
        """
        live = self._queues[queue]
        for consumer in self._by_channel():
            if consumer.queue != queue or not consumer.running or consumer.connection_state != OPEN:
                continue
            if cancels and (consumer.cancel_on_failover or not self.rules.consumes_again):
                self.cancel_down(consumer)
                continue
            consumer.served_anew()
            live.add(consumer)
            live.wake(consumer)

    def _by_channel(self) -> list[Consumer]:
        """Return all consumers channel by channel, those of each in the order of their tags."""
        found: dict[str, list[Consumer]] = {}
        for consumer in self.all.values():
            found.setdefault(consumer.channel.name, []).append(consumer)
        return [each for of_one in found.values() for each in sorted(of_one, key=lambda it: it.name)]

    def lose_queue(self, queue: str) -> None:
        """A queue's process was killed: it serves nobody any more, until the channels consume again (D4)."""
        for consumer in self._queues[queue].consumers:
            self.unsubscribe(consumer)

    def of_down(self, queue: str) -> list[Consumer]:
        """Return those that consume from a queue that has no master now."""
        return [
            each
            for each in self.all.values()
            if each.queue == queue and each.running and each.connection_state == OPEN
        ]

    def cancel_down(self, consumer: Consumer) -> None:
        """A consumer's master is gone: its channel cancels it (H67)."""
        consumer.rule = "H67"
        consumer.running = False
        consumer.finishing = bool(consumer.holding)
        consumer.served_anew()
        self._emit(ConsumerCancelled("H67", consumer.name, consumer.queue, {"cause": "failover"}))

    # --- ends of consumers -------------------------------------------------------------------------------------------

    def cancel(self, consumer: Consumer) -> None:
        """basic.cancel: it gets nothing more, and finishes what it holds (P11)."""
        known = self.unsubscribe(consumer, serve=self.rules.serves_after_cancel)
        consumer.running = False
        consumer.finishing = bool(consumer.holding)
        self._emit(ConsumerCancelled("P11", consumer.name, consumer.queue, {"cause": "cancelled"}))
        if known:
            self._on_gone(self._queues[consumer.queue])

    def close(self, consumer: Consumer) -> None:
        """Close the channel that a consumer is on: what it holds goes back to its queue (P11)."""
        if consumer.channel is consumer.own_channel:
            self._end(consumer, consumer.channel_closed)
        else:
            self.close_by_hand(self.by_hand[consumer.channel.name])

    def remove(self, consumer: Consumer) -> None:
        """Close a consumer's connection: what it holds goes back to its queue (P11)."""
        del self.all[consumer.name]
        if consumer.channel is consumer.own_channel:
            self._end(consumer, consumer.disconnect)
            return
        # Its channel lives on: what it held is given back as by a nack.
        hand = self.by_hand[consumer.channel.name]
        known = self.unsubscribe(consumer)
        self._settle(hand, hand.channel.take_of(consumer.name), self._requeue)
        consumer.disconnect()
        if known:
            self._on_gone(self._queues[consumer.queue])

    def lose(self, consumer: Consumer) -> None:
        """A consumer's connection is lost with its node: what it holds goes back where its queue lives."""
        if consumer.channel is consumer.own_channel:
            self._end(consumer, consumer.disconnect)
        else:
            consumer.disconnect()

    def _end(self, consumer: Consumer, close: Callable[[], None]) -> None:
        """End a channel of one consumer: the queue forgets it first, and then takes back what it held."""
        known = self.unsubscribe(consumer)
        self._way_out.close(consumer)
        held = list(consumer.channel.unacked)
        close()
        self._channel_down(held, [consumer.queue] if known else [])

    def close_by_hand(self, hand: Hand) -> None:
        """Close a channel: its consumers lose it together, and what is held goes back (P11, W228)."""
        left: list[str] = []
        for consumer in self.all.values():
            if consumer.channel is hand.channel and consumer.channel_state == OPEN:
                if self.unsubscribe(consumer):
                    left.append(consumer.queue)
                consumer.channel_closed()
        self.roll_back(hand)
        held = list(hand.channel.unacked)
        served = hand.channel.served
        hand.disconnect()
        hand.uses_later_fields = True
        self._channel_down(held, left, served)

    def _channel_down(self, held: Iterable[Unacked], left: Sequence[str], served: Iterable[str] = ()) -> None:
        """Let each queue take back at once what a closed channel held, and check whether its last consumer is gone.

        A queue that ever served the channel looks at its consumers again, even if it gets nothing back.
        An auto-delete queue that has no consumer any more goes, with what is in it (P18).
        """
        back = _by_name(held)
        for name in sorted({*back, *left, *served}):
            if name in left:
                self._on_gone(self._queues[name])
            if name in self._queues:
                self._queues[name].settlements.requeue(
                    None, self._goes_back(name, back.get(name, ())), True, True
                )

    def _goes_back(self, queue: str, held: Iterable[Unacked]) -> list[Range]:
        """Return what a queue takes back of a channel that is gone: what its process delivered, and no older tags."""
        life = self._queues[queue].life
        return sorted(tags_of(each for each in held if each.life == life), key=_start)

    # --- by hand -----------------------------------------------------------------------------------------------------

    def get(self, hand: Hand, queue: str, count: int, ack: bool) -> None:
        """basic.get `count` times (P10)."""
        self._queues[queue].get(count, ack, partial(self._got, hand, queue, count, ack))

    def _got(self, hand: Hand, queue: str, count: int, ack: bool, taken: list[Taken]) -> None:
        for each in taken:
            hand.delivered += each.extent.count
            hand.redelivered += each.redelivered
            life = self._queues[queue].life
            hand.channel.deliver(queue, None, each.extent, each.redelivered, ack=ack, life=life)
        if sum(each.extent.count for each in taken) < count:
            self._emit(GotEmpty("P10", hand.name, queue))

    def ack_held(self, hand: Hand, count: int, multiple: bool) -> None:
        """Acknowledge the oldest deliveries held: with one acknowledgement, or one each (P14)."""
        self._settle(hand, hand.channel.take(count), self._ack, multiple)

    def ack_tag(self, hand: Hand, tag: int, multiple: bool) -> None:
        """Acknowledge a delivery tag of a channel (P14).

        Raises AmqpError 406 when it is not outstanding.
        """
        self._settle(hand, self._of_tag(hand, tag, multiple), self._ack, multiple)

    def nack_tag(self, hand: Hand, tag: int, multiple: bool, requeue: bool, reject: bool = False) -> None:
        """Reject a delivery tag of a channel, with requeue or for good (P11, P14).

        Raises AmqpError 406 when it is not outstanding.
        """
        self._settle(hand, self._of_tag(hand, tag, multiple), self._unwanted(requeue, reject), multiple)

    def _unwanted(self, requeue: bool, reject: bool) -> Settles:
        """Return what settles messages that a client does not want: delivering failed only to basic.reject (W42)."""
        if requeue:
            return self._requeue_failed if reject else self._requeue
        return self._reject if reject else self._nack

    def _of_tag(self, hand: Hand, tag: int, multiple: bool) -> list[Unacked]:
        taken = hand.channel.take_tag(tag, multiple)
        if taken is None:
            raise unknown_tag(tag)
        hand.uses_later_fields = True
        return taken

    def recover(self, hand: Hand) -> None:
        """basic.recover: everything that the channel holds goes back to its queues (P11)."""
        self._settle(hand, hand.channel.take(len(hand.channel)), self._requeue)

    def requeue_held(self, hand: Hand, count: int) -> None:
        """Reject the oldest deliveries held, with requeue (P11)."""
        self._settle(hand, hand.channel.take(count), self._requeue)

    def nack_held(self, hand: Hand, count: int, multiple: bool, requeue: bool, reject: bool = False) -> None:
        """Reject the oldest deliveries held, one by one or at once, with requeue or for good (P11)."""
        self._settle(hand, hand.channel.take(count), self._unwanted(requeue, reject), multiple)

    # --- settling ----------------------------------------------------------------------------------------------------

    def _settle(
        self,
        hand: Hand,
        taken: Sequence[Unacked],
        do: Settles,
        multiple: bool = True,
    ) -> None:
        """Let the queues settle deliveries that a channel holds no longer: a group after the other (P14).

        Args:
            do: settles one group; called with whether the queue gets all at once or message by message.
            multiple: whether one method of the client settles all.
        """
        if hand.in_tx:
            self._settle_later(hand, taken, do)
            return
        limiter = hand.channel.limiter
        methods = [by_queue(taken)] if multiple else _one_by_one(taken, apart=limiter.active)
        left = deque(group for groups in methods for group in groups)
        for groups in methods:
            with limiter.acked(sum(each.count for each in groups if each.consumer is not None)):
                for group in groups:
                    if self._is_heard(hand, left):
                        do(hand, group, multiple and group.together)
                    left.popleft()

    def _is_heard(self, hand: Hand, left: Sequence[Group]) -> bool:
        """Return whether a queue takes a channel's word for the first of the groups that it settles (P14).

        Args:
            left: that group, and those which come after it.
        """
        queue, first = self._queues.get(left[0].queue), left[0]
        if queue is None:
            return False
        waiting = chain((each.deliveries for each in left), (each.taken for each in hand.settling))
        if not queue.knows(hand.channel, chain.from_iterable(waiting)):
            return False
        old = [each for each in first.deliveries if each.life != queue.life]
        if old:
            hand.channel.overtaken(first.queue, queue.life, tags_of(old))
        return True

    def _settle_later(self, hand: Hand, taken: Sequence[Unacked], do: Settles) -> None:
        """Keep what a channel in tx mode acknowledges or rejects; the same one after the other is one (D12)."""
        if hand.settling and hand.settling[-1].settle == do:
            hand.settling[-1].taken.extend(taken)
        else:
            hand.settling.append(Settling(do, list(taken)))

    def commit(self, hand: Hand) -> None:
        """Settle what waited for the commit, in its order (D13)."""
        waiting, hand.settling = hand.settling, []
        hand.in_tx = False
        for each in waiting:
            self._settle(hand, sorted(each.taken, key=_tag), each.settle)
        hand.in_tx = True

    def roll_back(self, hand: Hand) -> None:
        """Hold again what was to be settled (D14)."""
        waiting, hand.settling = hand.settling, []
        for each in waiting:
            for unacked in each.taken:
                hand.channel.unacked.insert(unacked)

    def _holder(self, group: Group) -> Consumer | None:
        """Return whose credit a group took: nobody's, if its tag is another queue's consumer by now."""
        found = None if group.consumer is None else self.all.get(group.consumer)
        return found if found is not None and found.queue == group.queue else None

    def _ack(self, hand: Hand, group: Group, together: bool) -> None:
        holder = self._holder(group)
        hand.acked += group.count
        if holder is not None:
            holder.acked += group.count
        self._queues[group.queue].settlements.send_ack(holder, tags_of(group.deliveries), together)

    def _requeue(self, _: Hand, group: Group, together: bool, failed: bool = False) -> None:
        self._queues[group.queue].settlements.requeue(
            self._holder(group), tags_of(group.deliveries), together, failed=failed
        )

    def _requeue_failed(self, hand: Hand, group: Group, together: bool) -> None:
        self._requeue(hand, group, together, failed=True)

    def _nack(self, _: Hand, group: Group, together: bool, failed: bool = False) -> None:
        self._queues[group.queue].settlements.reject(
            self._holder(group), tags_of(group.deliveries), together, failed=failed
        )

    def _reject(self, hand: Hand, group: Group, together: bool) -> None:
        self._nack(hand, group, together, failed=True)

    # --- ends --------------------------------------------------------------------------------------------------------

    def forget_queue(self, queue: str, rule: str, cause: str) -> None:
        """A queue is gone: its consumers are cancelled, and what was delivered from it can be acked no more."""
        self.cancel_all(queue, rule, cause)
        for hand in self.by_hand.values():
            hand.channel.forget_queue(queue)

    def cancel_all(self, queue: str, rule: str, cause: str) -> None:
        """A queue's process is gone, and its consumers are cancelled; what channels hold of it are old tags (H68)."""
        for consumer in self.all.values():
            if consumer.queue == queue:
                if self.unsubscribe(consumer) and consumer.connection_state == OPEN:
                    self._emit(ConsumerCancelled(rule, consumer.name, queue, {"cause": cause}))
                consumer.rule = rule
                consumer.running = False
                consumer.forget_held()

    def connections_closed(self) -> None:
        """The node stops in order and closes all connections first: what channels hold goes back (D2, P11).

        It is in its queue then, within the queue's limits; the queues stop after that.
        """
        channels = [each.own_channel for each in self.all.values()]
        for consumer in self.all.values():
            self.unsubscribe(consumer)
        for hand in self.by_hand.values():
            self.roll_back(hand)
            channels.append(hand.channel)
        for channel in channels:
            for name, held in sorted(_by_name(channel.unacked).items()):
                if name in self._queues:
                    self._queues[name].settlements.put_back(self._goes_back(name, held))

    def disconnect_all(self) -> None:
        """Every connection is lost; the node stopped, and its queues have none of their consumers any more."""
        for consumer in self.all.values():
            self.unsubscribe(consumer)
            consumer.disconnect()
        for hand in self.by_hand.values():
            hand.disconnect()


def _by_name(held: Iterable[Unacked]) -> dict[str, list[Unacked]]:
    """Sort deliveries by the queue that they came from."""
    found: dict[str, list[Unacked]] = {}
    for each in held:
        found.setdefault(each.queue, []).append(each)
    return found


def _one_by_one(taken: Sequence[Unacked], apart: bool) -> list[list[Group]]:
    """Group deliveries that a client settles with a method each: neighbours of one queue and consumer, unless apart."""
    if apart:
        single = [each.part(i, 1) for each in taken for i in range(each.count)]
        return [[Group(each.queue, each.consumer, [each])] for each in single]
    groups: list[Group] = []
    for each in taken:
        if groups and (groups[-1].queue, groups[-1].consumer) == (each.queue, each.consumer):
            groups[-1].deliveries.append(each)
        else:
            groups.append(Group(each.queue, each.consumer, [each]))
    return [[each] for each in groups]


def _tag(unacked: Unacked) -> int:
    return unacked.start


def _start(messages: Range) -> int:
    return messages.start
