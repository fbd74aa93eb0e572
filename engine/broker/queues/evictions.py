"""Evictions from a queue: expired heads, and messages over the length limits (P8, P9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec.structs import replace

from engine.amqp.policies import EffectivePolicy, too_long
from engine.backing_queue.protocol import Arrival, BackingQueue, TakenMessages
from engine.broker.queues.queue_process import TIMER, QueueProcess
from engine.broker.time.scheduler import MILLISECOND_US, ScheduledTimer, TimerScheduler
from engine.values.extents import Extent
from engine.values.sizes import equal, reach
from engine.values.stretches import Range

Reason = Literal["expired", "rejected", "maxlen"]
Dead = tuple[Extent, int]
"""Dead messages, and how often their delivery failed."""
Bury = Callable[[str, Reason, Sequence[Dead], EffectivePolicy], None]


def counted(queue: BackingQueue, extents: Iterable[Extent]) -> list[Dead]:
    """Return dead messages with how often their delivery failed (W42)."""
    return [each for extent in extents for each in queue.deliveries_of(extent)]


class LimitEvictions:
    """Keeps one queue within its limits. `bury`: takes dead messages, if the queue has a dead-letter exchange."""

    def __init__(self, process: QueueProcess, scheduler: TimerScheduler, bury: Bury) -> None:
        self.process = process
        self.limits = EffectivePolicy()
        self._scheduler = scheduler
        self._bury = bury
        self.expiries = False
        """Whether any message with an expiry arrived since the queue started."""
        self._timer: ScheduledTimer | None = None
        self._armed_for_us = 0

    @property
    def dead_letters(self) -> bool:
        return self.limits.dead_letter_exchange is not None

    @property
    def none_stays(self) -> bool:
        """Whether a message that no consumer takes at once is gone (P8.4)."""
        return self.limits.message_ttl_ms == 0 and not self.dead_letters

    @property
    def may_reject(self) -> bool:
        """Whether a full queue refuses new messages (P8)."""
        limited = self.limits.max_length is not None or self.limits.max_length_bytes is not None
        return limited and self.limits.overflow != "drop-head"

    @property
    def drops_head(self) -> bool:
        """Whether a full queue makes room at its head (P8)."""
        limited = self.limits.max_length is not None or self.limits.max_length_bytes is not None
        return limited and self.limits.overflow == "drop-head"

    @property
    def ttl_at_us(self) -> int | None:
        """When the TTL timer fires (P9)."""
        return self._timer.at_us if self._timer is not None else None

    def room(self, size_bytes: int) -> int:
        """Return how many more messages of a size fit before the limits (P8)."""
        queue, rooms = self.process.queue, [1 << 62]
        if self.limits.max_length is not None:
            rooms.append(self.limits.max_length - queue.depth)
        if self.limits.max_length_bytes is not None:
            left = self.limits.max_length_bytes - queue.ready_bytes
            if size_bytes:
                rooms.append(left // size_bytes)
            elif left < 0:
                rooms.append(0)
        return max(0, min(rooms))

    def obey(self, limits: EffectivePolicy) -> None:
        """Apply new limits one after the other, as the broker does: a queue that is too long still uses the old
        overflow (P17).
        """
        old = self.limits
        for step in (
            replace(
                limits,
                max_length=old.max_length,
                max_length_bytes=old.max_length_bytes,
                overflow=old.overflow,
            ),
            replace(limits, max_length_bytes=old.max_length_bytes, overflow=old.overflow),
            replace(limits, overflow=old.overflow),
            limits,
        ):
            self.limits = step
            self.drop_heads()

    # --- expiry (P9) -------------------------------------------------------------------------------------------------
    def drop_expired(self) -> None:
        """Drop expired heads; the first other message is taken and put back (P9). The pass is skipped if
        taking and putting back changes nothing.
        """
        queue = self.process.queue
        if not queue.depth:
            return
        if queue.head_stays():
            expiry_us = queue.head_expiry_us()
            if expiry_us:
                self._arm(expiry_us)
            return
        if self.dead_letters:
            dead, next_us = queue.fetchwhile(queue.now_us)
            self._bury_taken("expired", dead)
        else:
            _, next_us = queue.dropwhile(queue.now_us)
        self._arm(next_us)

    def _bury_taken(self, reason: Reason, dead: Sequence[TakenMessages], one_by_one: bool = False) -> None:
        """Publish dead messages to the dead-letter exchange, then acknowledge them."""
        if dead:
            extents = [each.extent for each in dead]
            self._bury(self.process.name, reason, counted(self.process.queue, extents), self.limits)
            tags = [Range(each.start, each.count) for each in extents]
            self.process.queue.ack(tags, multiple=not one_by_one)

    def _arm(self, expiry_us: int | None) -> None:
        """Set the TTL timer to the head's expiry, rounded up to a millisecond; an earlier timer stays (P9)."""
        if not expiry_us:
            return
        if self._timer is not None:
            if expiry_us + MILLISECOND_US >= self._armed_for_us:
                return
            self._timer.cancel()
        left_us = max(0, expiry_us - self._scheduler.now_us)
        self._armed_for_us = expiry_us
        self._timer = self._scheduler.after(-(-left_us // MILLISECOND_US) * MILLISECOND_US, self._due)

    def _due(self) -> None:
        self._timer = None
        self.process.send(TIMER, self._fired)

    def _fired(self) -> None:
        self.process.begin()
        self.drop_expired()
        self.process.handled()

    def stop(self) -> None:
        """Cancel the timer of a process that is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- length limits (P8) ------------------------------------------------------------------------------------------
    def drop_heads(self) -> int:
        """Drop messages from the head while the queue is too long; return how many (P8)."""
        queue, dropped = self.process.queue, 0
        if not self.drops_head:
            return 0
        while too_long(self.limits, queue.depth, queue.ready_bytes):
            count = self._too_many()
            self._drop(count)
            dropped += count
        return dropped

    def _too_many(self) -> int:
        """Return how many heads of one size must be dropped at least."""
        queue, surplus = self.process.queue, [1]
        if self.limits.max_length is not None:
            surplus.append(queue.depth - self.limits.max_length)
        if self.limits.max_length_bytes is not None:
            head = queue.head_extent()
            if head is not None and head.size_bytes:
                over = queue.ready_bytes - self.limits.max_length_bytes
                surplus.append(reach(head.size_bytes, head.msg_no, head.count, 1, over))
        return max(surplus)

    def _drop(self, count: int) -> None:
        queue = self.process.queue
        if self.dead_letters:
            for taken in queue.fetch(count, ack=True):
                self._bury_taken("maxlen", [taken], one_by_one=True)
        else:
            queue.drop(count, ack=False)

    def publish(self, arrival: Arrival, spacing_us: int, already_delivered: bool = False) -> None:
        """Queue messages one after the other, each with the drops and expiries that it causes (P8)."""
        queue, drops, done = self.process.queue, self.drops_head, 0
        while done < arrival.count:
            rest = arrival.part(done, arrival.count - done) if done else arrival
            count = rest.count if rest.count == 1 else self._at_once(rest)
            if done and drops:
                queue.pass_time(spacing_us)
            part = rest if count == rest.count else rest.part(0, count)
            queue.publish((part,), already_delivered, spacing_us)
            dropped = self.drop_heads() if drops else 0
            alone = queue.depth == 1
            if (dropped or alone) and not (dropped and alone and not arrival.expiry_us):
                self.drop_expired()
            done += count

    def _at_once(self, arrival: Arrival) -> int:
        """Return how many messages may be published before anything else happens; 1 is always correct."""
        queue = self.process.queue
        if not queue.depth:
            return 1
        if not self.drops_head:
            return arrival.count
        room = self.room(equal(arrival.size_bytes))
        if room:
            return min(arrival.count, room)
        return queue.steady(arrival, same_size=self.limits.max_length_bytes is not None)
