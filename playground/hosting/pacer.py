"""The pace of a session, without I/O: virtual time for real time, how far apart frames are, and the pages' clocks."""

from __future__ import annotations

import math
from typing import Final, NamedTuple


class StoryStops:
    """The moments at which a session's time stops; None for those that are not set. `last_us`: virtual microseconds
    that no session passes.
    """

    def __init__(self, last_us: int) -> None:
        self._last_us = last_us
        self.end_us: int | None = None
        """The scenario's end, if nobody has given commands."""
        self.asked_us: int | None = None
        """The time up to which somebody let the run go."""
        self.answer_us: int | None = None
        """Where time waits for an answer."""

    def next_us(self) -> int:
        known = (self.end_us, self.asked_us, self.answer_us, self._last_us)
        return min(each for each in known if each is not None)

    def holds_at(self, now_us: int) -> bool:
        """Return whether an answer is owed before time goes on."""
        return self.answer_us is not None and now_us >= self.answer_us


TICK_S: Final = 0.045
"""Seconds between frames while somebody acts: at most twenty frames a second, on the worker's grid of turns."""
STEADY_TICK_S: Final = 0.24
"""Seconds between frames while time passes and nobody acts; marks on the stage travel longer than this."""
BUSY_TICK_S: Final = 0.28
"""Seconds between frames while commands follow each other; the next frame often comes with a command."""
SELDOM_TICK_S: Final = 0.49
"""Seconds between turns when nobody sees a change: all pages are hidden."""
EARLY_S: Final = 0.13
"""How much earlier a turn that only advances time may come, together with other sessions. This is more than half of the
interval, so after a while all sessions' turns come together.
"""
QUIET_S: Final = 1.0
"""Seconds without a transition after which a run counts as quiet: its turns come only when something may happen."""
BEAT_S: Final = 5.0
"""Seconds between empty frames while time passes and nothing happens, so that the page's clock may go on."""
LATE_BY: Final = 1.6
"""A tick that is later than this multiple of its interval slows time down."""
CHECK_S: Final = 0.5
"""Seconds between measurements of the session's use."""
NOTE_S: Final = 1.0
"""Seconds between records of the run's progress."""
NOTICE_S: Final = 2.0
"""Seconds between progress notices of a long replay."""
TURN_S: Final = 0.04
"""Real time that the engine may work before the page is shown what it did."""
COMES_UP_S: Final = 0.005
"""Real time that the engine may work before it handles a message that arrives while time passes."""
SLICE_S: Final = 0.02
"""Real time of a long replay before others have their turn."""


def tick_s(plays: bool, seen: bool, quiet_s: float, idle_s: float) -> float:
    """Return the seconds between two ticks.

    Args:
        plays: whether time passes.
        seen: whether a page of the session is in the foreground.
        quiet_s: for how long nothing has happened.
        idle_s: for how long nobody has done anything.
    """
    if not seen:
        return SELDOM_TICK_S
    if not plays or quiet_s > QUIET_S:
        return TICK_S
    return STEADY_TICK_S if idle_s > QUIET_S else BUSY_TICK_S


LATE_S: Final = 0.05
IN_TIME_S: Final = 0.02
MOST: Final = 6.0
"""The largest factor by which frames are spaced out, which leaves about one a second."""
SLOWER: Final = 1.5
FASTER: Final = 0.9


class FrameThrottle:
    """One factor for all sessions of a worker, so that all lose the same share of frames. `late_s`: average lateness
    above which there is too much work. `in_time_s`: average lateness below which there is not.
    """

    def __init__(self, late_s: float = LATE_S, in_time_s: float = IN_TIME_S) -> None:
        self._bounds_s = in_time_s, late_s
        self._own = 1.0
        self._asked = 1.0
        self._late_s = 0.0
        self._count = 0
        self._next_check_s = 0.0

    @property
    def factor(self) -> float:
        """Factor by which the time between two frames is longer than usual."""
        return max(self._own, self._asked)

    def ask(self, factor: float) -> None:
        """Take the factor that the server asks for, since it carries the frames."""
        self._asked = min(max(factor, 1.0), MOST)

    def late(self, now_s: float, by_s: float) -> None:
        self._late_s += max(0.0, by_s)
        self._count += 1
        if now_s < self._next_check_s:
            return
        mean_s = self._late_s / self._count
        in_time_s, late_s = self._bounds_s
        if mean_s > late_s:
            self._own = min(MOST, self._own * SLOWER)
        elif mean_s < in_time_s:
            self._own = max(1.0, self._own * FASTER)
        self._late_s, self._count, self._next_check_s = 0.0, 0, now_s + CHECK_S


AHEAD_S: Final = 1.2 * BEAT_S
"""Real time for which a page without frames lets its clock go on before it waits."""
STRAYS_S: Final = 0.03
"""A page's clock that is off by this much real time is corrected at once."""


class PageClock(NamedTuple):
    """The clock that a page gets. Attributes: at_s: real seconds at which the run should be at `now_us`.
    now_us: the run's moment.
    play: whether time passes.
    speed: virtual seconds per real second, as chosen. pace: the actual speed, which is lower if the
        engine cannot keep up. to_us: the moment at which the page's clock waits for the next frame.
    """

    at_s: float
    now_us: int
    play: bool
    speed: float
    pace: float
    to_us: int

    @classmethod
    def stand(cls, at_s: float, now_us: int, speed: float) -> PageClock:
        return cls(at_s, now_us, False, speed, speed, now_us)

    @classmethod
    def go(cls, at_s: float, now_us: int, speed: float, stop_us: int) -> PageClock:
        """Make the clock of a run that plays; `stop_us` is shown only after the run has reached it."""
        return cls(at_s, now_us, True, speed, speed, _ahead_us(now_us, AHEAD_S * speed, stop_us - 1))

    def slower(self, pace: float, ahead_s: float) -> PageClock:
        """Return the clock for an engine that cannot keep up, whose progress cannot be predicted. `pace`: its speed
        so far. `ahead_s`: for how long to trust that speed.
        """
        if not self.play:
            return self
        pace = min(max(pace, 0.0), self.speed)
        return self._replace(pace=pace, to_us=_ahead_us(self.now_us, ahead_s * pace, self.to_us))

    def strays_from(self, later: PageClock) -> bool:
        """Return whether a page that only got this clock shows a different time than `later`."""
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
        self.pace = (now_us - self._last_us) / 1e6 / max(now_s - self._last_s, TICK_S)
        self._last_s, self._last_us = now_s, now_us


def _ahead_us(now_us: int, by_s: float, stop_us: int) -> int:
    return max(now_us, min(now_us + int(by_s * 1e6), stop_us))


MIN_SPEED = 0.001
MAX_SPEED = 100.0
CATCH_UP_S = 0.25
"""Most real time that a slow engine catches up on; the rest is dropped, so it runs slower."""


class RunPacer:
    """How far virtual time should be by now. `play`: whether time passes. `speed`: virtual seconds per real second."""

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
        """Set the virtual time to `at_us` at real time `now_s`."""
        self._anchor_s, self._anchor_us = now_s, float(at_us)

    def real_s(self, at_us: int) -> float:
        """Return the real time of a virtual time while time passes."""
        return self._anchor_s + (at_us - self._anchor_us) / (self.speed * 1e6)

    def page_clock(self, now_us: int, stop_us: int) -> PageClock:
        """Return the pages' clock of a run that is at `now_us`, in time; it waits before `stop_us`."""
        at_s = self.real_s(now_us)
        if not self.play:
            return PageClock.stand(at_s, now_us, self.speed)
        return PageClock.go(at_s, now_us, self.speed, stop_us)

    def due_us(self, now_s: float, at_us: int, owes_s: float = CATCH_UP_S, next_us: int | None = 0) -> int:
        """Return the virtual time to advance to, at least `at_us` (where the engine is). `owes_s`: real time that an
        engine may catch up on. `next_us`: when something next happens, None for never; until then there is nothing to
        catch up on.
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
