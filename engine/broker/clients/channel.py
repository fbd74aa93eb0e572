"""A channel: delivery tags, what is unacknowledged and for how long (P14, P21), its limit (P13), transactions (D12)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, Protocol

import msgspec
from msgspec.structs import replace

from engine.amqp.errors import AmqpError
from engine.backing_queue.protocol import DatedArrival
from engine.broker.commands.base import MAX_COUNT, MessageFields
from engine.broker.commands.client_commands import Publish
from engine.broker.time.scheduler import MILLISECOND_US, ScheduledTimer, TimerScheduler
from engine.broker.vhost.configuration import NodeConfiguration
from engine.values.extents import Extent
from engine.values.labels import bare, beside
from engine.values.stretches import Range, RangeSet, Stretches, StretchRecord


class WaitingQueue(Protocol):
    """A queue that the limiter refused, and that it notifies when there is room again."""

    def resume(self, limiter: PrefetchLimiter) -> None:
        """Continue to deliver to the consumers of the limiter's channel."""


class PrefetchLimiter:
    """Counts the messages that the consumers of one channel hold, over all queues. The count starts with all
    unacknowledged messages, those of basic.get included; later only the consumers' messages change it.
    """

    def __init__(self) -> None:
        self.limit = 0
        """How many messages consumers of the channel may hold, 0 for any number."""
        self.volume = 0
        self._waiting: dict[WaitingQueue, None] = {}

    @property
    def active(self) -> bool:
        return self.limit > 0

    @property
    def room(self) -> int:
        """How many messages consumers may still get; 0 or less when the limit is reached. A queue may still
        ask just after the limit was lifted.
        """
        return self.limit - self.volume if self.active else MAX_COUNT

    @property
    def _reached(self) -> bool:
        return self.active and self.volume >= self.limit

    def may_send(self, queue: WaitingQueue) -> bool:
        """Return whether one more message may go out; if not, notify the queue when that changes."""
        if self._reached:
            self._waiting[queue] = None
            return False
        return True

    def sent(self, count: int) -> None:
        """Count messages that consumers got and must acknowledge."""
        self.volume += count

    def acked(self, count: int, settle: Callable[[], None]) -> None:
        """Subtract messages that consumers no longer hold (down to 0), and let their queues settle them. The
        room exists before a queue takes messages back and asks. Queues that were refused are notified after
        they settle theirs.
        """
        if not self.limit or not count:
            settle()
            return
        reached = self._reached
        self.volume = self.volume - count if self.volume else 0
        freed = not self._reached
        settle()
        self._notify(reached and freed)

    def set(self, limit: int, unacked: int) -> None:
        """Set a limit; a first limit starts with the channel's `unacked` outstanding deliveries."""
        reached = self._reached
        if not self.active:
            self.volume = unacked
        self.limit = limit
        self._notify(reached and not self._reached)

    def lift(self) -> None:
        reached = self._reached
        self.limit = self.volume = 0
        self._notify(reached)

    def forget(self, queue: WaitingQueue) -> None:
        self._waiting.pop(queue, None)

    def clear(self) -> None:
        """Start again: the channel was closed."""
        self.limit = self.volume = 0
        self._waiting.clear()

    def _notify(self, has_room_again: bool) -> None:
        if has_room_again:
            waiting, self._waiting = self._waiting, {}
            for queue in waiting:
                queue.resume(self)


class HeldPublish(msgspec.Struct, frozen=True, gc=False):
    """Messages that were routed and are not delivered yet (D12). `arrivals`: the messages with their
    expirations in milliseconds. `queues`: where they were routed to. `lives`: the number of each queue's
    process, if a commit may send only to that process (W229).
    """

    batch: Publish
    message: MessageFields
    arrivals: Sequence[DatedArrival]
    queues: tuple[str, ...]
    lives: Mapping[str, int] = {}


class ChannelTransaction:
    """The publishes of a publisher's channel in tx mode; consumers acknowledge outside of transactions.
    `size`: the client commits after that many messages; 0 when it commits by a command of its own.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.published = 0
        """Messages since the last commit, as the client counts them."""
        self.held: list[HeldPublish] = []
        self.committing = 0
        """Messages whose confirms the commit waits for (D13)."""
        self.commits = 0
        self.at_commit = False
        """Whether a commit by hand is in progress; refusals are reported after everything was sent (D13)."""
        self.refused = False
        """Whether a queue refused a message of that commit."""

    @property
    def room(self) -> int:
        """How many messages the client may publish now; none while it waits for commit_ok."""
        return self.size - self.published

    @property
    def holding(self) -> int:
        return sum(each.batch.count for each in self.held)

    def take(self) -> list[HeldPublish]:
        taken, self.held = self.held, []
        self.committing = sum(each.batch.count for each in taken)
        return taken

    def confirmed(self, count: int) -> bool:
        """Take confirms; return whether that was the last one, so that commit_ok goes out (D13)."""
        self.committing -= count
        if self.committing:
            return False
        self.commits += 1
        self.published = 0
        return True

    def roll_back(self) -> None:
        """Drop the held messages of a channel that closes (D14)."""
        self.held.clear()
        self.published = self.committing = 0


GONE: Final = ""
"""Stands for a queue that was deleted while a channel held messages of it."""
NO_LIFE: Final = -1
"""Stands for no process; used for deliveries that were settled under another tag."""


def connection_of(channel: str) -> str:
    """Return the name of a manual channel's connection: the part before the first dot."""
    return beside(channel, bare(channel).partition(".")[0])


class UnackedDelivery(StretchRecord, frozen=True, gc=False):
    """Deliveries that wait for an acknowledgement.

    Args:
        start: first delivery tag; the others follow one by one.
        count: how many.
        seq_id: of the first message in its queue.
        queue: where they came from.
        consumer: who took them; None for basic.get.
        joins: whether it may be merged with the next ones.
        step: distance from one seq_id to the next: the number of consumers that took turns.
        life: number of the queue process that delivered them; channels keep tags of processes that are gone (H68).
    """

    seq_id: int
    queue: str
    consumer: str | None
    joins: bool
    step: int = 1
    life: int = 0

    @property
    def messages(self) -> list[Range]:
        if self.step == 1:
            return [Range(self.seq_id, self.count)]
        return [Range(self.seq_id + i * self.step, 1) for i in range(self.count)]

    def part(self, offset: int, count: int) -> UnackedDelivery:
        seq_id = self.seq_id + offset * self.step
        return replace(self, start=self.start + offset, count=count, seq_id=seq_id)

    def continued_by(self, after: UnackedDelivery) -> bool:
        """Return whether `after` continues in the same queue for the same consumer."""
        return (
            self.joins
            and self.step == after.step
            and self.seq_id + self.count * self.step == after.seq_id
            and self.queue == after.queue
            and self.consumer == after.consumer
            and self.life == after.life
        )


class DeliveredMessages(msgspec.Struct, frozen=True, gc=False):
    """Messages that went out on a channel, for anyone who wants to see what its client receives.

    Args:
        tag: of the first.
        consumer: None for basic.get.
        extent: the messages, and those between them that others got.
        redelivered: how many messages at the start of the extent have redelivered = true.
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


class Channel:
    """One channel of one connection. `joins`: whether to merge consecutive deliveries; manual channels keep
    each apart.
    """

    observer: Callable[[DeliveredMessages], None] | None = None
    """Called with each delivery; set by tests."""

    def __init__(self, name: str, joins: bool = True) -> None:
        self.name = name
        self.limiter = PrefetchLimiter()
        self.next_tag = 1
        self.unacked: Stretches[UnackedDelivery] = Stretches()
        self.served: set[str] = set()
        """Queues whose messages consumers of this channel got."""
        self._joins = joins
        self.timeout: AckTimeout | None = None
        """Closes the channel when an acknowledgement is late (P21)."""

    def __len__(self) -> int:
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
            redelivered: how many messages at the start of the extent are delivered again.
            ack: whether they are held.
            life: which process of the queue sends them.
        """
        count = extent.count if count is None else count
        if consumer is not None and queue not in self.served:
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
        """Remove the oldest deliveries and return them."""
        return self.unacked.pop_head(count)

    def take_tag(self, tag: int, multiple: bool) -> list[UnackedDelivery] | None:
        """Remove the deliveries that a delivery tag names and return them; None for an unknown tag (P14).
        `tag`: 0 with `multiple` for everything outstanding. `multiple`: all outstanding tags up to this one.
        """
        if multiple and tag == 0:
            return self.take(len(self))
        if not self.unacked.overlapping(tag, 1):
            return None
        first = self.unacked.first.start if multiple else tag
        return self.unacked.remove(first, tag - first + 1)

    def take_of(self, consumer: str) -> list[UnackedDelivery]:
        own = [each for each in self.unacked if each.consumer == consumer]
        return [gone for each in own for gone in self.unacked.remove(each.start, each.count)]

    def forget_queue(self, queue: str) -> None:
        """Forget a queue; its deliveries may still be acknowledged, but nobody is notified."""
        for each in [each for each in self.unacked if each.queue == queue]:
            self.unacked.remove(each.start, each.count)
            self.unacked.insert(msgspec.structs.replace(each, queue=GONE))

    def holds(self, queue: str, life: int) -> bool:
        return any(each.life == life and each.queue == queue for each in self.unacked)

    def overtaken(self, queue: str, life: int, settled: Iterable[Range]) -> None:
        """Move a process's new deliveries to old tags; the new tags then settle nothing (H68)."""
        seq_ids = {seq_id for each in settled for seq_id in range(each.start, each.end)}
        for each in [each for each in self.unacked if each.life == life and each.queue == queue]:
            for offset in range(each.count):
                if each.seq_id + offset * each.step in seq_ids:
                    (gone,) = self.unacked.remove(each.start + offset, 1)
                    self.unacked.insert(msgspec.structs.replace(gone, life=NO_LIFE))

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
        return self.consumer is not None

    @property
    def count(self) -> int:
        return sum(each.count for each in self.deliveries)


def by_queue(deliveries: Iterable[UnackedDelivery]) -> list[DeliveryGroup]:
    """Group deliveries as a channel settles them: by queue and consumer in the order of names, oldest first
    (P14). In each queue, messages of basic.get come before those of consumers.
    """
    groups: dict[tuple[str, str], DeliveryGroup] = {}
    for each in deliveries:
        key = (each.queue, each.consumer or "")
        groups.setdefault(key, DeliveryGroup(each.queue, each.consumer, [])).deliveries.append(each)
    return [group for _, group in sorted(groups.items(), key=lambda item: item[0])]


def tags_of(deliveries: Iterable[UnackedDelivery]) -> list[Range]:
    return [messages for each in deliveries for messages in each.messages]


def until_unknown(tags: Sequence[Range], found: Sequence[Extent]) -> int:
    """Return how many acknowledged messages a process counts; it stops at the first unknown one (H68).
    `tags`: the tags of one acknowledgement, in order. `found`: the tags that the process knows.
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


MOST: Final = 1000
"""Most groups of deliveries that one channel keeps apart."""


class AckTimeout:
    """Checks the oldest delivery of one channel at ticks that begin with the first waiting delivery. For each tick it
    stores only the last delivery that is too old then, so it stores at most as many as a timeout has ticks.

    Args:
        clock: virtual time.
        settings: has the node's; it is read at each delivery, so it is no function.
        own: returns the timeout in milliseconds that a queue has by policy, None for the node's; None where no queue
            has one.
        fail: closes a channel for an error: its name, the error and the rule.
        words: of the error, with places for the channel's number and the timeout in milliseconds.
    """

    def __init__(
        self,
        channel: Channel,
        clock: TimerScheduler,
        settings: NodeConfiguration,
        own: Callable[[str], int | None] | None,
        fail: Callable[[str, AmqpError, str], None],
        words: str,
    ) -> None:
        self._channel = channel
        self._clock = clock
        self._settings = settings
        self._own = own
        self._fail = fail
        self._words = words
        self._ticks_from_us = 0
        self._due: deque[tuple[int, int, int]] = deque()
        """For each check: its time, one past the last delivery tag that is then too old, and the timeout in ms."""
        self._timer: ScheduledTimer | None = None

    def delivered(self, queue: str, held: int) -> None:
        """Note that messages of a queue went out under the tags just below the channel's next tag. `held`:
        how many deliveries waited before.
        """
        settings = self._settings.node
        own = None if self._own is None else self._own(queue)
        timeout_ms = settings.consumer_timeout_ms if own is None else own
        if not timeout_ms:
            return
        now_us, tick_us = self._clock.now_us, settings.channel_tick_interval_ms * MILLISECOND_US
        if not held:
            self._due.clear()
            self._ticks_from_us = now_us
        late_us = now_us + timeout_ms * MILLISECOND_US
        due_us = self._ticks_from_us + ((late_us - self._ticks_from_us) // tick_us + 1) * tick_us
        due, tag = self._due, self._channel.next_tag
        if due and due[-1][0] == due_us:
            due[-1] = due_us, tag, due[-1][2]
        elif len(due) >= MOST:
            due_us, _, timeout_ms = due[-1]
            due[-1] = due_us, tag, timeout_ms
        else:
            due.append((due_us, tag, timeout_ms))
        if self._timer is None or self._timer.action is None or due_us < self._timer.at_us:
            self._look_at(due_us, tick_us)

    def _look_at(self, at_us: int, tick_us: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.at(at_us, partial(self._look, tick_us))

    def _look(self, tick_us: int) -> None:
        """Close the channel if its oldest delivery has waited too long; else check again when it may have."""
        held, now_us = len(self._channel), self._clock.now_us
        oldest = self._channel.unacked.first.start if held else self._channel.next_tag
        while self._due and self._due[0][1] <= oldest:
            self._due.popleft()
        if not held or not self._due:
            self._due.clear()
            return
        due_us, _, timeout_ms = self._due[0]
        if due_us > now_us:
            self._look_at(
                min(each if each > now_us else now_us + tick_us for each, _, _ in self._due), tick_us
            )
            return
        self._due.clear()
        words = self._words.format(channel=channel_number(self._channel.name), timeout_ms=timeout_ms)
        self._fail(self._channel.name, AmqpError("precondition_failed", words), "P21")


def channel_number(name: str) -> int:
    """Return the number of a channel in its connection: the part after its dot, if that is a number."""
    behind = bare(name).partition(".")[2]
    return int(behind) if behind.isdecimal() else 1
