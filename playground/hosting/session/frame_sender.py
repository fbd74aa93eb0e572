"""Frames and snapshots for all readers of one session; what is equal for all is encoded once."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Literal

from playground.hosting.run import PlayedFrame, SessionRun
from playground.hosting.session.pacer import PageClock

FRAMES_IN_FLIGHT = 10
ASKED = 4
"""Every fourth unacknowledged frame asks for an acknowledgement, which also covers the frames before it."""

Answer = Literal["frame", "snapshot", "nothing"]


class FrameWindow:
    """The bookkeeping of one reader. A reader is *in step* (it expects the newest row next) or *behind*,
    because it has just joined or its acknowledgements stopped. A reader that is behind gets a snapshot as
    soon as there is room, and no row before it; so its rows have no gaps.
    """

    def __init__(self) -> None:
        self.behind: str | None = "join"
        self.joined = False
        self.pace_owed = False
        """Whether the reader does not know the current pace yet."""
        self.hidden = False
        self.missed: Counter[str] = Counter()
        self._in_flight: deque[int] = deque()

    @property
    def unacknowledged(self) -> int:
        return len(self._in_flight)

    @property
    def asks(self) -> bool:
        """Whether the reader must acknowledge the last frame."""
        return not len(self._in_flight) % ASKED

    @property
    def waits(self) -> bool:
        """Whether a snapshot or the pace is owed, and there is room for it."""
        owed = self.behind is not None or self.pace_owed
        return self.joined and not self.hidden and owed and len(self._in_flight) < FRAMES_IN_FLIGHT

    def join(self, in_step: bool) -> None:
        """Start or restart the reader, either in step or in need of a snapshot."""
        self.joined = True
        self.behind = None if in_step else "join"
        self.pace_owed = False
        self.missed.clear()
        self._in_flight.clear()

    def show(self, seen: bool) -> None:
        """Note whether the reader's page is visible; a hidden page gets nothing, and a snapshot afterwards."""
        self.hidden = not seen

    def restart(self) -> None:
        """Forget the reader's rows, because the run was rebuilt."""
        self.behind = "join"
        self.missed.clear()

    def owe_pace(self) -> None:
        """Note that the pace changed since the reader was last told."""
        self.pace_owed = True

    def answer(self, counts: Counter[str], fast: bool) -> Answer:
        """Decide what to send of the new rows.

        Args:
            counts: numbers of new rows by kind; empty if only the clock moved.
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
        """Note a sent message.

        Args:
            through: number of the first row that the reader still lacks.
            has_pace: whether the message states the pace, as a frame does and a snapshot does not.
        """
        self._in_flight.append(through)
        self.pace_owed = self.pace_owed and not has_pace

    def caught_up(self) -> tuple[str, dict[str, int]]:
        """Note that a snapshot is sent now; return its reason and the numbers of left-out rows by kind."""
        why, missed = self.behind or "join", dict(self.missed)
        self.behind = None
        self.missed.clear()
        return why, missed

    def acknowledge(self, through: int) -> None:
        """Note that the reader has applied everything up to row `through`."""
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
        """Time of the last frame."""
        self.windows: dict[int, FrameWindow] = {}
        self._announced: PageClock | None = None

    @property
    def seen(self) -> bool:
        return any(window.joined and not window.hidden for window in self.windows.values())

    @property
    def watched(self) -> bool:
        return any(window.joined for window in self.windows.values())

    def beat(self) -> None:
        """Send everybody a frame as soon as there is room, because the pace changed."""
        for window in self.windows.values():
            window.owe_pace()

    def restart(self) -> None:
        """Forget all readers' rows, because the run was rebuilt."""
        for window in self.windows.values():
            window.restart()
        self.beat()

    def owes(self, run: SessionRun) -> bool:
        """Whether some reader should get something soon."""
        return bool(run.frame.counts) or any(each.waits for each in self.windows.values())

    def flush(self, run: SessionRun, clock: PageClock, now_s: float, beat_s: float | None) -> None:
        """Send the collected rows.

        Args:
            now_s: real seconds.
            beat_s: also send an empty frame if the last one is this old, or if pages show a wrong time.
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
        """Start or restart a reader: in step with these rows, else it needs a snapshot."""
        self.windows[reader].join(in_step=rows is not None)
        if rows is not None:
            self._send_frame([reader], rows, run, clock)

    def _send_frame(self, readers: list[int], frame: PlayedFrame, run: SessionRun, clock: PageClock) -> None:
        for reader in readers:
            self.windows[reader].sent(frame.first + frame.counts.total())
        asks = any(self.windows[reader].asks for reader in readers)
        self._send(readers, run.encode_frame(frame, clock, asks))
