"""When queues go by themselves: auto-delete with the last consumer, x-expires when nobody uses them (P18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from engine.broker.clients.actors import OPEN
from engine.broker.clients.queue import ClientQueue
from engine.broker.queues.queue_process import MILLISECOND_US
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.broker.vhost.definitions import HostDefinitions


class QueueLifetimes:
    """The expiry timers of all queues.

    Args:
        end: deletes a queue: its name, the rule and the cause.
    """

    def __init__(
        self, definitions: HostDefinitions, clock: TimerScheduler, end: Callable[[str, str, str], None]
    ) -> None:
        self._definitions = definitions
        self._clock = clock
        self._end = end
        self._timers: dict[str, ScheduledTimer] = {}

    def expires_at_us(self, queue: str) -> int | None:
        """Return when a queue goes unless somebody uses it, None for never."""
        if queue not in self._timers:
            return None
        timer = self._timers[queue]
        return timer.at_us if timer.live else None

    def used(self, queue: ClientQueue) -> None:
        """Begin to wait again: the queue was declared, got from, or lost a consumer; with consumers it waits on."""
        name = queue.name
        if name in self._timers and _consumed(queue):
            return
        self.forget(name)
        expires_ms = self._definitions.effective(name).expires_ms
        if expires_ms is not None:
            self._timers[name] = self._clock.after(expires_ms * MILLISECOND_US, partial(self._expired, queue))

    def _expired(self, queue: ClientQueue) -> None:
        del self._timers[queue.name]
        if not _consumed(queue):
            self._end(queue.name, "P18", "expired")

    def lost_consumer(self, queue: ClientQueue) -> None:
        """Look whether a queue goes with its last consumer."""
        definition = self._definitions.queues[queue.name]
        if definition.auto_delete and queue.used and not _consumed(queue):
            self._end(queue.name, "P18", "auto_delete")
        else:
            self.used(queue)

    def connections_closed(self, queues: Iterable[ClientQueue]) -> None:
        """The node stops in order and closes all connections first: auto-delete queues that had consumers go."""
        for queue in list(queues):
            if self._definitions.queues[queue.name].auto_delete and queue.consumers:
                self._end(queue.name, "P18", "auto_delete")

    def forget(self, queue: str) -> None:
        """Wait no longer."""
        timer = self._timers.pop(queue, None)
        if timer is not None:
            timer.cancel()


def _consumed(queue: ClientQueue) -> bool:
    """Return whether anybody consumes from a queue on an open connection."""
    return any(each.connection_state == OPEN for each in queue.consumers)
