"""What pages are sent of time, and what their clocks show then: between two frames they go on by themselves."""

from __future__ import annotations

from typing import Final, NamedTuple

from playground.hosting.session.rhythm import BEAT_S, TICK_S

AHEAD_S: Final = 1.2 * BEAT_S
"""A page that gets no frame lets its clock go on for so much real time, and then waits."""
STRAYS_S: Final = 0.03
"""A clock that shows a time so far from the run's, in real time, is put right at once."""


class PageClock(NamedTuple):
    """What a page is sent.

    Attributes:
        at_s: real seconds, when the run should be at its moment.
        now_us: the run's moment.
        play: whether time passes.
        speed: virtual seconds per real second, as somebody wants it.
        pace: the same, as it is: less where the engine cannot keep up.
        to_us: the moment at which the page's clock waits for the next frame.
    """

    at_s: float
    now_us: int
    play: bool
    speed: float
    pace: float
    to_us: int

    @classmethod
    def stand(cls, at_s: float, now_us: int, speed: float) -> PageClock:
        """Make that of a run whose time stands still."""
        return cls(at_s, now_us, False, speed, speed, now_us)

    @classmethod
    def go(cls, at_s: float, now_us: int, speed: float, stop_us: int) -> PageClock:
        """Make that of a run whose time passes until `stop_us`: that moment is shown when the run has come to it."""
        return cls(at_s, now_us, True, speed, speed, _ahead_us(now_us, AHEAD_S * speed, stop_us - 1))

    def slower(self, pace: float, ahead_s: float) -> PageClock:
        """Return that of an engine that cannot keep up: how far it will come cannot be foreseen.

        Args:
            pace: how fast it was until now.
            ahead_s: for how long that may be believed.
        """
        if not self.play:
            return self
        pace = min(max(pace, 0.0), self.speed)
        return self._replace(pace=pace, to_us=_ahead_us(self.now_us, ahead_s * pace, self.to_us))

    def strays_from(self, later: PageClock) -> bool:
        """Return whether a page that was sent this, and nothing since, shows another time than `later` has."""
        due_us = self.now_us + (later.at_s - self.at_s) * self.pace * 1e6
        return abs(min(due_us, self.to_us) - later.now_us) > STRAYS_S * self.speed * 1e6


class RunProgress:
    """How fast time passed between the last two ticks."""

    def __init__(self) -> None:
        self.pace = 0.0
        """Virtual seconds per real second."""
        self._last_s = 0.0
        self._last_us = 0

    def tick(self, now_s: float, now_us: int) -> None:
        """Note where the run is at a tick."""
        self.pace = (now_us - self._last_us) / 1e6 / max(now_s - self._last_s, TICK_S)
        self._last_s, self._last_us = now_s, now_us


def _ahead_us(now_us: int, by_s: float, stop_us: int) -> int:
    return max(now_us, min(now_us + int(by_s * 1e6), stop_us))
