"""How far frames are spaced out where nobody can keep up: pictures come seldom before answers come late."""

from __future__ import annotations

from typing import Final

CHECK_S: Final = 0.5
"""Time between two measurements of how late frames were."""
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
