"""Frames and snapshots for everybody who watches one session; what is the same for all is written once."""

from __future__ import annotations

from collections.abc import Callable

from playground.hosting.run import PlayedFrame, SessionRun
from playground.hosting.session.page_clock import PageClock
from playground.hosting.session.window import FrameWindow

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
