"""Deliveries of one queue process to consumers, and settlements back (P7-P13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from engine.amqp.policies import expiry_ms
from engine.backing_queue.protocol import Arrival, DatedArrival, TakenMessages
from engine.broker.clients.actors import Consumer
from engine.broker.clients.channel import Channel, UnackedDelivery, tags_of, until_unknown
from engine.broker.clients.consumers import WayOut
from engine.broker.clients.queue import GetAnswers
from engine.broker.queues.evictions import Bury, LimitEvictions, counted
from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.ring import ConsumerRing
from engine.broker.time.process import ACK, PUBLISH, WorkProcess
from engine.broker.time.scheduler import BURST_SPACING_US, MILLISECOND_US, TimerScheduler
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.node import Rejected
from engine.report.transitions.queue import Discarded, Dropped
from engine.values.errors import ProcessCrash
from engine.values.extents import Extent
from engine.values.sizes import equal
from engine.values.stretches import Range


class QueueCallbacks(NamedTuple):
    """Callbacks about a queue's messages; besides `emit`, the first argument is the queue's name.

    Args:
        emit: receives each transition.
        confirmed: messages whose confirms may be sent (K8).
        discarded: messages that left without being queued (K2).
        taken: messages whose confirms go out at once, from a queue that might have rejected them (K1).
        rejected: messages that the queue did not take (P8).
        broken: the queue's process crashes.
    """

    emit: Callable[[Transition], None]
    confirmed: Callable[[str, Sequence[Range]], None]
    discarded: Callable[[str, Arrival], None]
    taken: Callable[[str, Range], None]
    rejected: Callable[[str, Range], None]
    bury: Bury
    broken: Callable[[str], None]


class MessageSettlements:
    """Settles or requeues the deliveries of one queue. `bury`: takes rejected messages, if the queue has a
    dead-letter exchange.
    """

    def __init__(self, queue: QueueDeliveries, bury: Bury) -> None:
        self._queue = queue
        self._bury = bury

    def ack(
        self,
        consumer: Consumer | None,
        tags: Sequence[Range],
        multiple: bool,
        spacing_us: int = BURST_SPACING_US,
    ) -> None:
        """Take acknowledgements that came through the mailbox (`send_ack` puts them there), and serve their
        consumer if it has room again (P11). `consumer`: the holder of the messages, None for basic.get.
        `spacing_us`: distance of the messages that go out in return.
        """
        found = self._queue.process.begin().ack(tags, multiple=multiple)
        if self._freed(consumer, tags, found):
            self._queue.run_backlog(spacing_us)
        self._queue.process.handled_part()

    def _freed(self, consumer: Consumer | None, tags: Sequence[Range], found: Sequence[Extent]) -> bool:
        """Reduce the messages that a consumer holds; return whether that unparks it."""
        if consumer is None:
            return False
        full = consumer.credit <= 0
        count = sum([each.count for each in tags])
        known = sum([each.count for each in found])
        consumer.gave_back(count, known, known if known == count else until_unknown(tags, found))
        if not full or consumer.credit <= 0 or consumer not in self._queue.ring.members:
            return False
        self._queue.ring.unpark(consumer.channel)
        return True

    def send_ack(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool) -> None:
        self._queue.process.send(ACK, partial(self.ack, consumer, tags, multiple))

    def reject(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool) -> None:
        self._queue.process.send(PUBLISH, partial(self._end_rejected, consumer, tags, multiple, failed))

    def _end_rejected(
        self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool
    ) -> None:
        """Dead-letter rejected messages if there is an exchange for them (P11)."""
        queue = self._queue.process.begin()
        if self._queue.evictions.dead_letters:
            dead = queue.ackfold(tags, delivery_failed=failed)
            if dead:
                self._bury(self._queue.name, "rejected", counted(queue, dead), self._queue.evictions.limits)
        found = queue.ack(tags, multiple=multiple)
        if self._freed(consumer, tags, found):
            self._queue.run_backlog(BURST_SPACING_US)
        self._queue.process.handled()

    def requeue(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool) -> None:
        if multiple or self._takes_back_alike():
            self._queue.process.send(PUBLISH, partial(self.take_back, consumer, tags, multiple, failed))
            return
        for each in tags:
            for seq_id in range(each.start, each.end):
                self._queue.process.send(
                    PUBLISH, partial(self.take_back, consumer, [Range(seq_id, 1)], True, failed)
                )

    def _takes_back_alike(self) -> bool:
        """Return whether single requeues have the same effect as one, as nothing is taken or dropped in between."""
        return (
            not self._queue.consumers
            and not self._queue.evictions.drops_head
            and not self._queue.evictions.expiries
        )

    def take_back(
        self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool
    ) -> None:
        """Requeue messages, then run drop_expired and serve the consumers (P11)."""
        queue = self._queue.process.begin()
        if tags:
            self._freed(consumer, tags, queue.requeue(tags, multiple=multiple, delivery_failed=failed))
            self._queue.evictions.drop_heads()
            self._queue.evictions.drop_expired()
        self._queue.run_backlog(BURST_SPACING_US)
        self._queue.process.handled()

    def put_back(self, tags: Sequence[Range]) -> None:
        self.take_back(None, tags, True, True)


class FinishedMessages:
    """Lets the consumers of one queue finish messages. A consumer that always holds a message keeps its exact
    rate: a message that it gets while it finishes its last one comes next. Only an idle consumer starts
    again. `way_out`: the way of acknowledgements if work takes time.
    """

    def __init__(self, queue: QueueDeliveries, way_out: WayOut, scheduler: TimerScheduler) -> None:
        self._queue = queue
        self._way_out = way_out
        self._scheduler = scheduler

    def let_work(self, consumer: Consumer) -> None:
        if consumer.works and consumer.holding and consumer.timer is None:
            consumer.pace.begin(self._scheduler.now_us + self._way_out.trip_us)
            self._set_timer(consumer)

    def changed(self, consumer: Consumer) -> None:
        timer = consumer.timer
        if timer is not None and timer.live and timer.at_us != self._next_us(consumer):
            timer.cancel()
            self._set_timer(consumer)
        self.let_work(consumer)

    def _next_us(self, consumer: Consumer) -> int:
        """Return when the consumer next acknowledges. If work takes time, it does so when half of its prefetch is done,
        and works on the other half until more arrives. Never more than its prefetch is in transit.
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
        """Finish the messages that are due: acknowledge them or, without acknowledgements, free the way to the
        consumer.
        """
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
        """Send a consumer's acknowledgements, or its new room, to the queue process. If that takes no time,
        it may get new messages now and finish those too.
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
        """Acknowledge messages, or requeue or discard those that the consumer rejects."""
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


class QueueDeliveries:
    """Hands one queue's messages to its consumers: new ones directly, waiting ones from the backlog.
    Consumers take turns, a message each (P12). If all of them can take some, whole rounds are dealt at once,
    and a consumer holds every second, third, ... message of an extent. `way_out`: the way of deliveries and
    acknowledgements if work takes time. `life`: number of its process. `ClientQueue` says what channels ask of it.
    """

    def __init__(
        self,
        process: QueueProcess,
        way_out: WayOut,
        scheduler: TimerScheduler,
        callbacks: QueueCallbacks,
        life: int,
    ) -> None:
        self.process = process
        self.name = process.name
        self.evictions = LimitEvictions(process, scheduler, callbacks.bury)
        self.life = life
        """Number of its process; each knows only its own deliveries (H68)."""
        self.used = self._broken = False
        """Whether it ever had a consumer (P18), and whether its process is about to crash (P8.3)."""
        self._way_out = way_out
        self.ring = ConsumerRing(self._resumed)
        self.finishing = FinishedMessages(self, way_out, scheduler)
        self.settlements = MessageSettlements(self, callbacks.bury)
        self._scheduler = scheduler
        self._emit = callbacks.emit
        self._on_discarded = callbacks.discarded
        self._on_taken = callbacks.taken
        self._on_rejected = callbacks.rejected
        self._bury = callbacks.bury
        self._on_broken = callbacks.broken
        self.copies: Callable[[Arrival, int | None, bool], None] | None = None
        """Sends the mirrors what a channel publishes (H31)."""

    @property
    def withholds(self) -> bool:
        return self.evictions.may_reject or self._broken or self._breaks()

    @property
    def depth(self) -> int:
        return self.process.queue.depth

    @property
    def durable(self) -> bool:
        return self.process.queue.durable

    @property
    def holds(self) -> bool:
        return self.process.held is not None

    @property
    def mailbox(self) -> WorkProcess:
        return self.process.mail.process

    @property
    def consumer_priority(self) -> int:
        return self.process.mail.consumer_priority

    def entry(self, arrival: Arrival) -> Extent:
        return self.process.queue.entry(arrival)

    # --- consumers come and go ---------------------------------------------------------------------------------------
    @property
    def consumers(self) -> Sequence[Consumer]:
        return tuple(self.ring)

    def add(self, consumer: Consumer) -> None:
        self.used = True
        self.ring.add(consumer)

    def remove(self, consumer: Consumer, serve: bool = False) -> None:
        """Stop delivering to a consumer, and `serve` the others; what it holds stays unchanged."""
        self.ring.remove(consumer)
        if serve:
            self.process.send(PUBLISH, partial(self.settlements.take_back, None, (), True, True))

    def start_again(self, process: QueueProcess) -> None:
        """Start with a new process after the old one is gone."""
        self.evictions.stop()
        self.life += 1
        self._broken = False
        self.process = self.evictions.process = process

    def knows(self, channel: Channel, settling: Iterable[UnackedDelivery]) -> bool:
        """Return whether its process knows a channel; it ignores unknown ones (P14, H68). It knows a channel
        that consumes here, or holds one of its deliveries with acknowledgement. `settling`: deliveries that
        the channel is settling and no longer holds.
        """
        for each in settling:
            if each.life == self.life and each.queue == self.name:
                return True
        return any(each.channel is channel for each in self.ring) or channel.holds(self.name, self.life)

    def wake(self, consumer: Consumer) -> None:
        self._way_out.serve(consumer)
        self.process.send(self.consumer_priority, partial(self._woken, consumer))

    def _woken(self, consumer: Consumer) -> None:
        self.process.begin()
        self.ring.unpark(consumer.channel)
        self.run_backlog(BURST_SPACING_US, consumer.channel)
        self.finishing.changed(consumer)
        self.process.handled()

    def go_on(self, channel: Channel, spacing_us: int) -> None:
        self.process.begin()
        if self.ring.unpark(channel):
            self.run_backlog(spacing_us)
        self.process.handled_part()

    def limit(self, channel: Channel) -> None:
        self.ring.limit(channel)

    def unlimit(self, channel: Channel) -> None:
        if self.ring.unlimit(channel):
            self._resumed(channel)

    def _resumed(self, channel: Channel) -> None:
        if self.process.held is not None:
            self.process.held.append(partial(self._resumed, channel))
            return
        self.process.begin()
        self.run_backlog(BURST_SPACING_US)
        self.process.handled()

    # --- arrival (P8) ------------------------------------------------------------------------------------------------
    def arrive(
        self, arrivals: Sequence[DatedArrival], spacing_us: int, confirm_at_once: bool = False
    ) -> None:
        """Let messages arrive one after the other, `spacing_us` apart; together where nothing examines each.
        `arrivals`: the messages with their own expirations in milliseconds (P8.2). `confirm_at_once`: whether
        to send confirms that do not depend on disk (K1).
        """
        evictions = self.evictions
        apart = self.copies is not None or evictions.may_reject or evictions.drops_head
        if len(arrivals) > 1 and not (
            apart or self.process.held is not None or self.ring.single_active or evictions.none_stays
        ):
            self.enter(arrivals, spacing_us, confirm_at_once)
            return
        for arrival, expiration_ms in arrivals:
            for part in arrival.singles() if apart else (arrival,):
                if self.copies is not None:
                    self.copies(part, expiration_ms, confirm_at_once)
                self.enter(((part, expiration_ms),), spacing_us, confirm_at_once)

    def _expiring(self, arrival: Arrival, expiration_ms: int | None) -> Arrival:
        """Return messages with the moment at which they expire here (P8.2)."""
        ttl_ms = self.evictions.limits.message_ttl_ms
        if expiration_ms is not None:
            ttl_ms = expiry_ms(ttl_ms, expiration_ms)
        if ttl_ms is None:
            return arrival
        self.evictions.expiries = True
        expiry_us = self._scheduler.now_us + ttl_ms * MILLISECOND_US
        # 0 stands for never, and nothing ever is as early as the first microsecond.
        return msgspec.structs.replace(arrival, expiry_us=max(1, expiry_us))

    def enter(
        self,
        arrivals: Sequence[DatedArrival],
        spacing_us: int,
        confirm_at_once: bool = False,
        already_delivered: bool = False,
    ) -> None:
        """Let messages into this queue; `already_delivered` marks them as redelivered (H62). `arrivals`: as
        in `arrive`, several only where nothing examines each.
        """
        if self.process.held is not None:
            again = partial(self.enter, arrivals, spacing_us, confirm_at_once, already_delivered)
            self.process.held.append(again)
            return
        queue, evictions = self.process.begin(), self.evictions
        may_reject, ttl_ms = evictions.may_reject, evictions.limits.message_ttl_ms
        own: list[Arrival] = []
        for each, own_ms in arrivals:
            own.append(each if own_ms is None and ttl_ms is None else self._expiring(each, own_ms))
        first, count = own[0].msg_no, own[-1].msg_no + own[-1].count - own[0].msg_no
        none_fits = may_reject and not evictions.room(equal(own[0].size_bytes))
        taken = 1 if confirm_at_once and not none_fits and self._breaks() else count
        if confirm_at_once and not may_reject:
            self._on_taken(self.name, Range(first, taken))
        rejected = 0
        for number, arrival in enumerate(own):
            if len(own) > 1 and queue.depth:
                queue.publish(own[number:], already_delivered, spacing_us)
                break
            done = 0
            # A single active consumer whose turn came by a cancel gets what comes now before what lies there.
            if (not queue.depth or self.ring.single_active) and not none_fits:
                done = self._deliver_directly(arrival, spacing_us, already_delivered)
            if done >= arrival.count:
                continue
            rest = arrival.part(done, arrival.count - done) if done else arrival
            if rest.expiry_us and evictions.none_stays and not none_fits:
                self._vanish(rest)
                continue
            fits = min(rest.count, evictions.room(equal(rest.size_bytes))) if may_reject else rest.count
            rejected = rest.count - fits
            if fits:
                # The first message in an empty queue gets a pass of drop_expired (P8.6).
                evictions.publish(rest.part(0, fits) if rejected else rest, spacing_us, already_delivered)
            if rejected:
                self._reject(rest.part(fits, rejected))
        if confirm_at_once and may_reject and rejected < count:
            self._on_taken(self.name, Range(first, min(taken, count - rejected)))
        self.process.handled()

    def _vanish(self, arrival: Arrival) -> None:
        """Drop messages that may not stay at all, without a trace (P8.4)."""
        self._emit(
            Dropped(
                "P8", self.name, None, None, (self.process.queue.unkept(arrival),), None, {"cause": "ttl"}
            )
        )
        self.process.queue.discard(arrival)
        self._on_discarded(self.name, arrival)

    def _reject(self, arrival: Arrival) -> None:
        """Refuse messages of a full queue: nack, and dead-letter with reject-publish-dlx (P8.1)."""
        queue, limits = self.process.queue, self.evictions.limits
        why: Why = {
            "len": queue.depth,
            "bytes": queue.ready_bytes,
            "max_length": limits.max_length,
            "max_length_bytes": limits.max_length_bytes,
            "overflow": limits.overflow,
        }
        self._emit(Rejected("P8", self.name, arrival.count, why))
        if limits.overflow == "reject-publish-dlx" and self.evictions.dead_letters:
            self._bury(self.name, "maxlen", [(queue.unkept(arrival), arrival.deliveries)], limits)
        queue.discard(arrival)
        self._on_rejected(self.name, Range(arrival.msg_no, arrival.count))

    def _breaks(self) -> bool:
        """Return whether the next message crashes the process: it goes to a consumer while others wait
        (P8.3). A confirm that does not depend on disk is already on its way; later messages get none.
        """
        if not (self.ring.single_active and self.process.queue.depth):
            return False
        consumer = self.ring.next()
        return consumer is not None and consumer.needs_ack

    def _deliver_directly(self, arrival: Arrival, spacing_us: int, again: bool) -> int:
        """Give new messages to ready consumers without queueing them (P7, P8.3); return how many."""
        done = 0
        queue = self.process.queue
        while done < arrival.count and (consumer := self.ring.next()) is not None:
            left = arrival.count - done
            turns, each = self.ring.turns(consumer, left)
            part = arrival.part(done, each * len(turns))
            if consumer.needs_ack and queue.depth:
                # The broker asserts here that the queue is empty (P8.3).
                self._broken = True
                self._on_broken(self.name)
                return arrival.count
            if consumer.needs_ack:
                tags = queue.publish_delivered((part,), spacing_us)
                extent = msgspec.structs.replace(self.process.queue.unkept(part), start=tags.start)
            else:
                extent = self.process.queue.unkept(part)
                self._discard(part)
            self._deal(turns, [(extent, part.count if again else 0)])
            done += part.count
        return done

    def _deal(self, turns: tuple[Consumer, ...], taken: Iterable[tuple[Extent, int]]) -> None:
        """Give messages to consumers in turn. `taken`: messages, and how many at their start are redelivered."""
        step, dealt = len(turns), 0
        own_tags = step == 1 or len({each.channel for each in turns}) == step
        for extent, redelivered in taken:
            if own_tags:
                for place in range(min(step, extent.count)):
                    count = (extent.count - place + step - 1) // step
                    self._hand_over(turns[(dealt + place) % step], extent, redelivered, place, count, step)
            else:  # consumers of one channel share its tags: one message after the other
                for place in range(extent.count):
                    self._hand_over(turns[(dealt + place) % step], extent, redelivered, place, 1, 1)
            dealt += extent.count
        for consumer in turns[: dealt % step] if step > 1 else turns:
            self.ring.delivered(consumer, dealt)
        for consumer in turns:
            self.finishing.let_work(consumer)

    def _hand_over(
        self, consumer: Consumer, extent: Extent, redelivered: int, offset: int, count: int, step: int
    ) -> None:
        consumer.holding += count
        consumer.delivered += count
        if redelivered > offset:
            consumer.redelivered += min(count, -(-(redelivered - offset) // step))
        consumer.channel.deliver(
            self.name,
            consumer.name,
            extent,
            redelivered,
            ack=consumer.needs_ack,
            offset=offset,
            count=count,
            step=step,
            life=self.life,
        )
        self._way_out.sent(self, consumer, count, extent)

    def _discard(self, part: Arrival) -> None:
        """Send messages straight to a no-ack consumer; the queue keeps nothing of them (Q24, K2)."""
        self._emit(Discarded("Q24", self.name, None, None, (self.process.queue.unkept(part),)))
        self.process.queue.discard(part)
        self._on_discarded(self.name, part)

    # --- backlog (P10, P12) ------------------------------------------------------------------------------------------
    def take(self, count: int, ack: bool, spacing_us: int) -> list[TakenMessages]:
        """Fetch messages, each fetch followed by a pass of drop_expired with its take and put-back (P10)."""
        queue = self.process.queue
        taken: list[TakenMessages] = []
        try:
            while count > 0 and queue.depth:
                batch = queue.takeable(count, self.evictions.expiries)
                got = queue.fetch(batch, ack, spacing_us)
                for each in got:
                    count -= each.extent.count
                taken += got
                self.evictions.drop_expired()
        except ProcessCrash as crash:
            crash.fetched[:0] = taken
            raise
        return taken

    def run_backlog(self, spacing_us: int, calling: Channel | None = None) -> None:
        """Deliver waiting messages while a consumer is ready (P7). `calling`: the channel that waits for the
        end of this: it never reads what comes if the process ends.
        """
        queue = self.process.queue
        while (depth := queue.depth) and (consumer := self.ring.next()) is not None:
            turns, each = self.ring.turns(consumer, depth)
            try:
                taken = self.take(each * len(turns), consumer.needs_ack, spacing_us)
            except ProcessCrash as crash:
                if not any(each.channel is calling for each in turns):
                    self._deal(turns, [(one.extent, one.redelivered) for one in crash.fetched])
                raise
            self._deal(turns, [(one.extent, one.redelivered) for one in taken])

    # --- by hand -----------------------------------------------------------------------------------------------------
    def get(self, count: int, ack: bool, then: GetAnswers) -> None:
        self.process.send(PUBLISH, partial(self._get, count, ack, then))

    def _get(self, count: int, ack: bool, then: GetAnswers) -> None:
        self.process.begin()
        try:
            taken = self.take(count, ack, BURST_SPACING_US)
        except ProcessCrash as crash:
            then(crash.fetched, False)
            raise
        self.process.handled()
        then(taken, sum([each.extent.count for each in taken]) < count)

    def purge(self) -> None:
        """Drop every ready message (P19)."""
        if self.process.held is not None:
            self.process.held.append(self.purge)
            return
        self.process.begin().purge()
        self.process.handled()
