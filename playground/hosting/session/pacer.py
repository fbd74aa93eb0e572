"""From real time to virtual time, without I/O: the caller gives the time."""

from __future__ import annotations

import math

from playground.hosting.session.page_clock import PageClock

MIN_SPEED = 0.001
MAX_SPEED = 100.0
CATCH_UP_S = 0.25
"""An engine that cannot keep up owes at most this much real time; the rest is forgotten, so it runs slower."""


class RunPacer:
    """How far virtual time should be by now.

    Args:
        play: whether time passes.
        speed: virtual seconds per real second.
    """

    def __init__(self, play: bool = False, speed: float = 1.0) -> None:
        self.play = play
        self.speed = speed
        self._anchor_s = 0.0
        self._anchor_us = 0.0

    def set(self, now_s: float, at_us: int, play: bool | None = None, speed: float | None = None) -> None:
        """Change the pace; what passed until now stays as it is."""
        if play is not None:
            self.play = play
        if speed is not None:
            self.speed = min(max(speed, MIN_SPEED), MAX_SPEED)
        self.anchor(now_s, at_us)

    def anchor(self, now_s: float, at_us: int) -> None:
        """Say that at real time `now_s` the virtual time is `at_us`."""
        self._anchor_s, self._anchor_us = now_s, float(at_us)

    def real_s(self, at_us: int | None) -> float:
        """Return the real time at which a virtual one comes while time passes; never, if there is none."""
        if at_us is None:
            return math.inf
        return self._anchor_s + (at_us - self._anchor_us) / (self.speed * 1e6)

    def page_clock(self, now_us: int, stop_us: int) -> PageClock:
        """Return what pages are sent of a run that is at `now_us`, where it should be, and stops at `stop_us`."""
        at_s = self.real_s(now_us)
        if not self.play:
            return PageClock.stand(at_s, now_us, self.speed)
        return PageClock.go(at_s, now_us, self.speed, stop_us)

    def due_us(self, now_s: float, at_us: int, owes_s: float = CATCH_UP_S, next_us: int | None = 0) -> int:
        """Return the virtual time to advance to, at least `at_us` (where the engine is).

        Args:
            owes_s: real time that an engine may have to make up for.
            next_us: when something happens next, None for never: until then there is nothing to make up for.
        """
        if not self.play:
            return at_us
        due = self._anchor_us + (now_s - self._anchor_s) * self.speed * 1e6
        idle_us = math.inf if next_us is None else max(at_us, next_us)
        most = idle_us + owes_s * self.speed * 1e6
        if due > most:
            due = most
            self._anchor_s, self._anchor_us = now_s, due
        return max(int(due), at_us)
