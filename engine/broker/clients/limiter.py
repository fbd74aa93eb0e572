"""The limit that one channel sets for all its consumers: basic.qos with global (P13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.broker.commands.base import MAX_COUNT


class WaitingQueue(Protocol):
    """A queue that was refused, and is notified when there is room again."""

    def resume(self, limiter: PrefetchLimiter) -> None:
        """Go on with the consumers of the limiter's channel."""


class PrefetchLimiter:
    """Counts what consumers of one channel hold, over all queues.

    The volume starts at everything that is unacknowledged when the limit is set, messages of basic.get included; later
    only what consumers get and give back counts.
    """

    def __init__(self) -> None:
        self.limit = 0
        """How many messages consumers of the channel may hold, 0 for any number."""
        self.volume = 0
        self._waiting: dict[WaitingQueue, None] = {}

    @property
    def active(self) -> bool:
        """Whether there is a limit."""
        return self.limit > 0

    @property
    def room(self) -> int:
        """How many messages consumers may still get; 0 or less when the limit is reached.

        A queue still asks for a moment when the limit is lifted already.
        """
        return self.limit - self.volume if self.active else MAX_COUNT

    @property
    def _reached(self) -> bool:
        return self.active and self.volume >= self.limit

    def may_send(self, queue: WaitingQueue) -> bool:
        """Return whether one more message may go out; if not, the queue is notified when that changes."""
        if self._reached:
            self._waiting[queue] = None
            return False
        return True

    def sent(self, count: int) -> None:
        """Count messages that consumers got and must acknowledge."""
        self.volume += count

    def acked(self, count: int, settle: Callable[[], None]) -> None:
        """Count messages that consumers hold no longer, and let their queues settle them; a volume of 0 stays.

        A queue that takes messages back and then asks finds the room already. Queues that were refused before hear of
        it behind what they settle.
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
        """Take a limit; `unacked` deliveries of the channel are outstanding when it is the first."""
        reached = self._reached
        if not self.active:
            self.volume = unacked
        self.limit = limit
        self._notify(reached and not self._reached)

    def lift(self) -> None:
        """Have no limit any more."""
        reached = self._reached
        self.limit = self.volume = 0
        self._notify(reached)

    def forget(self, queue: WaitingQueue) -> None:
        """A queue is gone, or has no consumer of this channel any more."""
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
