"""All consumers of a node, and its manual channels (P11, P14)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import Final

import msgspec

from engine.amqp.rules import AmqpRules
from engine.broker.clients.actors import OPEN, Consumer
from engine.broker.clients.channel import AckTimeout, Channel, DeliveredMessages, UnackedDelivery, tags_of
from engine.broker.clients.manual_channels import ManualChannel, ManualDeliveries
from engine.broker.clients.queue import ClientQueue
from engine.broker.commands.base import HAND
from engine.broker.commands.settings import NodeSettings
from engine.broker.time.process import ACK, PUBLISH, WorkProcess
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import BURST_SPACING_US
from engine.report.transitions.base import Transition
from engine.report.transitions.node import ConsumerCancelled
from engine.values.errors import CommandError
from engine.values.extents import Extent
from engine.values.stretches import Range

REPORTS_OF_LIMIT: Final = 4
"""A writer reports after each quarter of what may be unsent: 50 of 200 (F8)."""


class WayOut:
    """The writers and channels of one node's consumers."""

    def __init__(self, processes: NodeProcesses, settings: Callable[[], NodeSettings]) -> None:
        self._processes = processes
        self._settings = settings

    @property
    def trip_us(self) -> int:
        """Time that a delivery to an idle client and its answer take, without the processes' work; none without it."""
        own, profile = self._settings().client_trip_us, self._processes.meter.profile
        return profile.trip_us if own is None or profile.instant else own

    # --- deliveries --------------------------------------------------------------------------------------------------
    def serve(self, consumer: Consumer) -> None:
        """Start to serve a consumer, with nothing on the way to it or from it."""
        consumer.counts_unsent = self._processes.timed

    def sent(self, queue: ClientQueue, consumer: Consumer, count: int, extent: Extent) -> None:
        """Let a consumer's writer bring `count` deliveries of an extent to its socket, and report to the queue (F8)."""
        if not consumer.counts_unsent:
            return
        cpu = self._processes.meter.profile.cpu
        each_ns = cpu.channel_deliver.each_ns + cpu.writer_deliver.of(1, extent.mean_bytes)
        consumer.unsent += count
        write = partial(self._write, queue, queue.mailbox, consumer, each_ns)
        self._processes.of("writer", consumer.name).post(PUBLISH, count, write, each_ns)

    def _write(
        self, queue: ClientQueue, mailbox: WorkProcess, consumer: Consumer, each_ns: int, count: int
    ) -> None:
        """Write deliveries to the socket; the queue is notified of every fiftieth (F8)."""
        self._processes.meter.add(count * each_ns)
        consumer.written += count
        step = max(1, consumer.unsent_limit // REPORTS_OF_LIMIT)
        reported = consumer.written // step * step
        consumer.written -= reported
        if reported:
            writer = self._processes.of("writer", consumer.name)
            writer.send(partial(self._report, queue, mailbox, consumer, reported))

    def _report(self, queue: ClientQueue, mailbox: WorkProcess, consumer: Consumer, count: int) -> None:
        mailbox.post(queue.consumer_priority, 1, partial(self._reported, queue, consumer, count))

    def _reported(self, queue: ClientQueue, consumer: Consumer, count: int, _: int) -> None:
        """Let the queue continue with a consumer whose messages were written (P12)."""
        full = consumer.credit <= 0
        consumer.unsent = max(0, consumer.unsent - count)
        if full:
            queue.go_on(consumer.channel, BURST_SPACING_US)

    def taken(self, queue: ClientQueue, consumer: Consumer, spacing_us: int) -> None:
        """Notify the queue that a consumer without acknowledgements has room again (P12). `spacing_us`: how
        far apart the consumer takes messages.
        """
        spacing_us = self._processes.spacing_us(BURST_SPACING_US, spacing_us)
        queue.mailbox.post(queue.consumer_priority, 1, partial(_go_on, queue, consumer, spacing_us))

    # --- acknowledgements --------------------------------------------------------------------------------------------
    def acked(
        self, queue: ClientQueue, consumer: Consumer, tags: list[Range], multiple: bool, spacing_us: int
    ) -> None:
        """Send acknowledgements through the consumer's channel to the queue, where they overtake publishes (P6).
        `tags`: what they acknowledge, the oldest first. `spacing_us`: how far apart the consumer acknowledges.
        """
        if self._processes.timed:
            spacing_us = BURST_SPACING_US
        cpu = self._processes.meter.profile.cpu
        each_ns = cpu.reader_ack_each.each_ns + cpu.channel_ack_each.each_ns
        count = sum([each.count for each in tags])
        acks = _Acks(queue, queue.mailbox, consumer, tags, multiple, spacing_us, count)
        consumer.acking += acks.count
        messages = 1 if multiple else acks.count
        channel = self._processes.of("channel", consumer.name)
        channel.post(PUBLISH, messages, partial(self._forward, channel, acks, each_ns), each_ns)

    def _forward(self, channel: WorkProcess, acks: _Acks, each_ns: int, count: int) -> None:
        self._processes.meter.add(count * each_ns)
        cpu = self._processes.meter.profile.cpu
        queue_ns = cpu.bq_ack_ram.each_ns + cpu.queue_deliver_and_ack.each_ns
        post = partial(acks.mailbox.post, ACK, count, acks.take, queue_ns)
        acked = acks.count if acks.multiple else count
        acks.consumer.channel.limiter.acked(acked, partial(channel.send, post))

    def close(self, consumer: Consumer) -> None:
        """End a consumer's connection: acknowledgements that it sent still arrive."""
        channel = self._processes.get(f"channel:{consumer.name}")
        if channel is not None:
            channel.work_off()
        for kind in ("writer", "channel"):
            self._processes.end(f"{kind}:{consumer.name}")


class _Acks(msgspec.Struct, eq=False):
    """Acknowledgements on their way to one queue process. `mailbox`: where they go; a process that ended
    takes nothing more. `tags`: what they acknowledge, the oldest first. `spacing_us`: distance of the
    messages that go out in return. `count`: messages that the queue has not handled yet.
    """

    queue: ClientQueue
    mailbox: WorkProcess
    consumer: Consumer
    tags: Sequence[Range]
    multiple: bool
    spacing_us: int
    count: int

    def take(self, messages: int) -> None:
        """Let the queue handle the next acknowledgements."""
        count = self.count if self.multiple else messages
        taken = self.tags if count == self.count else self._first(count)
        self.count -= count
        self.queue.settlements.ack(self.consumer, taken, self.multiple, self.spacing_us)

    def _first(self, count: int) -> list[Range]:
        """Take the next `count` acknowledgements, when more follow."""
        tags, taken = deque(self.tags), []
        while count > 0:
            first = tags.popleft()
            if first.count > count:
                tags.appendleft(first.part(count, first.count - count))
                first = first.part(0, count)
            taken.append(first)
            count -= first.count
        self.tags = tuple(tags)
        return taken


def _go_on(queue: ClientQueue, consumer: Consumer, spacing_us: int, _: int) -> None:
    queue.go_on(consumer.channel, spacing_us)


MAX_CHANNELS: Final = 16
"""Channels by hand of one node: a bound of this program."""


class Consumers:
    """All consumers, their queues, and the messages held on manual channels. `queues`: the node's queues by name.
    `way_out`: the consumers' processes, if work takes time. `on_gone`: called with a queue that lost a consumer (P18).
    """

    def __init__(
        self,
        queues: Mapping[str, ClientQueue],
        way_out: WayOut,
        emit: Callable[[Transition], None],
        on_gone: Callable[[ClientQueue], None],
        rules: AmqpRules,
    ) -> None:
        self.all: dict[str, Consumer] = {}
        self.observer: Callable[[DeliveredMessages], None] | None = None
        self.by_hand: dict[str, ManualChannel] = {HAND: ManualChannel()}
        """Channels of the get, ack and requeue commands; the first is always there."""
        self.hand_deliveries = ManualDeliveries(queues, self.all, emit)
        self._queues = queues
        self._way_out = way_out
        self._emit = emit
        self._on_gone = on_gone
        self.rules = rules
        self._time_out: Callable[[Channel], AckTimeout] | None = None

    def time_out(self, timeout: Callable[[Channel], AckTimeout]) -> None:
        """Close channels whose acknowledgements are late (P21)."""
        self._time_out = timeout
        self.hand.channel.timeout = timeout(self.hand.channel)

    def _opened(self, channel: Channel) -> None:
        channel.observer = self.observer
        if self._time_out is not None:
            channel.timeout = self._time_out(channel)

    def of(self, queue: str) -> list[Consumer]:
        return [each for each in self._queues[queue].consumers if each.connection_state == OPEN]

    def channel(self, name: str) -> ManualChannel:
        """Return a manual channel, opening it at first use. Raises CommandError when the name is another
        actor's, or there are too many channels.
        """
        found = self.by_hand.get(name)
        if found is None:
            if len(self.by_hand) >= MAX_CHANNELS:
                raise CommandError("too_many_channels", most=MAX_CHANNELS)
            found = self.by_hand[name] = ManualChannel(name)
            self._opened(found.channel)
        return found

    @contextmanager
    def on_channel(self, name: str) -> Iterator[ManualChannel]:
        """Give a command its manual channel; if the command is refused, close a channel opened for it."""
        fresh = name not in self.by_hand
        hand = self.channel(name)
        try:
            yield hand
        except CommandError:
            if fresh:
                del self.by_hand[name]
            raise

    @property
    def hand(self) -> ManualChannel:
        return self.by_hand[HAND]

    def observe(self, observer: Callable[[DeliveredMessages], None]) -> None:
        """Notify a listener of each delivery from now on, to whatever channel."""
        self.observer = observer
        for hand in self.by_hand.values():
            hand.channel.observer = observer
        for consumer in self.all.values():
            consumer.own_channel.observer = observer

    def subscribe(self, consumer: Consumer) -> None:
        """Add a consumer to its queue; it takes its turn last."""
        self.all[consumer.name] = consumer
        if consumer.own_channel.timeout is None:
            self._opened(consumer.own_channel)
        self._queues[consumer.queue].add(consumer)

    def unsubscribe(self, consumer: Consumer, serve: bool = False) -> bool:
        """Remove a consumer from its queue, and `serve` the others; return whether the queue had it."""
        queue = self._queues.get(consumer.queue)
        if queue is None or consumer not in queue.consumers:
            return False
        queue.remove(consumer, serve=serve)
        return True

    def limit_channel(self, channel: Channel, limit: int) -> None:
        """Limit how many messages all consumers of a channel may hold, 0 for any number (basic.qos with
        global, P13). A basic.qos without global lifts the limit.
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
        """Start a queue's consumers again at its new master (H67). `cancels`: whether to cancel consumers
        with x-cancel-on-ha-failover now.
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
        found: dict[str, list[Consumer]] = {}
        for consumer in self.all.values():
            found.setdefault(consumer.channel.name, []).append(consumer)
        return [each for of_one in found.values() for each in sorted(of_one, key=lambda it: it.name)]

    def lose_queue(self, queue: str) -> None:
        """Stop serving the consumers of a killed queue process until their channels consume again (D4)."""
        for consumer in self._queues[queue].consumers:
            self.unsubscribe(consumer)

    def of_down(self, queue: str) -> list[Consumer]:
        return [
            each
            for each in self.all.values()
            if each.queue == queue and each.running and each.connection_state == OPEN
        ]

    def cancel_down(self, consumer: Consumer) -> None:
        """Cancel a consumer whose master is gone (H67)."""
        consumer.rule = "H67"
        consumer.running = False
        consumer.finishing = bool(consumer.holding)
        consumer.served_anew()
        self._emit(ConsumerCancelled("H67", consumer.name, consumer.queue, {"cause": "failover"}))

    # --- ends of consumers -------------------------------------------------------------------------------------------
    def cancel(self, consumer: Consumer) -> None:
        """Cancel a consumer (basic.cancel): it gets nothing more, and finishes what it holds (P11)."""
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
        elif (hand := self._hand_of(consumer)) is not None:
            self.close_by_hand(hand)

    def remove(self, consumer: Consumer) -> None:
        """Close a consumer's connection: what it holds goes back to its queue (P11)."""
        del self.all[consumer.name]
        if consumer.channel is consumer.own_channel:
            self._end(consumer, consumer.disconnect)
            return
        # Its channel lives on: what it held is given back as by a nack.
        known, hand = self.unsubscribe(consumer), self._hand_of(consumer)
        if hand is not None:
            self.hand_deliveries.give_back(hand, consumer)
        consumer.disconnect()
        if known:
            self._on_gone(self._queues[consumer.queue])

    def _hand_of(self, consumer: Consumer) -> ManualChannel | None:
        hand = self.by_hand.get(consumer.channel.name)
        return hand if hand is not None and hand.channel is consumer.channel else None

    def lose(self, consumer: Consumer) -> None:
        """Lose a consumer's connection with its node; what it holds goes back to queues that still run."""
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

    def close_by_hand(self, hand: ManualChannel) -> None:
        """Close a channel: its consumers lose it together, and what is held goes back (P11, W228)."""
        left: list[str] = []
        for consumer in self.all.values():
            if consumer.channel is hand.channel and consumer.channel_state == OPEN:
                if self.unsubscribe(consumer):
                    left.append(consumer.queue)
                consumer.channel_closed()
        hand.roll_back()
        held = list(hand.channel.unacked)
        served = hand.channel.served
        hand.disconnect()
        hand.uses_later_fields = True
        self._channel_down(held, left, served)

    def _channel_down(
        self, held: Iterable[UnackedDelivery], left: Sequence[str], served: Iterable[str] = ()
    ) -> None:
        """Let each queue take back at once what a closed channel held, and check whether its last consumer is
        gone. Every queue that served the channel checks its consumers, even if it gets nothing back. An
        auto-delete queue without consumers is deleted with its messages (P18).
        """
        back = _by_name(held)
        for name in sorted({*back, *left, *served}):
            if name in left:
                self._on_gone(self._queues[name])
            if name in self._queues:
                self._queues[name].settlements.requeue(
                    None, self._goes_back(name, back.get(name, ())), True, True
                )

    def _goes_back(self, queue: str, held: Iterable[UnackedDelivery]) -> list[Range]:
        """Return what a queue takes back from a closed channel: its process's deliveries, no older tags."""
        life = self._queues[queue].life
        return sorted(tags_of(each for each in held if each.life == life), key=attrgetter("start"))

    # --- ends --------------------------------------------------------------------------------------------------------
    def forget_queue(self, queue: str, rule: str, cause: str) -> None:
        """Cancel the consumers of a queue that is gone; only a namesake hears of its deliveries, if any (P14)."""
        self.cancel_all(queue, rule, cause)
        if not self.rules.settles_by_name:
            for hand in self.by_hand.values():
                hand.channel.forget_queue(queue)

    def cancel_all(self, queue: str, rule: str, cause: str) -> None:
        """Cancel the consumers of a queue process that is gone; channels keep its deliveries as old tags (H68)."""
        for consumer in self.all.values():
            if consumer.queue == queue:
                if self.unsubscribe(consumer) and consumer.connection_state == OPEN:
                    self._emit(ConsumerCancelled(rule, consumer.name, queue, {"cause": cause}))
                consumer.rule = rule
                consumer.running = False
                consumer.forget_held()

    def connections_closed(self) -> None:
        """Requeue what channels hold, since a node that stops in order closes all connections first (D2,
        P11). The queues' limits apply; the queues stop afterwards.
        """
        channels = [each.own_channel for each in self.all.values()]
        for consumer in self.all.values():
            self.unsubscribe(consumer)
        for hand in self.by_hand.values():
            hand.roll_back()
            channels.append(hand.channel)
        for channel in channels:
            for name, held in sorted(_by_name(channel.unacked).items()):
                if name in self._queues:
                    self._queues[name].settlements.put_back(self._goes_back(name, held))

    def disconnect_all(self) -> None:
        """Lose every connection, because the node stopped; its queues lose all consumers."""
        for consumer in self.all.values():
            self.unsubscribe(consumer)
            consumer.disconnect()
        for hand in self.by_hand.values():
            hand.disconnect()


def _by_name(held: Iterable[UnackedDelivery]) -> dict[str, list[UnackedDelivery]]:
    found: dict[str, list[UnackedDelivery]] = {}
    for each in held:
        found.setdefault(each.queue, []).append(each)
    return found
