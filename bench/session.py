"""A live session without sockets: a node, its frames, and readers with the host's own window."""

from __future__ import annotations

import zlib
from typing import Any, cast

from engine.broker.commands import scenario
from engine.ctl.console import operated
from engine.storage.directory import DirectoryStorage
from engine.storage.ledger import LedgerStorage
from playground.hosting.pacer import PageClock
from playground.hosting.run import FrameWindow, PlayedFrame, SessionRun
from playground.server.serve import MEMORY_LEVEL, WINDOW_BITS

TICK_US = 50_000
DISK_BYTES = 1 << 40
ENDS_US = 24 * 3600 * 1_000_000


class Reader:
    """A browser: counts what it is sent, and acknowledges at once unless it has stalled."""

    def __init__(self, stalled: bool = False) -> None:
        self.window = FrameWindow()
        self.window.join(in_step=False)
        self.stalled = stalled
        self.sent_bytes = 0
        self.wire_bytes = 0
        """The same as the socket compresses it, one message behind the other."""
        self._deflate = zlib.compressobj(
            zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -WINDOW_BITS, MEMORY_LEVEL
        )
        self.frames = 0
        self.snapshots = 0

    def take(self, session: BenchSession, frame: PlayedFrame) -> None:
        """Get what the window allows of a frame."""
        answer = self.window.answer(frame.counts, frame.fast)
        if answer == "nothing":
            return
        through = frame.first + frame.counts.total()
        if answer == "frame":
            data = session.run.encode_frame(frame, session.clock)
            self.frames += 1
        else:
            why, skipped = self.window.caught_up()
            data = session.run.encode_snapshot(session.run.encode_state(), why, skipped, session.clock)
            self.snapshots += 1
        self.window.sent(through, has_pace=answer == "frame")
        self.sent_bytes += len(data)
        self.wire_bytes += len(self._deflate.compress(data) + self._deflate.flush(zlib.Z_SYNC_FLUSH))
        if not self.stalled:
            self.window.acknowledge(through)


class BenchSession:
    """One node at real speed, one frame every 50 ms of virtual time."""

    def __init__(self, readers: tuple[Reader, ...] = (), **settings: Any) -> None:
        self.node = operated(
            scenario.parse({"version": 1, "profile": "real", "settings": settings}), LedgerStorage()
        )
        self.run = SessionRun(self.node, cast(DirectoryStorage, self.node.storage), DISK_BYTES)
        self.readers = readers
        self.flush()

    @property
    def clock(self) -> PageClock:
        """What pages are sent of time now."""
        return PageClock.go(self.node.now_us / 1e6, self.node.now_us, 1.0, ENDS_US)

    def flush(self) -> None:
        """Send what has gathered."""
        self.run.finish_instant()
        frame = self.run.take_frame()
        for reader in self.readers:
            if frame.counts or reader.window.waits:
                reader.take(self, frame)

    def submit(self, **command: Any) -> None:
        """Give a command and send what it did."""
        self.run.submit(command)
        self.flush()

    def play(self, seconds: float) -> None:
        """Let virtual time pass, a frame at a time."""
        for _ in range(round(seconds * 1_000_000 / TICK_US)):
            until_us = self.node.now_us + TICK_US
            while not self.run.turn(until_us, 60.0):
                pass
            self.flush()
