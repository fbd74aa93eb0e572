"""From real time to virtual time, without I/O: the caller gives the time."""

from __future__ import annotations

import math
from typing import Final, NamedTuple


class StoryStops:
    """The moments up to which a session's time may pass; None for what nothing waits for.

    Args:
        last_us: virtual microseconds that no session passes.
    """

    def __init__(self, last_us: int) -> None:
        self._last_us = last_us
        self.end_us: int | None = None
        """Where the scenario ends, if nobody has done anything of their own."""
        self.asked_us: int | None = None
        """Up to where somebody let time pass."""
        self.answer_us: int | None = None
        """Where time waits for an answer."""

    def next_us(self) -> int:
        """Return the first of them."""
        known = (self.end_us, self.asked_us, self.answer_us, self._last_us)
        return min(each for each in known if each is not None)

    def holds_at(self, now_us: int) -> bool:
        """Return whether an answer is owed before time goes on."""
        return self.answer_us is not None and now_us >= self.answer_us


TICK_S: Final = 0.045
"""Between two frames where somebody does something: at most twenty a second, with the worker's grid of turns."""
STEADY_TICK_S: Final = 0.24
"""Between two frames while time passes and nobody does anything: marks are on their way for longer than that."""
BUSY_TICK_S: Final = 0.28
"""The same while somebody gives one command after the other: the next frame often comes with the next command."""
SELDOM_TICK_S: Final = 0.49
"""Between two turns where nothing is to be seen: all pages are in the background, or nothing happens."""
EARLY_S: Final = 0.13
"""So much earlier a turn in which time only passes may come, with those of other sessions: after a while all of them
come together, as this is more than half of the time between two."""
QUIET_S: Final = 1.0
"""Nothing happens where nothing has happened for so long."""
BEAT_S: Final = 5.0
"""An empty frame this often while time passes and nothing happens: the page's clock may go on."""
LATE_BY: Final = 1.6
"""A tick that comes later than so many times its distance slows time down."""
CHECK_S: Final = 0.5
"""Between two counts of what the session takes."""
NOTE_S: Final = 1.0
"""Between two notes of how far the run has come."""
NOTICE_S: Final = 2.0
"""Between two notices of how far a long replay is."""
TURN_S: Final = 0.04
"""Real time that the engine may work before the page is shown what it did."""
COMES_UP_S: Final = 0.005
"""Real time that the engine may work before a message that comes while time passes is looked at."""
SLICE_S: Final = 0.02
"""Real time that a long replay goes on before others may have their turn."""


def tick_s(plays: bool, seen: bool, quiet_s: float, idle_s: float) -> float:
    """Return the seconds between two ticks.

    Args:
        plays: whether time passes.
        seen: whether a page of the session is in the foreground.
        quiet_s: for how long nothing has happened.
        idle_s: for how long nobody has done anything.
    """
    if not seen or (plays and quiet_s > QUIET_S):
        return SELDOM_TICK_S
    if not plays:
        return TICK_S
    return STEADY_TICK_S if idle_s > QUIET_S else BUSY_TICK_S


LATE_S: Final = 0.05
IN_TIME_S: Final = 0.02
MOST: Final = 6.0
"""Frames come at least so many times as seldom as they should: about one a second is left."""
SLOWER: Final = 1.5
FASTER: Final = 0.9


class FrameThrottle:
    """One factor for all sessions of a worker, so that all give up the same share of their frames.

    Args:
        late_s: what is later than this on average says that there is too much to do.
        in_time_s: what is earlier says that there is not.
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
        """How many times the usual time passes between two frames."""
        return max(self._own, self._asked)

    def ask(self, factor: float) -> None:
        """Take what somebody else wants, who has to carry the frames."""
        self._asked = min(max(factor, 1.0), MOST)

    def late(self, now_s: float, by_s: float) -> None:
        """Note that something was done so much later than it should have been."""
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
