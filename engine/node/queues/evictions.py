"""What leaves a queue without a consumer: expired heads, and what is over the length limits (P8, P9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from engine.amqp.policies import Effective, too_long
from engine.extents import Extent
from engine.node.queues.queue_process import MILLISECOND_US, TIMER, QueueProcess
from engine.node.time.scheduler import Scheduler, Timer
from engine.ranges import Range
from engine.variable_queue.arrivals import Arrival, Taken, new_extent
from engine.variable_queue.rates import UPDATE_ABOVE
from engine.variable_queue.reduce import until_reduction
from engine.variable_queue.state import QueueState

Reason = Literal["expired", "rejected", "maxlen"]
Bury = Callable[[str, Reason, Sequence[Extent], Effective], None]


class Evictions:
    """The limits of one queue, and what it does to keep them.

    Args:
        bury: takes dead messages, if the queue has a dead-letter exchange.
    """

    def __init__(self, process: QueueProcess, scheduler: Scheduler, bury: Bury) -> None:
        self.process = process
        self.limits = Effective()
        self._scheduler = scheduler
        self._bury = bury
        self.expiries = False
        """Whether any message with an expiry came since the queue began."""
        self._timer: Timer | None = None
        self._armed_for_us = 0

    @property
    def dead_letters(self) -> bool:
        """Whether dead messages go to an exchange."""
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
        state, rooms = self.process.queue.state, [1 << 62]
        if self.limits.max_length is not None:
            rooms.append(self.limits.max_length - state.len)
        if self.limits.max_length_bytes is not None:
            left = self.limits.max_length_bytes - state.bytes
            if size_bytes:
                rooms.append(left // size_bytes)
            elif left < 0:
                rooms.append(0)
        return max(0, min(rooms))

    def obey(self, limits: Effective) -> None:
        """Take new limits one after the other, as the broker does: too long is judged by the old overflow (P17)."""
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
        """Drop expired heads; the first other message is taken and put back (P9).

        The pass is left out where taking and putting back changes nothing.
        """
        queue = self.process.queue
        if not queue.state.len:
            return
        if passes_without_effect(queue.state):
            self._arm(_head_expiry(queue.state))
            return
        if self.dead_letters:
            dead, next_us = queue.fetchwhile(queue.state.now_us)
            self._bury_taken("expired", dead)
        else:
            _, next_us = queue.dropwhile(queue.state.now_us)
        self._arm(next_us)

    def unexpired(self, count: int) -> int:
        """Return how many of `count` messages may be taken before one that a pass of drop_expired would drop (P10)."""
        state = self.process.queue.state
        if not self.expiries:
            return count
        lane = state.q4 if state.mode == "default" and state.q4 else state.q3
        ahead = 0
        for extent in lane:
            if ahead >= count or 0 < extent.expiry_us <= state.now_us:
                break
            ahead += extent.count
        return max(1, min(count, ahead))

    def _bury_taken(self, reason: Reason, dead: Sequence[Taken], one_by_one: bool = False) -> None:
        """Publish dead messages to the dead-letter exchange, then acknowledge them."""
        if dead:
            extents = [each.extent for each in dead]
            self._bury(self.process.name, reason, extents, self.limits)
            tags = [Range(each.start, each.count) for each in extents]
            self.process.queue.ack(tags, multiple=not one_by_one)

    def _arm(self, expiry_us: int | None) -> None:
        """Let the TTL timer fire when the head expires, rounded up to a millisecond; an earlier one stays (P9)."""
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
        self.process.tell(TIMER, self._fired)

    def _fired(self) -> None:
        self.process.begin()
        self.drop_expired()
        self.process.handled()

    def stop(self) -> None:
        """Cancel the timer; the process is gone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- length limits (P8) ------------------------------------------------------------------------------------------

    def drop_heads(self) -> int:
        """Drop messages from the head while the queue is too long; return how many (P8)."""
        queue, dropped = self.process.queue, 0
        if not self.drops_head:
            return 0
        while too_long(self.limits, queue.state.len, queue.state.bytes):
            count = self._too_many(queue.state)
            self._drop(count)
            dropped += count
        return dropped

    def _too_many(self, state: QueueState) -> int:
        """Return how many heads of one size must go at least."""
        surplus = [1]
        if self.limits.max_length is not None:
            surplus.append(state.len - self.limits.max_length)
        if self.limits.max_length_bytes is not None and state.mode == "default":
            head = (state.q4 or state.q3).first
            if head.size_bytes:
                over = -(-(state.bytes - self.limits.max_length_bytes) // head.size_bytes)
                surplus.append(min(over, head.count))
        return max(surplus)

    def _drop(self, count: int) -> None:
        queue = self.process.queue
        if self.dead_letters:
            for taken in queue.fetch(count, ack=True):
                self._bury_taken("maxlen", [taken], one_by_one=True)
        else:
            queue.drop(count, ack=False)

    def publish(self, arrival: Arrival, spacing_us: int) -> None:
        """Queue messages one after the other, each with what its arrival drops and expires (P8)."""
        queue, done = self.process.queue, 0
        while done < arrival.count:
            rest = arrival.part(done, arrival.count - done)
            count = self._at_once(rest)
            if done and self.drops_head:
                queue.state.now_us += spacing_us
            queue.publish(rest.part(0, count), spacing_us=spacing_us)
            dropped = self.drop_heads()
            alone = queue.state.len == 1
            if (dropped or alone) and not (dropped and alone and not arrival.expiry_us):
                self.drop_expired()
            done += count

    def _at_once(self, arrival: Arrival) -> int:
        """Return how many messages may be published before anything else happens; 1 is always right."""
        state = self.process.queue.state
        if not state.len:
            return 1
        if not self.drops_head:
            return arrival.count
        room = self.room(arrival.size_bytes)
        return min(arrival.count, room) if room else steady(state, arrival, self.limits)


def steady(state: QueueState, arrival: Arrival, limits: Effective) -> int:
    """Return how many messages may enter a full queue at once, each of which drops one head; 1 where that is unsure.

    So it is while entries leave q4 alone, no file but the journal is touched, and neither a reduction, a flush of the
    journal nor an update of the rates comes between.
    """
    new = new_extent(state, arrival)
    if state.mode != "default" or state.q4.total < 2 or (new.persistent and new.home_store):
        return 1
    head = state.q4.first
    count = min(arrival.count, state.q4.total - 1, head.count)
    if head.in_store or (head.expiry_us and head.expiry_us <= state.now_us):
        return 1
    if limits.max_length_bytes is not None and head.size_bytes != arrival.size_bytes:
        return 1
    if head.indexed or new.persistent:
        if state.target_ram_count is not None:
            return 1
        count = min(count, (state.settings.queue_index_max_journal_entries - state.index.dirty) // 3)
    counted = state.rates.counters[0] + state.rates.counters[1]
    count = min(count, (UPDATE_ABOVE - counted) // 2, until_reduction(state) - 1)
    return max(1, count)


def _head_expiry(state: QueueState) -> int:
    return (state.q4 if state.mode == "default" and state.q4 else state.q3).first.expiry_us


def passes_without_effect(state: QueueState) -> bool:
    """Tell whether a pass of drop_expired would leave the queue as it is: the head returns to where it was (Q36).

    That is so when it does not expire, taking it brings no refill, and it lies where the put-back puts it: in q4, or
    in q3 without its body and with q4 empty; in a lazy queue in q3.
    """
    if state.mode == "default" and state.q4:
        return not 0 < state.q4.first.expiry_us <= state.now_us
    if state.q3.total < 2:
        return False
    head = state.q3.first
    if 0 < head.expiry_us <= state.now_us:
        return False
    return state.mode == "lazy" or not head.in_ram
