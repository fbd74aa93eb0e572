"""What channels send back to one queue: acknowledgements, and messages that are not wanted (P6, P11)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from engine.broker.clients.actors import Consumer
from engine.broker.clients.channel import until_unknown
from engine.broker.queues.evictions import Bury, LimitEvictions, counted
from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.ring import ConsumerRing
from engine.broker.time.process import ACK, PUBLISH
from engine.broker.time.scheduler import BURST_SPACING_US
from engine.values.extents import Extent
from engine.values.ranges import Range


class SettledQueue(Protocol):
    """A queue whose deliveries are settled."""

    name: str
    process: QueueProcess
    ring: ConsumerRing
    evictions: LimitEvictions

    @property
    def consumers(self) -> Sequence[Consumer]:
        """Those that consume from it."""
        ...

    def run_backlog(self, spacing_us: int) -> None:
        """Deliver waiting messages while a consumer is ready (P7)."""
        ...


class MessageSettlements:
    """Ends or takes back what one queue delivered.

    Args:
        queue: whose messages they are.
        bury: takes rejected messages, if the queue has a dead-letter exchange.
    """

    def __init__(self, queue: SettledQueue, bury: Bury) -> None:
        self._queue = queue
        self._bury = bury

    def ack(
        self,
        consumer: Consumer | None,
        tags: Sequence[Range],
        multiple: bool,
        spacing_us: int = BURST_SPACING_US,
    ) -> None:
        """Take acknowledgements; with room again their consumer has its turn (P11).

        For what came through the mailbox; `send_ack` puts it there.

        Args:
            consumer: who held the messages, None for basic.get.
            spacing_us: how far apart messages are that go out for them.
        """
        found = self._queue.process.begin().ack(tags, multiple=multiple)
        if self._freed(consumer, tags, found):
            self._queue.run_backlog(spacing_us)
        self._queue.process.handled_part()

    def _freed(self, consumer: Consumer | None, tags: Sequence[Range], found: Sequence[Extent]) -> bool:
        """Reduce the messages that a consumer holds; return whether it was parked for them."""
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
        """Acknowledge messages by hand, in front of queued publishes (P6)."""
        self._queue.process.send(ACK, partial(self.ack, consumer, tags, multiple))

    def reject(self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool) -> None:
        """End messages that a consumer did not want, behind queued publishes (P6, P11, W42)."""
        self._queue.process.send(PUBLISH, partial(self._end_rejected, consumer, tags, multiple, failed))

    def _end_rejected(
        self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool
    ) -> None:
        """Let rejected messages be dead letters if there is an exchange for them (P11)."""
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
        """Return messages to the queue, behind queued publishes (P6); `failed` deliveries may be counted (W42)."""
        if multiple or self._takes_back_alike():
            self._queue.process.send(PUBLISH, partial(self.take_back, consumer, tags, multiple, failed))
            return
        for each in tags:
            for seq_id in range(each.start, each.end):
                self._queue.process.send(
                    PUBLISH, partial(self.take_back, consumer, [Range(seq_id, 1)], True, failed)
                )

    def _takes_back_alike(self) -> bool:
        """Return whether requeues one by one differ in nothing but the calls: nobody takes or drops in between."""
        return (
            not self._queue.consumers
            and not self._queue.evictions.drops_head
            and not self._queue.evictions.expiries
        )

    def take_back(
        self, consumer: Consumer | None, tags: Sequence[Range], multiple: bool, failed: bool
    ) -> None:
        """Return messages, then drop_expired and the consumers have their turn (P11)."""
        queue = self._queue.process.begin()
        if tags:
            self._freed(consumer, tags, queue.requeue(tags, multiple=multiple, delivery_failed=failed))
            self._queue.evictions.drop_heads()
            self._queue.evictions.drop_expired()
        self._queue.run_backlog(BURST_SPACING_US)
        self._queue.process.handled()

    def put_back(self, tags: Sequence[Range]) -> None:
        """Take back what a channel held that a stopping node closed (D2): before whatever waits in the mailbox."""
        self.take_back(None, tags, True, True)
