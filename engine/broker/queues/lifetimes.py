"""When queues go by themselves: auto-delete with the last consumer, x-expires when nobody uses them (P18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from engine.broker.clients.consumers import Consumers
from engine.broker.queues.deliveries import Deliveries
from engine.broker.queues.queue_process import MILLISECOND_US
from engine.broker.time.scheduler import Scheduler, Timer
from engine.broker.vhost.definitions import Definitions


class Lifetimes:
    """The expiry timers of all queues.

    Args:
        end: deletes a queue: its name, the rule and the cause.
    """

    def __init__(
        self, definitions: Definitions, clock: Scheduler, end: Callable[[str, str, str], None]
    ) -> None:
        self._definitions = definitions
        self._clock = clock
        self._end = end
        self._timers: dict[str, Timer] = {}
        self.consumers: Consumers
        """Set by the node, which makes both."""

    def expires_at_us(self, queue: str) -> int | None:
        """Return when a queue goes unless somebody uses it, None for never."""
        timer = self._timers.get(queue)
        return timer.at_us if timer is not None and timer.live else None

    def used(self, queue: str) -> None:
        """Begin to wait anew: the queue was declared, got from, or lost a consumer; with consumers it waits on."""
        if queue in self._timers and self.consumers.of(queue):
            return
        self.forget(queue)
        expires_ms = self._definitions.effective(queue).expires_ms
        if expires_ms is not None:
            self._timers[queue] = self._clock.after(
                expires_ms * MILLISECOND_US, partial(self._expired, queue)
            )

    def _expired(self, queue: str) -> None:
        del self._timers[queue]
        if not self.consumers.of(queue):
            self._end(queue, "P18", "expired")

    def lost_consumer(self, queue: Deliveries) -> None:
        """Look whether a queue goes with its last consumer."""
        definition = self._definitions.queues[queue.name]
        if definition.auto_delete and queue.used and not self.consumers.of(queue.name):
            self._end(queue.name, "P18", "auto_delete")
        else:
            self.used(queue.name)

    def connections_closed(self, queues: Iterable[Deliveries]) -> None:
        """The node stops in order and closes all connections first: auto-delete queues that had consumers go."""
        for queue in list(queues):
            if self._definitions.queues[queue.name].auto_delete and queue.consumers:
                self._end(queue.name, "P18", "auto_delete")

    def forget(self, queue: str) -> None:
        """Wait no longer."""
        timer = self._timers.pop(queue, None)
        if timer is not None:
            timer.cancel()
