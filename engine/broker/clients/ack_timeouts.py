"""How long a delivery may wait for its acknowledgement until its channel is closed (P21)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from engine.amqp.errors import AmqpError
from engine.broker.clients.channel import Channel
from engine.broker.commands.settings import NodeSettings
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.values.labels import bare

MILLISECOND_US: Final = 1000
MOST: Final = 1000
"""Groups of deliveries of one channel that are told apart."""


class AckTimeout:
    """Looks at the oldest delivery of one channel, by ticks that begin with the first that waits.

    What is remembered is for each tick the last delivery that is too old then, so no more than ticks in a timeout.

    Args:
        channel: whose deliveries they are.
        clock: virtual time.
        settings: returns the node's.
        own: returns the timeout in milliseconds that a queue has by policy, None for the node's.
        fail: closes a channel for an error: its name, the error and the rule.
    """

    def __init__(
        self,
        channel: Channel,
        clock: TimerScheduler,
        settings: Callable[[], NodeSettings],
        own: Callable[[str], int | None],
        fail: Callable[[str, AmqpError, str], None],
    ) -> None:
        self._channel = channel
        self._clock = clock
        self._settings = settings
        self._own = own
        self._fail = fail
        self._ticks_from_us = 0
        self._due: deque[tuple[int, int, int]] = deque()
        """When deliveries are too old, one past the last delivery tag that is so then, and the timeout in ms."""
        self._timer: ScheduledTimer | None = None

    def delivered(self, queue: str, held: int) -> None:
        """Note that messages of a queue went out, under the tags below the channel's next one.

        Args:
            held: how many deliveries waited before.
        """
        settings = self._settings()
        own = self._own(queue)
        timeout_ms = settings.consumer_timeout_ms if own is None else own
        if not timeout_ms:
            return
        now_us, tick_us = self._clock.now_us, settings.channel_tick_interval_ms * MILLISECOND_US
        if not held:
            self._due.clear()
            self._ticks_from_us = now_us
        late_us = now_us + timeout_ms * MILLISECOND_US
        due_us = self._ticks_from_us + ((late_us - self._ticks_from_us) // tick_us + 1) * tick_us
        tag = self._channel.next_tag
        if self._due and (self._due[-1][0] == due_us or len(self._due) >= MOST):
            due_us, _, timeout_ms = self._due.pop()
        self._due.append((due_us, tag, timeout_ms))
        if self._timer is None or not self._timer.live or due_us < self._timer.at_us:
            self._look_at(due_us, tick_us)

    def _look_at(self, at_us: int, tick_us: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.at(at_us, partial(self._look, tick_us))

    def _look(self, tick_us: int) -> None:
        """Close the channel if its oldest delivery waits too long; else look again when that may be."""
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
        words = (
            f"delivery acknowledgement on channel {channel_number(self._channel.name)} timed out. "
            f"Timeout value used: {timeout_ms} ms. "
            "This timeout value can be configured, see consumers doc guide to learn more"
        )
        self._fail(self._channel.name, AmqpError("precondition_failed", words), "P21")


def channel_number(name: str) -> int:
    """Return the number of a channel in its connection: what stands behind its dot, if that is one."""
    behind = bare(name).partition(".")[2]
    return int(behind) if behind.isdecimal() else 1
