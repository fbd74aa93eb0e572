"""The scheduler of virtual time, with one fixed order of events (promise 1), steady rates and repeatable draws."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection
from heapq import heappop, heappush
from typing import Final

import msgspec

MULTIPLIER: Final = 6364136223846793005
INCREMENT: Final = 1442695040888963407
MODULUS: Final = 1 << 64
"""Modulus of Knuth's linear congruential generator."""
LOW_BITS: Final = 33
"""Low bits that are dropped, because they repeat too soon."""


class RandomDraws:
    """A sequence of draws. `seed`: all draws follow from it."""

    __slots__ = ("_state",)

    def __init__(self, seed: str) -> None:
        self._state = zlib.crc32(seed.encode())
        self.below(1)

    def below(self, bound: int) -> int:
        """Return a whole number from 0 up to but not including `bound`."""
        self._state = (self._state * MULTIPLIER + INCREMENT) % MODULUS
        return (self._state >> LOW_BITS) % bound


MILLISECOND_US: Final = 1000
SECOND_US: Final = 1_000_000
TICK_US: Final = 10_000
"""Shortest time between two actions of an actor; what falls due in between is one batch."""

BURST_SPACING_US = 1
"""Microseconds between messages that come or go at once, so that the queue's rates see them all (Q26)."""


class RatePace:
    """How much is due at a steady rate, counted from its start. `phase_us`: offset of this actor in the grid
    of ticks; publishers at 0, consumers half a tick later.
    """

    __slots__ = ("rate_per_s", "phase_us", "tick_us", "_origin_us", "_begun", "_done")

    def __init__(self, rate_per_s: int, phase_us: int) -> None:
        self.rate_per_s = rate_per_s
        self.phase_us = phase_us
        self.tick_us = TICK_US
        """Its tick in microseconds: a coarser grid costs less when work comes in coarse bursts. The usual grid applies
        when nothing is due at a tick, and when all is done before it, so that pauses have the same length on both grids
        and a queue syncs in the same pauses (P2).
        """
        self._origin_us = 0
        self._begun = 0
        """Progress towards the first one when counting started, in millionths."""
        self._done = 0

    def begin(self, now_us: int) -> None:
        """Start counting, with nothing due yet."""
        self._origin_us = now_us
        self._begun = 0
        self._done = 0

    def change(self, rate_per_s: int, now_us: int) -> None:
        """Change the rate from now on; what is due stays due, and partial progress is kept."""
        begun = self._progress(now_us) - self._done * SECOND_US
        self.rate_per_s = rate_per_s
        self.begin(now_us)
        self._begun = begun

    def due(self, now_us: int) -> int:
        return self._progress(now_us) // SECOND_US - self._done

    def _progress(self, now_us: int) -> int:
        """Return how much has become due since counting started, in millionths."""
        return self._begun + (now_us - self._origin_us) * self.rate_per_s

    def did(self, count: int) -> None:
        """Note that `count` of what was due is done."""
        self._done += count

    def next_us(self, now_us: int, most: int = 0) -> int:
        """Return the next tick after `now_us` at which something is due. `most`: how much it can do at all,
        if known.
        """
        first_us = self.done_us(1, now_us)
        first_us += (self.phase_us - first_us) % TICK_US
        if self.tick_us == TICK_US:
            return first_us
        own_us = now_us + self.tick_us - (now_us - self.phase_us) % self.tick_us
        if most:
            last_us = self.done_us(most, now_us)
            own_us = min(own_us, last_us + (self.phase_us - last_us) % TICK_US)
        return max(first_us, own_us)

    def done_us(self, count: int, now_us: int) -> int:
        """Return the first time after `now_us` at which `count` more are due than done."""
        left = (self._done + count) * SECOND_US - self._begun
        at_us = self._origin_us - (-left // self.rate_per_s)
        return at_us if at_us > now_us else now_us + 1

    def spacing_us(self, count: int, sharing: int) -> int:
        """Return the distance of `count` messages of one tick when `sharing` actors share half a tick."""
        return TICK_US // 2 // (sharing or 1) // (count or 1)


OWN: Final = 0
"""Rank of the node's own events."""
COMMAND: Final = 1
"""Rank of a command: at equal times it comes after the node's own events."""


class ScheduledTimer(msgspec.Struct, eq=False):
    """Something that will happen once, unless it is cancelled."""

    at_us: int
    action: Callable[[], None] | None
    number: int
    """Number of its latest setting; a heap entry with another number is outdated and refers to this one."""

    @property
    def live(self) -> bool:
        """Whether it has neither happened nor been cancelled."""
        return self.action is not None

    def cancel(self) -> None:
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
        """Let `action` happen `delay_us` from now instead of a timer's action; return the valid timer. This
        equals cancelling the timer and setting another, but a timer that is postponed often stays in the heap
        until its old time.
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

    def next_us(self, but: Collection[Callable[[], None]] = ()) -> int | None:
        """Return the time of the first timer, even if it was postponed; None if there is none. `but`: actions
        whose timers do not count.
        """
        if not but:
            return self._heap[0][0] if self._heap else None
        others = (at_us for at_us, _, _, timer in self._heap if timer.action and timer.action not in but)
        return min(others, default=None)

    def run_next(self, until_us: int) -> bool:
        """Run the first action, if it is due by `until_us`; return whether there was one."""
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
