"""Steady rates on a grid of ticks, exact in whole numbers: cost follows ticks, not messages."""

from __future__ import annotations

from typing import Final

SECOND_US: Final = 1_000_000
TICK_US: Final = 10_000
"""Actors act at most this often; what falls due in between is one batch."""

BURST_SPACING_US = 1
"""Messages that come or go all at once are this far apart, so that the queue's rates see them all (Q26)."""


class RatePace:
    """How much is due at a steady rate, counted from when it began.

    Args:
        phase_us: where on the grid of ticks this actor acts; publishers at 0, consumers half a tick later.
    """

    __slots__ = ("rate_per_s", "phase_us", "tick_us", "_origin_us", "_begun", "_done")

    def __init__(self, rate_per_s: int, phase_us: int) -> None:
        self.rate_per_s = rate_per_s
        self.phase_us = phase_us
        self.tick_us = TICK_US
        """How often it acts at most: a coarser grid costs less where what it works on comes in coarse bursts. It is
        left for the usual one where nothing is due at its tick, and where all is done before: so pauses are as long
        on either, and a queue syncs in the same ones (P2)."""
        self._origin_us = 0
        self._begun = 0
        """How far the first one was when counting started, in millionths."""
        self._done = 0

    def begin(self, now_us: int) -> None:
        """Start counting: nothing is due yet."""
        self._origin_us = now_us
        self._begun = 0
        self._done = 0

    def change(self, rate_per_s: int, now_us: int) -> None:
        """Go on at another rate from now: what is due already stays due, and what was begun is not lost."""
        begun = self._progress(now_us) - self._done * SECOND_US
        self.rate_per_s = rate_per_s
        self.begin(now_us)
        self._begun = begun

    def due(self, now_us: int) -> int:
        """Return how many are due and not yet done."""
        return self._progress(now_us) // SECOND_US - self._done

    def _progress(self, now_us: int) -> int:
        """Return how much there was to do since counting started, in millionths."""
        return self._begun + (now_us - self._origin_us) * self.rate_per_s

    def did(self, count: int) -> None:
        """Note that `count` of what was due is done."""
        self._done += count

    def next_us(self, now_us: int, most: int = 0) -> int:
        """Return when it acts next after `now_us`: at a tick at which something is due.

        Args:
            most: how much it can do at all, where that is known.
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
        """Return the moment after `now_us` at which `count` more are due than are done."""
        left = (self._done + count) * SECOND_US - self._begun
        at_us = self._origin_us - (-left // self.rate_per_s)
        return at_us if at_us > now_us else now_us + 1

    def spacing_us(self, count: int, sharing: int) -> int:
        """Return how far apart `count` messages of one tick are when `sharing` actors use half a tick in turn."""
        return TICK_US // 2 // (sharing or 1) // (count or 1)
