"""Consumers at work: each finishes what it holds at its rate, one message after the other (P11, P13)."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from engine.broker.clients.actors import Consumer
from engine.broker.clients.channel import tags_of
from engine.broker.clients.delivery_path import WayOut
from engine.broker.clients.queue import ClientQueue
from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.ring import ConsumerRing
from engine.broker.time.scheduler import TimerScheduler
from engine.values.ranges import Range


class ServedQueue(ClientQueue, Protocol):
    """A queue whose consumers work."""

    @property
    def process(self) -> QueueProcess:
        """Its process."""
        ...

    @property
    def ring(self) -> ConsumerRing:
        """Those that consume from it."""
        ...


class FinishedMessages:
    """Lets the consumers of one queue finish messages.

    A consumer that always has something in its hands keeps its rate exactly: what it gets while it hands in its last
    message is what it works on next. Only one that had nothing to do starts again.

    Args:
        queue: whose messages they are.
        way_out: how acknowledgements travel where work takes time.
    """

    def __init__(self, queue: ServedQueue, way_out: WayOut, scheduler: TimerScheduler) -> None:
        self._queue = queue
        self._way_out = way_out
        self._scheduler = scheduler

    def let_work(self, consumer: Consumer) -> None:
        """Let a consumer work on what it was given, if it is not at work already."""
        if consumer.works and consumer.holding and consumer.timer is None:
            consumer.pace.begin(self._scheduler.now_us + self._way_out.trip_us)
            self._set_timer(consumer)

    def changed(self, consumer: Consumer) -> None:
        """Let a consumer go on at another rate."""
        timer = consumer.timer
        if timer is not None and timer.live and timer.at_us != self._next_us(consumer):
            timer.cancel()
            self._set_timer(consumer)
        self.let_work(consumer)

    def _next_us(self, consumer: Consumer) -> int:
        """Return when it hands in messages next.

        Where that takes time, it does so when half of what it may hold is done: it works on the other half until more
        comes. No more than it may hold is under way at once.
        """
        now_us = self._scheduler.now_us
        tick_us = consumer.pace.next_us(now_us, consumer.holding)
        trip_us = self._way_out.trip_us
        most = consumer.most if trip_us else 0
        if not most:
            return tick_us
        return min(tick_us, max(consumer.pace.done_us(-(-most // 2), now_us), now_us + trip_us))

    def _set_timer(self, consumer: Consumer) -> None:
        consumer.timer = self._scheduler.at(self._next_us(consumer), partial(self._work, consumer))

    def _work(self, consumer: Consumer) -> None:
        """Finish what is due: acknowledge it or, without acknowledgements, free the way to the consumer."""
        process = self._queue.process
        if process.held is not None:
            consumer.timer = None
            process.held.append(partial(self.let_work, consumer))
            return
        due = consumer.pace.due(self._scheduler.now_us)
        sharing = sum([each.works for each in self._queue.ring.members])
        spacing_us = consumer.pace.spacing_us(due, sharing)
        process.mail.together(partial(self._finish, consumer, due, spacing_us))
        consumer.timer = None
        if consumer.holding:
            self._set_timer(consumer)

    def _finish(self, consumer: Consumer, due: int, spacing_us: int) -> None:
        """Let a consumer's acknowledgements, or the room that it has again, travel to the queue process.

        Where they take no time, it may get messages for them now, and finish those as well.
        """
        while due > 0 and consumer.holding:
            count = due if due < consumer.holding else consumer.holding
            due -= count
            consumer.pace.did(count)
            consumer.holding -= count
            if consumer.needs_ack:
                taken = consumer.channel.take(count)
                tags = tags_of(taken)
                if tags and self._queue.knows(consumer.channel, taken):
                    self._hand_in(consumer, count, tags, spacing_us)
                elif consumer.nack is None:
                    consumer.acked += count
            else:
                self._way_out.taken(self._queue, consumer, spacing_us)

    def _hand_in(self, consumer: Consumer, count: int, tags: list[Range], spacing_us: int) -> None:
        """Acknowledge messages, or let the queue have them back or end them where the consumer does not want them."""
        multiple = consumer.ack == "multiple"
        if consumer.nack is None:
            consumer.acked += count
            self._way_out.acked(self._queue, consumer, tags, multiple, spacing_us)
            return
        consumer.nacked += count
        consumer.acking += count
        settlements = self._queue.settlements
        settle = settlements.requeue if consumer.nack == "requeue" else settlements.reject
        consumer.channel.limiter.acked(count, partial(settle, consumer, tags, multiple, False))
