"""Heartbeats of clients whose program hangs: the broker closes such a connection, unless it is blocked (A3).

The broker checks once in an interval whether anything came. It closes the connection at the third check after the last
bytes: the first of the three may still find those bytes. While a connection is blocked nobody counts, and afterwards
the count starts again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler

SILENT_CHECKS: Final = 3
SECOND_US: Final = 1_000_000


class Heartbeats:
    """The connections from which nothing comes any more.

    Args:
        blocked: returns whether a connection is not read, by its actor's name.
        close: closes the connection of an actor that was silent for too long; called with the interval in seconds.
    """

    def __init__(
        self, scheduler: TimerScheduler, blocked: Callable[[str], bool], close: Callable[[str, int], None]
    ) -> None:
        self._scheduler = scheduler
        self._blocked = blocked
        self._close = close
        self._timers: dict[str, ScheduledTimer] = {}

    def silent(self, actor: str, interval_s: int) -> None:
        """Nothing comes from an actor from now on."""
        self.heard(actor)
        self._check_later(actor, interval_s, 0)

    def heard(self, actor: str) -> None:
        """An actor sends something again, or is gone."""
        timer = self._timers.pop(actor, None)
        if timer is not None:
            timer.cancel()

    def _check_later(self, actor: str, interval_s: int, silent: int) -> None:
        check = partial(self._check, actor, interval_s, silent)
        self._timers[actor] = self._scheduler.after(interval_s * SECOND_US, check)

    def _check(self, actor: str, interval_s: int, silent: int) -> None:
        del self._timers[actor]
        silent = 0 if self._blocked(actor) else silent + 1
        if silent < SILENT_CHECKS:
            self._check_later(actor, interval_s, silent)
        else:
            self._close(actor, interval_s)
