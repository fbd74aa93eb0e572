"""Frames and snapshots for everybody who watches one session; what is the same for all is written once."""

from __future__ import annotations

from collections.abc import Callable

from playground.hosting.run import Frame, Run
from playground.hosting.session.pacer import Pacer
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

    @property
    def seen(self) -> bool:
        """Whether anybody looks at a page of this session."""
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

    def owes(self, run: Run) -> bool:
        """Whether somebody should hear something soon."""
        return bool(run.frame.counts) or any(each.waits for each in self.windows.values())

    def flush(self, run: Run, pacer: Pacer, now_s: float, beat_s: float | None) -> None:
        """Send what has gathered; with `beat_s`, an empty frame too if the last one is that long ago."""
        beat_is_due = beat_s is not None and now_s - self.last_s >= beat_s
        if not (beat_is_due or self.owes(run)):
            return
        self.last_s = now_s
        frame = run.take_frame()
        answers = {reader: window.answer(frame.counts, frame.fast) for reader, window in self.windows.items()}
        in_step = [reader for reader, answer in answers.items() if answer == "frame"]
        behind = [reader for reader, answer in answers.items() if answer == "snapshot"]
        through = frame.first + frame.counts.total()
        if in_step:
            self._send_frame(in_step, frame, run, pacer)
        if behind:
            state = run.encode_state()
            for reader in behind:
                window = self.windows[reader]
                why, skipped = window.caught_up()
                window.sent(through, has_pace=False)
                self._send([reader], run.encode_snapshot(state, why, skipped))
                if window.pace_owed or why != "fast":
                    self._send_frame([reader], Frame(through), run, pacer)

    def join(self, reader: int, rows: Frame | None, run: Run, pacer: Pacer) -> None:
        """A reader begins (again): with these rows it is in step, otherwise it needs a snapshot."""
        self.windows[reader].join(in_step=rows is not None)
        if rows is not None:
            self._send_frame([reader], rows, run, pacer)

    def _send_frame(self, readers: list[int], frame: Frame, run: Run, pacer: Pacer) -> None:
        for reader in readers:
            self.windows[reader].sent(frame.first + frame.counts.total())
        asks = any(self.windows[reader].asks for reader in readers)
        self._send(readers, run.encode_frame(frame, pacer.play, pacer.speed, asks))
