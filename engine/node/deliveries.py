"""Messages on their way through one queue process to consumers and back (P7-P13)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from engine.extents import PERSISTENT, RAW_PERSISTENT, Extent
from engine.node.actors import Consumer, Hand
from engine.node.process import ACK, PUBLISH
from engine.node.queue_process import QueueProcess
from engine.node.scheduler import Scheduler
from engine.node.way_out import WayOut
from engine.ranges import Range
from engine.transitions import Discarded, Transition
from engine.variable_queue.arrivals import Arrival, Taken
from engine.variable_queue.state import QueueState

BURST_SPACING_US = 1
"""Messages that come or go all at once are this far apart, so that the queue's rates see them all (Q26)."""


class Deliveries:
    """Hands one queue's messages to its consumers: new ones directly, waiting ones from the backlog.

    Consumers take turns. Where the broker deals single messages round-robin, a batch is dealt here in blocks of equal
    length (P12 simplified), so that what a consumer holds stays in few runs.

    Args:
        process: the queue process.
        hand: whose channel the manual consumers deliver into.
        way_out: how deliveries and acknowledgements travel where work takes time.
        on_discarded: told of messages that a no-ack consumer took without queueing (K2).
    """

    def __init__(
        self,
        process: QueueProcess,
        hand: Hand,
        way_out: WayOut,
        scheduler: Scheduler,
        emit: Callable[[Transition], None],
        on_discarded: Callable[[str, Arrival], None],
    ) -> None:
        self.process = process
        self.name = process.name
        self._hand = hand
        self._way_out = way_out
        self._turns: deque[Consumer] = deque()
        self._scheduler = scheduler
        self._emit = emit
        self._on_discarded = on_discarded

    @property
    def state(self) -> QueueState:
        """The record of the backing queue."""
        return self.process.queue.state

    # --- consumers come and go ---------------------------------------------------------------------------------------

    @property
    def consumers(self) -> Sequence[Consumer]:
        """Those that consume from this queue."""
        return tuple(self._turns)

    def add(self, consumer: Consumer) -> None:
        """Let a consumer take its turn last."""
        self._turns.append(consumer)

    def remove(self, consumer: Consumer) -> None:
        """Let a consumer get nothing any more; what it holds stays as it is."""
        self._turns.remove(consumer)

    def wake(self, consumer: Consumer) -> None:
        """A consumer was started or changed: give it messages and let it work."""
        consumer.counts_unsent = self._way_out.open
        mail = self.process.mail
        self.process.tell(PUBLISH if mail is None else mail.consumer_priority, partial(self._woken, consumer))

    def _woken(self, consumer: Consumer) -> None:
        self.process.begin()
        self._run_backlog(BURST_SPACING_US)
        self._let_work(consumer)
        self.process.handled()

    def go_on(self) -> None:
        """A consumer may have room again: deliver what waits (P12)."""
        self.process.begin()
        self._run_backlog(BURST_SPACING_US)
        self.process.handled()

    # --- arrival (P8) ------------------------------------------------------------------------------------------------

    def arrive(self, arrival: Arrival, spacing_us: int) -> None:
        """Let messages arrive one after the other, `spacing_us` apart."""
        queue = self.process.begin()
        done = self._deliver_directly(arrival, spacing_us) if not queue.state.len else 0
        if done < arrival.count and not queue.state.len:
            # The first message in an empty queue gets a pass of drop_expired (P8.6).
            queue.publish(arrival.part(done, 1))
            done += 1
            self._drop_expired()
        if done < arrival.count:
            queue.publish(arrival.part(done, arrival.count - done), spacing_us=spacing_us)
        self.process.handled()

    def _deliver_directly(self, arrival: Arrival, spacing_us: int) -> int:
        """Give new messages to ready consumers without queueing them (P7, P8.3); return how many."""
        done = 0
        queue = self.process.queue
        while done < arrival.count and (consumer := self._next_ready()) is not None:
            part = arrival.part(done, self._share(consumer, arrival.count - done))
            if consumer.ack == "auto":
                self._discard(part)
                consumer.holding += part.count
                consumer.channel.send(part.count)
            else:
                self._hold(consumer, queue.publish_delivered(part, spacing_us))
            consumer.delivered += part.count
            if self._way_out.open:
                self._way_out.sent(self, consumer, part.count, part.size_bytes)
            self._let_work(consumer)
            done += part.count
        return done

    def _discard(self, part: Arrival) -> None:
        """Messages go straight to a no-ack consumer; the queue keeps nothing of them (Q24, K2)."""
        state = self.process.queue.state
        flags = 0
        if part.raw_persistent:
            flags = RAW_PERSISTENT | (PERSISTENT if state.durable else 0)
        extent = Extent(
            state.next_seq_id, part.count, part.msg_no, part.size_bytes, flags, part.expiry_us, part.template
        )
        self._emit(Discarded("Q24", state.name, None, None, (extent,)))
        self._on_discarded(self.name, part)

    # --- backlog (P10, P12) ------------------------------------------------------------------------------------------

    def take(self, count: int, ack: bool, spacing_us: int) -> list[Taken]:
        """Fetch messages, each fetch followed by a pass of drop_expired with its take and put-back (P10)."""
        queue = self.process.queue
        taken: list[Taken] = []
        while count > 0 and queue.state.len:
            batch = min(count, max(1, queue.undisturbed(count)))
            got = queue.fetch(batch, ack, spacing_us)
            taken += got
            count -= sum(each.extent.count for each in got)
            self._drop_expired()
        return taken

    def _drop_expired(self) -> None:
        """Drop expired heads; the first other message is taken and put back (P9).

        The pass is left out where taking and putting back changes nothing.
        """
        queue = self.process.queue
        if queue.state.len and not passes_without_effect(queue.state):
            queue.dropwhile(queue.state.now_us)

    def _run_backlog(self, spacing_us: int) -> None:
        """Deliver waiting messages while a consumer is ready (P7)."""
        state = self.process.queue.state
        while state.len and (consumer := self._next_ready()) is not None:
            count = self._share(consumer, state.len)
            for each in self.take(count, consumer.ack != "auto", spacing_us):
                tags = Range(each.extent.start, each.extent.count)
                if consumer.ack == "auto":
                    consumer.holding += tags.count
                    consumer.channel.send(tags.count)
                else:
                    self._hold(consumer, tags)
                consumer.delivered += tags.count
                consumer.redelivered += each.redelivered
                if self._way_out.open:
                    self._way_out.sent(self, consumer, tags.count, each.extent.size_bytes)
            self._let_work(consumer)

    def _next_ready(self) -> Consumer | None:
        for _ in range(len(self._turns)):
            consumer = self._turns[0]
            self._turns.rotate(-1)
            if consumer.credit > 0:
                return consumer
        return None

    def _share(self, consumer: Consumer, count: int) -> int:
        ready = sum(each.credit > 0 for each in self._turns)
        return min(consumer.credit, -(-count // ready))

    def _hold(self, consumer: Consumer, tags: Range) -> None:
        consumer.holding += tags.count
        channel = self._hand.channel if consumer.ack == "manual" else consumer.channel
        channel.deliver(self.name, consumer.name, tags)

    # --- consumers at work -------------------------------------------------------------------------------------------

    def _let_work(self, consumer: Consumer) -> None:
        if consumer.works and consumer.holding and consumer.timer is None:
            now_us = self._scheduler.now_us
            consumer.pace.begin(now_us)
            self._set_timer(consumer)

    def _set_timer(self, consumer: Consumer) -> None:
        at_us = consumer.pace.next_us(self._scheduler.now_us)
        consumer.timer = self._scheduler.at(at_us, partial(self._work, consumer))

    def _work(self, consumer: Consumer) -> None:
        """Finish what is due: acknowledge it or, without acknowledgements, free the way to the consumer."""
        consumer.timer = None
        due = consumer.pace.due(self._scheduler.now_us)
        sharing = sum(each.works for each in self._turns)
        spacing_us = consumer.pace.spacing_us(due, sharing)
        if self._way_out.open:
            self._finish(consumer, due)
            return
        queue = self.process.begin()
        while due > 0 and consumer.holding:
            count = min(due, consumer.holding)
            due -= count
            consumer.pace.did(count)
            consumer.holding -= count
            if consumer.ack != "auto":
                consumer.acked += count
                tags = [each.messages for each in consumer.channel.take(count)]
                queue.ack(tags, multiple=consumer.ack == "multiple")
            self._run_backlog(spacing_us)
        if consumer.holding and consumer.timer is None:
            self._set_timer(consumer)
        self.process.handled()

    def _finish(self, consumer: Consumer, due: int) -> None:
        """Let a consumer's acknowledgements, or the room that it has again, travel to the queue process."""
        count = min(due, consumer.holding)
        consumer.pace.did(count)
        consumer.holding -= count
        mail = self.process.mail
        if consumer.ack != "auto":
            consumer.acked += count
            tags = [each.messages for each in consumer.channel.take(count)]
            if tags:
                self._way_out.acked(self, consumer, tags, consumer.ack == "multiple")
        elif mail is not None:
            mail.post(mail.consumer_priority, self.go_on)
        if consumer.holding and consumer.timer is None:
            self._set_timer(consumer)

    # --- what channels send ------------------------------------------------------------------------------------------

    def get(self, count: int, ack: bool, then: Callable[[list[Taken]], None]) -> None:
        """basic.get `count` times; `then` takes the messages (P10)."""
        self.process.tell(PUBLISH, partial(self._get, count, ack, then))

    def _get(self, count: int, ack: bool, then: Callable[[list[Taken]], None]) -> None:
        self.process.begin()
        taken = self.take(count, ack, BURST_SPACING_US)
        self.process.handled()
        then(taken)

    def ack(self, tags: Sequence[Range], multiple: bool) -> None:
        """Acknowledge messages; then the consumers have their turn (P11).

        For what came through the mailbox; `send_ack` puts it there.
        """
        self.process.begin().ack(tags, multiple=multiple)
        self._run_backlog(BURST_SPACING_US)
        self.process.handled()

    def send_ack(self, tags: Sequence[Range], multiple: bool) -> None:
        """Acknowledge messages by hand, in front of queued publishes (P6)."""
        self.process.tell(ACK, partial(self.ack, tags, multiple))

    def requeue(self, tags: Sequence[Range]) -> None:
        """Return messages to the queue, behind queued publishes (P6)."""
        self.process.tell(PUBLISH, partial(self._requeue, tags))

    def _requeue(self, tags: Sequence[Range]) -> None:
        """Return messages, then drop_expired and the consumers have their turn (P11)."""
        queue = self.process.begin()
        if tags:
            queue.requeue(tags, multiple=True)
            self._drop_expired()
            self._run_backlog(BURST_SPACING_US)
        self.process.handled()

    def purge(self) -> int:
        """Drop every ready message; return how many (P19)."""
        count = self.process.begin().purge()
        self.process.handled()
        return count


def passes_without_effect(state: QueueState) -> bool:
    """Tell whether a pass of drop_expired would leave the queue as it is: the head returns to where it was (Q36).

    That is so when it does not expire, taking it brings no refill, and it lies where the put-back puts it: in q4, or
    in q3 without its body and with q4 empty; in a lazy queue in q3.
    """
    if state.mode == "default" and state.q4:
        return state.q4.first.expiry_us == 0
    if state.q3.total < 2:
        return False
    head = state.q3.first
    return head.expiry_us == 0 and (state.mode == "lazy" or not head.in_ram)
