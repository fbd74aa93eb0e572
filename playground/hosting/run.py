"""One run of a node, as a host drives it: in bounded slices, with rows collected for the next frame. All
calls come one at a time in a worker thread. Like the player, the frames, the window and the pacer it needs
neither Django nor asyncio, so that it also runs in a browser.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.replay import RunPlayer
from engine.replay.player import ROWS_IN_A_FRAME, PlayedFrame, encode, frame_message, snapshot_message
from playground.hosting.engine_api import EngineFiles, EngineNode
from playground.hosting.session.pacer import PageClock
from playground.limits.session_bounds import RECORD_BYTES, SessionBounds, number_of


class SessionUsage(msgspec.Struct, frozen=True):
    """A session's current use of resources."""

    messages: int = 0
    disk_bytes: int = 0
    ram_bytes: int = 0
    transitions: int = 0
    commands: int = 0


class BurstBeyond(Exception):
    """A command needs more than is available.

    Args:
        values: its numbers.
    """

    def __init__(self, code: str, **values: int) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


def check_burst(
    command: dict[str, Any], bounds: SessionBounds, usage: SessionUsage, most_messages: int
) -> None:
    """Raise `BurstBeyond` if a publish would exceed a bound of messages or bytes; its `room` keeps all of them.

    Args:
        most_messages: that the node may hold.
    """
    if command.get("do") != "publish":
        return
    count, size_bytes = number_of(command, "count"), number_of(command, "size_bytes")
    most = min(bounds.max_messages, most_messages)
    each = int(size_bytes) + RECORD_BYTES
    # What is only in RAM yet may be paged out at any time: it has a promise of room.
    used = usage.disk_bytes + usage.ram_bytes
    most_bytes = bounds.max_disk_bytes * 9 // 10
    room = max(0, min(most - usage.messages, (most_bytes - used) // each))
    if usage.messages + count > most:
        raise BurstBeyond("too_many_messages", held=usage.messages, most=most, room=room)
    if used + count * each > most_bytes:
        raise BurstBeyond("too_many_bytes", wanted=int(count) * each, used=used, most=most_bytes, room=room)


__all__ = ["ROWS_IN_A_FRAME", "PlayedFrame", "RunReplay", "SessionRun"]


class SessionRun:
    """A node, and the transitions that its host has not sent yet."""

    def __init__(
        self,
        node: EngineNode,
        files: EngineFiles,
        disk_bytes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.node = node
        self.files = files
        self.player = RunPlayer(node, first=node.log.number)
        self._disk_bytes = disk_bytes
        self.clock = clock
        self.frame = PlayedFrame(node.log.number)

    @property
    def good_us(self) -> int:
        """The last instant at which everything has been done."""
        return self.player.settled_us

    def moment(self) -> dict[str, Any]:
        """Return the run's virtual time, and its digest there."""
        return {"at_us": self.node.now_us, "digest": self.node.log.digest}

    # --- what the engine does ---

    def turn(self, until_us: int, budget_s: float) -> bool:
        """Advance for at most `budget_s` of real time; return whether `until_us` was reached."""
        deadline = self.clock() + budget_s
        for piece in self.player.play(until_us):
            self.frame.add(piece)
            if not piece.last and (self.clock() >= deadline or self.disk_is_full()):
                return False
        return True

    def finish_instant(self) -> None:
        """Do everything that is due at the current instant, so that the order can be repeated."""
        for piece in self.player.play(self.node.now_us):
            self.frame.add(piece)

    def submit(self, command: dict[str, Any]) -> int:
        """Apply a command between two instants; return when it was."""
        self.finish_instant()
        at_us = self.node.now_us
        self.frame.add(self.player.give(command))
        return at_us

    def step(self) -> None:
        self.frame.add(self.player.step())

    # --- what the host sends of it ---

    def take_frame(self) -> PlayedFrame:
        """Return the collected frame, and start a new one."""
        taken, self.frame = self.frame, PlayedFrame(self.node.log.number)
        return taken

    def encode_frame(self, frame: PlayedFrame, clock: PageClock, asks: bool = True) -> bytes:
        """Write a frame as it goes over the wire.

        Args:
            asks: whether the page must acknowledge it.
        """
        more: dict[str, Any] = {} if asks else {"ack": False}
        if clock.to_us > clock.now_us:
            more["to_us"] = clock.to_us
        if clock.pace != clock.speed:
            more["pace"] = round(clock.pace, 3)
        pace = {"play": clock.play, "speed": clock.speed, **more}
        return encode(frame_message(frame, clock.now_us, digest=self.node.log.digest, **pace))

    def encode_state(self) -> msgspec.Raw:
        """Write the whole state once, for all the snapshots that carry it."""
        return msgspec.Raw(encode(self.node.snapshot()))

    def encode_snapshot(
        self, state: msgspec.Raw, why: str, skipped: dict[str, int], clock: PageClock
    ) -> bytes:
        log = self.node.log
        message = snapshot_message(log.number, clock.now_us, state, why, skipped, log.digest)
        if clock.to_us > clock.now_us:
            message |= {"to_us": clock.to_us, "pace": round(clock.pace, 3)}
        return encode(message)

    def rows_since(self, number: int) -> PlayedFrame | None:
        """Return the frame from `number` to now, if it is small and still available."""
        if not 0 <= self.node.log.number - number <= ROWS_IN_A_FRAME:
            return None
        rows = self.node.log.since(number)
        if rows is None:
            return None
        return PlayedFrame(number, rows.at_us, rows.rows, Counter(type(row).__name__ for row in rows.rows))

    def close(self) -> None:
        self.files.close()

    # --- what it takes ---

    def disk_is_full(self) -> bool:
        """Whether nine tenths of the allowed disk are used; the rest is for an orderly stop."""
        return self.files.used_bytes() > self._disk_bytes * 0.9

    def usage(self, commands: int) -> SessionUsage:
        """Measure the run's current use."""
        node = self.node
        return SessionUsage(
            node.held_messages(), self.files.used_bytes(), node.ram_bytes(), node.log.number, commands
        )


class RunReplay:
    """Replays a run to the recorded moment, in slices."""

    def __init__(
        self, run: SessionRun, commands: Sequence[tuple[int, dict[str, Any]]], until_us: int
    ) -> None:
        self._run = run
        run.player.commands = list(commands)
        self._pieces = run.player.play_all(until_us)

    def go_on(self, budget_s: float) -> bool:
        """Work for about `budget_s`; return whether it is finished."""
        run = self._run
        deadline = run.clock() + budget_s
        for piece in self._pieces:
            run.frame = PlayedFrame(piece.first + piece.count)
            if not piece.last and (run.clock() >= deadline or run.disk_is_full()):
                return False
        return True
