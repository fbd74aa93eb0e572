"""Methods that need a queue whose master is gone wait for another one, about a minute; then 404 (H64, H67)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from engine.amqp.errors import AmqpError, queue_words
from engine.broker.clients.closing import ChannelClosing
from engine.broker.clients.consumers import Consumers
from engine.broker.clients.manual_channels import channel_of
from engine.broker.commands.base import Command
from engine.broker.mirrors.membership import MirrorMembership
from engine.broker.time.scheduler import TimerScheduler

LIMIT_US: Final = 2000 * 30_000
"""2000 tries, one each 30 ms."""


class PendingCalls:
    """Clients and commands that wait for queues that are down.

    Args:
        redo: does a command that its client sent while its channel waited.
    """

    def __init__(
        self,
        roll: MirrorMembership,
        consumers: Consumers,
        closing: ChannelClosing,
        clock: TimerScheduler,
        redo: Callable[[Command], None],
    ) -> None:
        self._roll = roll
        self._consumers = consumers
        self._closing = closing
        self._clock = clock
        self._redo = redo
        self._waiting = roll.waiting
        self._behind: dict[str, deque[Command]] = {}

    # --- methods -----------------------------------------------------------------------------------------------------

    def puts_off(self, queue: str, channel: str, do: Callable[[], None], forever: bool = False) -> bool:
        """Keep a method for later if its queue is down; return whether it is kept.

        Args:
            forever: the method waits as long as it takes.

        Raises AmqpError 404 for a queue that will not come back by itself: its node stopped in order.
        """
        record = self._roll.records.get(queue)
        if record is None or record.alive:
            return False
        if record.stopped and not forever:
            raise AmqpError("not_found", f"{queue_words(queue)} process is stopped by supervisor")
        waiting = partial(self._go_on, channel, do)
        self._waiting.setdefault(queue, []).append(waiting)
        self._behind.setdefault(channel, deque())
        if not forever:
            self._clock.after(LIMIT_US, partial(self._give_up, queue, channel, waiting))
        return True

    def keeps(self, command: Command) -> bool:
        """Keep a command that its client sends on a channel that waits; return whether it was kept."""
        behind = self._behind.get(channel_of(command) or "")
        if behind is None:
            return False
        behind.append(command)
        return True

    def _give_up(self, queue: str, channel: str, waiting: Callable[[], None]) -> None:
        if waiting not in self._waiting.get(queue, ()):
            return
        self._waiting[queue].remove(waiting)
        self._behind.pop(channel, None)
        text = f"failed to perform operation on {queue_words(queue)} due to timeout"
        self._closing.fail(channel, AmqpError("not_found", text), "H64")

    def _go_on(self, channel: str, do: Callable[[], None]) -> None:
        """Do a method that has waited, and then what came behind it on its channel."""
        behind = self._behind.pop(channel, deque())
        try:
            do()
        except AmqpError as error:
            self._closing.fail(channel, error, "H64")
            return
        for command in behind:
            self._redo(command)

    # --- consumers (H67) ---------------------------------------------------------------------------------------------

    def went_down(self, queue: str) -> None:
        """No mirror took over: consumers that want so are cancelled, the others try for a minute to consume again."""
        record = self._roll.records[queue]
        for consumer in self._consumers.of_down(queue):
            if consumer.cancel_on_failover or record.stopped:
                self._consumers.cancel_down(consumer)
            else:
                self._clock.after(LIMIT_US, partial(self._gave_up, queue, consumer.name, record.downs))

    def _gave_up(self, queue: str, name: str, downs: int) -> None:
        record, consumer = self._roll.records.get(queue), self._consumers.all.get(name)
        if record is None or record.alive or record.downs != downs or consumer is None:
            return
        if consumer in self._consumers.of_down(queue):
            self._consumers.cancel_down(consumer)
