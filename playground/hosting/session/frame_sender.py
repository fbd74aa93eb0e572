"""Frames and snapshots for everybody who watches one session; what is the same for all is written once."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Literal

from playground.hosting.run import PlayedFrame, SessionRun
from playground.hosting.session.pacer import PageClock

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


Send = Callable[[list[int], bytes], None]


class FrameSender:
    """Sends each reader what its window allows.

    Args:
        send: hands bytes to readers, by their numbers.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self.last_s = 0.0
        """When the last frame went out."""
        self.windows: dict[int, FrameWindow] = {}
        self._announced: PageClock | None = None

    @property
    def seen(self) -> bool:
        """Whether a page of this session is in the foreground."""
        return any(window.joined and not window.hidden for window in self.windows.values())

    @property
    def watched(self) -> bool:
        """Whether anybody has joined."""
        return any(window.joined for window in self.windows.values())

    def beat(self) -> None:
        """Send everybody a frame as soon as there is room, even if nothing happened: play or speed differ."""
        for window in self.windows.values():
            window.owe_pace()

    def restart(self) -> None:
        """Nothing that readers have is a part of the run any more."""
        for window in self.windows.values():
            window.restart()
        self.beat()

    def owes(self, run: SessionRun) -> bool:
        """Whether something should be sent to somebody soon."""
        return bool(run.frame.counts) or any(each.waits for each in self.windows.values())

    def flush(self, run: SessionRun, clock: PageClock, now_s: float, beat_s: float | None) -> None:
        """Send what has gathered.

        Args:
            clock: what pages are sent of time.
            now_s: real seconds.
            beat_s: with it, an empty frame too if the last one is that long ago, or if pages show another time.
        """
        if not (self._is_beat_due(clock, now_s, beat_s) or self.owes(run)):
            return
        self.last_s, self._announced = now_s, clock
        frame = run.take_frame()
        answers = {reader: window.answer(frame.counts, frame.fast) for reader, window in self.windows.items()}
        in_step = [reader for reader, answer in answers.items() if answer == "frame"]
        behind = [reader for reader, answer in answers.items() if answer == "snapshot"]
        through = frame.first + frame.counts.total()
        if in_step:
            self._send_frame(in_step, frame, run, clock)
        if behind:
            state = run.encode_state()
            for reader in behind:
                window = self.windows[reader]
                why, skipped = window.caught_up()
                window.sent(through, has_pace=False)
                self._send([reader], run.encode_snapshot(state, why, skipped, clock))
                if window.pace_owed or why != "fast":
                    self._send_frame([reader], PlayedFrame(through), run, clock)

    def _is_beat_due(self, clock: PageClock, now_s: float, beat_s: float | None) -> bool:
        if beat_s is None:
            return False
        strays = self._announced is not None and self._announced.strays_from(clock)
        return strays or now_s - self.last_s >= beat_s

    def join(self, reader: int, rows: PlayedFrame | None, run: SessionRun, clock: PageClock) -> None:
        """A reader begins (again): with these rows it is in step, otherwise it needs a snapshot."""
        self.windows[reader].join(in_step=rows is not None)
        if rows is not None:
            self._send_frame([reader], rows, run, clock)

    def _send_frame(self, readers: list[int], frame: PlayedFrame, run: SessionRun, clock: PageClock) -> None:
        for reader in readers:
            self.windows[reader].sent(frame.first + frame.counts.total())
        asks = any(self.windows[reader].asks for reader in readers)
        self._send(readers, run.encode_frame(frame, clock, asks))
