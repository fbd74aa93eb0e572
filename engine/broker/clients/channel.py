"""A channel: delivery tags, and what was delivered on it and not acknowledged yet (P14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import msgspec

from engine.broker.clients.limiter import PrefetchLimiter
from engine.values.extents import Extent
from engine.values.labels import bare, beside
from engine.values.ranges import Range, RangeSet
from engine.values.stretches import Stretches

GONE: Final = ""
"""Stands for a queue that was deleted while a channel held messages of it."""
NO_LIFE: Final = -1
"""Stands for no process at all: what was settled under another tag is held by none."""


def connection_of(channel: str) -> str:
    """Return the name of the connection that a channel by hand is on: what is before its first dot."""
    return beside(channel, bare(channel).partition(".")[0])


class UnackedDelivery(msgspec.Struct, frozen=True, gc=False):
    """Deliveries that wait for an acknowledgement.

    Args:
        start: first delivery tag; the others follow one by one.
        count: how many.
        seq_id: of the first message in its queue.
        queue: where they came from.
        consumer: who took them; None for basic.get.
        joins: whether it may be merged with the next ones.
        step: from one seq_id to the next; as many consumers as took turns.
        life: which process of the queue delivered them: those that are gone left tags of theirs in channels (H68).
    """

    start: int
    count: int
    seq_id: int
    queue: str
    consumer: str | None
    joins: bool
    step: int = 1
    life: int = 0

    @property
    def messages(self) -> list[Range]:
        """The seq_ids."""
        if self.step == 1:
            return [Range(self.seq_id, self.count)]
        return [Range(self.seq_id + i * self.step, 1) for i in range(self.count)]

    def part(self, offset: int, count: int) -> UnackedDelivery:
        """Return `count` deliveries beginning at `offset`."""
        seq_id = self.seq_id + offset * self.step
        return UnackedDelivery(
            self.start + offset,
            count,
            seq_id,
            self.queue,
            self.consumer,
            self.joins,
            self.step,
            self.life,
        )

    def continued_by(self, after: UnackedDelivery) -> bool:
        """Return whether `after` goes on in the same queue for the same consumer."""
        return (
            self.joins
            and self.step == after.step
            and self.seq_id + self.count * self.step == after.seq_id
            and self.queue == after.queue
            and self.consumer == after.consumer
            and self.life == after.life
        )

    def merged(self, count: int) -> UnackedDelivery:
        """Return this run with `count` deliveries in all."""
        return UnackedDelivery(
            self.start,
            count,
            self.seq_id,
            self.queue,
            self.consumer,
            self.joins,
            self.step,
            self.life,
        )


class DeliveredMessages(msgspec.Struct, frozen=True, gc=False):
    """Messages that went out on a channel, for anyone who wants to see what its client receives.

    Args:
        tag: of the first.
        consumer: None for basic.get.
        extent: the messages, with those between them that others got.
        offset, count, step: which of them.
        redelivered: how many of the extent, the first ones, carry redelivered = true.
    """

    channel: str
    tag: int
    queue: str
    consumer: str | None
    extent: Extent
    offset: int
    count: int
    step: int
    redelivered: int


class DeliveryWatch(Protocol):
    """Looks how long deliveries wait for their acknowledgements."""

    def delivered(self, queue: str, held: int) -> None:
        """Note deliveries of a queue; `held` others waited before."""


class Channel:
    """One channel of one connection.

    Args:
        name: of the channel.
        joins: whether deliveries that follow each other are kept as one; the hand keeps each apart.
    """

    observer: Callable[[DeliveredMessages], None] | None = None
    """Hears of each delivery: a test sets it."""

    def __init__(self, name: str, joins: bool = True) -> None:
        self.name = name
        self.limiter = PrefetchLimiter()
        self.next_tag = 1
        self.unacked: Stretches[UnackedDelivery] = Stretches()
        self.served: set[str] = set()
        """Queues of which consumers of this channel got messages."""
        self._joins = joins
        self.timeout: DeliveryWatch | None = None
        """Closes the channel where an acknowledgement is late (P21)."""

    def __len__(self) -> int:
        """Number of unacknowledged deliveries."""
        return self.unacked.total

    def deliver(
        self,
        queue: str,
        consumer: str | None,
        extent: Extent,
        redelivered: int,
        *,
        ack: bool,
        offset: int = 0,
        count: int | None = None,
        step: int = 1,
        life: int = 0,
    ) -> None:
        """Send messages to the client, under the next tags, and hold them until they are acknowledged (P14).

        Args:
            extent: the messages; with `offset`, `count` and `step` only some of them.
            redelivered: how many of the extent, the first ones, are delivered again.
            ack: whether they are held.
            life: which process of the queue sends them.
        """
        count = extent.count if count is None else count
        if consumer is not None:
            self.served.add(queue)
        if self.observer is not None:
            self.observer(
                DeliveredMessages(
                    self.name, self.next_tag, queue, consumer, extent, offset, count, step, redelivered
                )
            )
        held = self.unacked.total
        if ack:
            seq_id = extent.start + offset
            step = step if count > 1 or self._joins else 1
            self.unacked.insert(
                UnackedDelivery(self.next_tag, count, seq_id, queue, consumer, self._joins, step, life)
            )
        self.next_tag += count
        if ack and self.timeout is not None:
            self.timeout.delivered(queue, held)

    def take(self, count: int) -> list[UnackedDelivery]:
        """Return the oldest deliveries, which are held no longer."""
        return self.unacked.pop_head(count)

    def take_tag(self, tag: int, multiple: bool) -> list[UnackedDelivery] | None:
        """Return what a delivery tag stands for, which is held no longer; None when it is unknown (P14).

        Args:
            tag: 0 with `multiple` for everything outstanding.
            multiple: all outstanding tags up to this one.
        """
        if multiple and tag == 0:
            return self.take(len(self))
        if not self.unacked.overlapping(tag, 1):
            return None
        first = self.unacked.first.start if multiple else tag
        return self.unacked.remove(first, tag - first + 1)

    def take_of(self, consumer: str) -> list[UnackedDelivery]:
        """Return everything that one consumer took, which is held no longer."""
        return self._remove(each for each in list(self.unacked) if each.consumer == consumer)

    def forget_queue(self, queue: str) -> None:
        """A queue is gone: its deliveries may still be acknowledged, and nobody is notified of it."""
        for each in [each for each in self.unacked if each.queue == queue]:
            self.unacked.remove(each.start, each.count)
            self.unacked.insert(msgspec.structs.replace(each, queue=GONE))

    def holds(self, queue: str, life: int) -> bool:
        """Return whether it holds anything that a process of a queue delivered."""
        return any(each.life == life and each.queue == queue for each in self.unacked)

    def overtaken(self, queue: str, life: int, settled: Iterable[Range]) -> None:
        """Let old tags settle what a process delivered under new ones; the new tags settle nothing any more (H68)."""
        seq_ids = {seq_id for each in settled for seq_id in range(each.start, each.end)}
        for each in [each for each in self.unacked if each.life == life and each.queue == queue]:
            for offset in range(each.count):
                if each.seq_id + offset * each.step in seq_ids:
                    (gone,) = self.unacked.remove(each.start + offset, 1)
                    self.unacked.insert(msgspec.structs.replace(gone, life=NO_LIFE))

    def _remove(self, runs: Iterable[UnackedDelivery]) -> list[UnackedDelivery]:
        return [gone for each in runs for gone in self.unacked.remove(each.start, each.count)]

    def reset(self) -> None:
        """Start again: the channel was closed."""
        self.next_tag = 1
        self.unacked.clear()
        self.served = set()
        self.limiter.clear()


class DeliveryGroup(msgspec.Struct, frozen=True):
    """Deliveries of one queue to one consumer, or by basic.get, that a channel settles at once."""

    queue: str
    consumer: str | None
    deliveries: list[UnackedDelivery]

    @property
    def together(self) -> bool:
        """Whether one message to the queue settles all of them."""
        return self.consumer is not None

    @property
    def count(self) -> int:
        """How many messages."""
        return sum(each.count for each in self.deliveries)


def by_queue(deliveries: Iterable[UnackedDelivery]) -> list[DeliveryGroup]:
    """Group deliveries as a channel settles them: by queue and consumer, in the order of names, oldest first (P14).

    What basic.get took comes ahead of what the consumers of its queue got.
    """
    groups: dict[tuple[str, str], DeliveryGroup] = {}
    for each in deliveries:
        key = (each.queue, each.consumer or "")
        groups.setdefault(key, DeliveryGroup(each.queue, each.consumer, [])).deliveries.append(each)
    return [group for _, group in sorted(groups.items(), key=lambda item: item[0])]


def tags_of(deliveries: Iterable[UnackedDelivery]) -> list[Range]:
    """Return the seq_ids of deliveries, in their order."""
    return [messages for each in deliveries for messages in each.messages]


def until_unknown(tags: Sequence[Range], found: Sequence[Extent]) -> int:
    """Return how many of the acknowledged messages a process counts: behind one that it does not know it stops (H68).

    Args:
        tags: what is acknowledged at once, in its order.
        found: those of them that the process knows.
    """
    known = RangeSet(Range(each.start, each.count) for each in found)
    total = 0
    for each in tags:
        first = next(iter(known.inside(each.start, each.count)), None)
        if first is None or first.start != each.start:
            return total
        total += first.count
        known.subtract([first])  # an old tag may have stood for it already
        if first.count < each.count:
            return total
    return total
