"""Methods that need a queue whose master is gone wait for another one, about a minute; then 404 (H64, H67)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from engine.amqp.errors import AmqpError, queue_words
from engine.broker.clients.closing import Closing
from engine.broker.clients.consumers import Consumers
from engine.broker.clients.unread import channel_of
from engine.broker.commands.base import Command
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.time.scheduler import Scheduler

LIMIT_US: Final = 2000 * 30_000
"""2000 tries, one each 30 ms."""


class WaitingMethod:
    """One method that waits.

    Args:
        channel: whose it is; it does nothing else meanwhile.
        do: what is done when the queue is there again.
    """

    __slots__ = ("channel", "do")

    def __init__(self, channel: str, do: Callable[[], None]) -> None:
        self.channel = channel
        self.do = do


class Patience:
    """What waits for queues that are down.

    Args:
        redo: does a command that its client sent while its channel waited.
    """

    def __init__(
        self,
        cluster: MirroredQueues,
        consumers: Consumers,
        closing: Closing,
        clock: Scheduler,
        redo: Callable[[Command], None],
    ) -> None:
        self._cluster = cluster
        self._consumers = consumers
        self._closing = closing
        self._clock = clock
        self._redo = redo
        self._waiting: dict[str, list[WaitingMethod]] = {}
        self._behind: dict[str, deque[Command]] = {}
        cluster.hooks.down = self._went_down
        cluster.hooks.served = self._served

    # --- methods -----------------------------------------------------------------------------------------------------

    def puts_off(self, queue: str, channel: str, do: Callable[[], None], forever: bool = False) -> bool:
        """Keep a method for later if its queue is down; return whether it is kept.

        Args:
            forever: the method waits as long as it takes.

        Raises AmqpError 404 for a queue that will not come back by itself: its node stopped in order.
        """
        record = self._cluster.records.get(queue)
        if record is None or record.alive:
            return False
        if record.stopped and not forever:
            raise AmqpError("not_found", f"{queue_words(queue)} process is stopped by supervisor")
        waiting = WaitingMethod(channel, do)
        self._waiting.setdefault(queue, []).append(waiting)
        self._behind.setdefault(channel, deque())
        if not forever:
            self._clock.after(LIMIT_US, partial(self._give_up, queue, waiting))
        return True

    def keeps(self, command: Command) -> bool:
        """Keep a command that its client sends on a channel that waits; return whether it was kept."""
        behind = self._behind.get(channel_of(command) or "")
        if behind is None:
            return False
        behind.append(command)
        return True

    def _give_up(self, queue: str, waiting: WaitingMethod) -> None:
        if waiting not in self._waiting.get(queue, ()):
            return
        self._waiting[queue].remove(waiting)
        self._behind.pop(waiting.channel, None)
        text = f"failed to perform operation on {queue_words(queue)} due to timeout"
        self._closing.fail(waiting.channel, AmqpError("not_found", text), "H64")

    def _served(self, queue: str) -> None:
        """A master serves the queue again, or it is gone for good: do what waited, and what came behind it."""
        for waiting in self._waiting.pop(queue, ()):
            behind = self._behind.pop(waiting.channel, deque())
            try:
                waiting.do()
            except AmqpError as error:
                self._closing.fail(waiting.channel, error, "H64")
                continue
            for command in behind:
                self._redo(command)

    # --- consumers (H67) ---------------------------------------------------------------------------------------------

    def _went_down(self, queue: str) -> None:
        """No mirror took over: consumers that want so are cancelled, the others try for a minute to consume again."""
        record = self._cluster.records[queue]
        for consumer in self._consumers.of_down(queue):
            if consumer.cancel_on_failover or record.stopped:
                self._consumers.cancel_down(consumer)
            else:
                self._clock.after(LIMIT_US, partial(self._gave_up, queue, consumer.name, record.downs))

    def _gave_up(self, queue: str, name: str, downs: int) -> None:
        record, consumer = self._cluster.records.get(queue), self._consumers.all.get(name)
        if record is None or record.alive or record.downs != downs or consumer is None:
            return
        if consumer in self._consumers.of_down(queue):
            self._consumers.cancel_down(consumer)
