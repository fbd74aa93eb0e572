"""What one reader is owed, without I/O: frames in order, a bounded number unacknowledged, else a snapshot."""

from __future__ import annotations

from collections import Counter, deque
from typing import Literal

FRAMES_IN_FLIGHT = 10
ASKED = 4
"""Each frame that is the fourth on its way, or the eighth, is to be acknowledged: the others are with it."""

Answer = Literal["frame", "snapshot", "nothing"]


class FrameWindow:
    """The bookkeeping of one reader.

    A reader is *in step* (the next row it expects is the next one there is) or *behind* for a reason: it has just
    joined, or its acknowledgements stopped coming. One that is behind gets a snapshot as soon as there is room,
    and no row before that; so the rows that it gets have no holes.
    """

    def __init__(self) -> None:
        self.behind: str | None = "join"
        self.joined = False
        self.pace_owed = False
        """Whether the reader has yet to be sent that time passes, stands still, or passes at another speed."""
        self.hidden = False
        self.missed: Counter[str] = Counter()
        self._in_flight: deque[int] = deque()

    @property
    def unacknowledged(self) -> int:
        """Number of frames and snapshots on their way."""
        return len(self._in_flight)

    @property
    def asks(self) -> bool:
        """Whether the reader is to acknowledge what has just been sent."""
        return not len(self._in_flight) % ASKED

    @property
    def waits(self) -> bool:
        """Whether a snapshot or the pace is owed, and there is room for it."""
        owed = self.behind is not None or self.pace_owed
        return self.joined and not self.hidden and owed and len(self._in_flight) < FRAMES_IN_FLIGHT

    def join(self, in_step: bool) -> None:
        """Begin (again): with everything there is, or in need of a snapshot."""
        self.joined = True
        self.behind = None if in_step else "join"
        self.pace_owed = False
        self.missed.clear()
        self._in_flight.clear()

    def show(self, seen: bool) -> None:
        """The reader's page can be seen, or not; while it cannot, it is owed nothing, and a snapshot afterwards."""
        self.hidden = not seen

    def restart(self) -> None:
        """The run was rebuilt: whatever the reader has is no longer a part of it."""
        self.behind = "join"
        self.missed.clear()

    def owe_pace(self) -> None:
        """Note that play or speed differ from what the reader was sent last."""
        self.pace_owed = True

    def answer(self, counts: Counter[str], fast: bool) -> Answer:
        """Decide what to send of the rows that just came, given their number by kind.

        Args:
            counts: the new rows, by kind; empty when only the clock moved.
            fast: there are too many to send one by one.
        """
        if not self.joined:
            return "nothing"
        if self.hidden or len(self._in_flight) >= FRAMES_IN_FLIGHT:
            if counts and self.behind is None:
                self.behind = "hidden" if self.hidden else "lag"
            self._miss(counts)
            return "nothing"
        if self.behind is not None:
            self._miss(counts)
            return "snapshot"
        if fast:
            self.behind = "fast"
            self._miss(counts)
            return "snapshot"
        return "frame"

    def _miss(self, counts: Counter[str]) -> None:
        if self.behind != "join":
            self.missed.update(counts)

    def sent(self, through: int, has_pace: bool = True) -> None:
        """Note that something went out, after which the reader has the rows up to `through`.

        Args:
            through: number of the first row that the reader has not.
            has_pace: whether it states if time passes, and how fast: a frame does, a snapshot does not.
        """
        self._in_flight.append(through)
        self.pace_owed = self.pace_owed and not has_pace

    def caught_up(self) -> tuple[str, dict[str, int]]:
        """Note that a snapshot goes out now; return its reason and what was left out, by kind."""
        why, missed = self.behind or "join", dict(self.missed)
        self.behind = None
        self.missed.clear()
        return why, missed

    def acknowledge(self, through: int) -> None:
        """The reader has applied everything up to row `through`."""
        while self._in_flight and self._in_flight[0] <= through:
            self._in_flight.popleft()
