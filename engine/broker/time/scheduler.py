"""Virtual time: what is to happen when, in one fixed order (promise 1)."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

OWN: Final = 0
"""Rank of what the node does by itself."""
COMMAND: Final = 1
"""Rank of a command: at equal times it comes after everything that the node does by itself."""


class ScheduledTimer:
    """Something that will happen once, unless it is cancelled."""

    __slots__ = ("at_us", "action", "number")

    def __init__(self, at_us: int, action: Callable[[], None], number: int) -> None:
        self.at_us = at_us
        self.action: Callable[[], None] | None = action
        self.number = number
        """Of its setting: an entry of the heap with another one is older, and only leads to this one."""

    @property
    def live(self) -> bool:
        """Whether it has neither happened nor been cancelled."""
        return self.action is not None

    def cancel(self) -> None:
        """Make sure that it does not happen."""
        self.action = None


class TimerScheduler:
    """A heap of timers by (time, rank, order of setting) and the clock that follows it."""

    __slots__ = ("now_us", "_heap", "_set")

    def __init__(self) -> None:
        self.now_us = 0
        self._heap: list[tuple[int, int, int, ScheduledTimer]] = []
        self._set = 0

    def time(self) -> int:
        """Return the virtual time in microseconds."""
        return self.now_us

    def at(self, at_us: int, action: Callable[[], None], rank: int = OWN) -> ScheduledTimer:
        """Let `action` happen at `at_us`, or now if that is past."""
        timer = ScheduledTimer(at_us if at_us > self.now_us else self.now_us, action, self._set)
        heappush(self._heap, (timer.at_us, rank, self._set, timer))
        self._set += 1
        return timer

    def after(self, delay_us: int, action: Callable[[], None]) -> ScheduledTimer:
        """Let `action` happen `delay_us` from now."""
        return self.at(self.now_us + delay_us, action)

    def after_instead(
        self, timer: ScheduledTimer | None, delay_us: int, action: Callable[[], None]
    ) -> ScheduledTimer:
        """Let `action` happen `delay_us` from now, and not what a timer was set for; return the timer that counts.

        All is as if the timer were cancelled and another one set. But one that is put off again and again stays where
        it is in the heap until its old time comes.
        """
        at_us = self.now_us + delay_us
        if timer is None or timer.action is None:
            return self.at(at_us, action)
        if at_us < timer.at_us:
            timer.action = None
            return self.at(at_us, action)
        timer.at_us, timer.action, timer.number = at_us, action, self._set
        self._set += 1
        return timer

    def next_us(self) -> int | None:
        """Return the time of what comes first, perhaps of a timer that was cancelled or put off; None for nothing."""
        return self._heap[0][0] if self._heap else None

    def run_next(self, until_us: int) -> bool:
        """Do what comes first, if it comes at or before `until_us`; return whether something was done."""
        heap = self._heap
        while heap and heap[0][0] <= until_us:
            _, rank, number, timer = heappop(heap)
            action = timer.action
            if action is None:
                continue
            if number != timer.number:  # put off since
                heappush(heap, (timer.at_us, rank, timer.number, timer))
                continue
            timer.action = None
            self.now_us = timer.at_us
            action()
            return True
        return False
