"""One run of a node, as a host sees it: work in bounded slices, rows gathered for the next frame.

Everything here is called in a worker thread, one call at a time.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from playground.hosting.door import Files, Node
from playground.limits import Usage

ROWS_IN_A_FRAME = 400
SLICE = 400
"""Transitions between two looks at the clock and the disk."""

SPAN_US = 60_000_000
"""Virtual time between two looks at the clock: where nothing happens there are no transitions to count."""

_encode = msgspec.json.Encoder().encode


class Frame(msgspec.Struct):
    """What happened since the last frame: the rows, or only their number by kind when there are too many."""

    first: int
    at_us: list[int] = []
    rows: list[Any] = []
    counts: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def fast(self) -> bool:
        """Whether there are more rows than a frame may carry."""
        return self.counts.total() > ROWS_IN_A_FRAME


class Run:
    """A node and what its host has yet to tell of it."""

    def __init__(
        self, node: Node, files: Files, disk_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.node = node
        self.files = files
        self._disk_bytes = disk_bytes
        self.clock = clock
        self.good_us = 0
        """The last instant of which everything is known to have been done."""
        self.frame = Frame(node.log.number)
        self.messages = 0

    # --- what the engine does ---

    def turn(self, until_us: int, budget_s: float) -> bool:
        """Advance for at most `budget_s` of real time; tell whether `until_us` was reached."""
        deadline = self.clock() + budget_s
        while True:
            span_us = min(until_us, self.node.now_us + SPAN_US)
            if self._advance(span_us) and span_us == until_us:
                return True
            if self.clock() >= deadline or self.disk_is_full():
                return False

    def _advance(self, until_us: int) -> bool:
        reached = self.node.advance(until_us, SLICE)
        self._gather()
        if not reached:
            self.good_us = max(self.good_us, self.node.now_us - 1)
            return False
        self.good_us = until_us
        return True

    def finish_instant(self) -> None:
        """Do everything that is due at the present instant, so that the order of things can be repeated."""
        while not self._advance(self.node.now_us):
            pass

    def submit(self, command: dict[str, Any]) -> int:
        """Apply a command between two instants; return when it was."""
        self.finish_instant()
        at_us = self.node.now_us
        self.node.submit(command)
        self._gather()
        return at_us

    def step(self) -> None:
        """Go on to the next transition."""
        self.node.step()
        self._gather()
        self.good_us = max(self.good_us, self.node.now_us - 1)

    def _gather(self) -> None:
        start = self.frame.first + self.frame.counts.total()
        rows = self.node.log.since(start)
        if rows is None:  # one event was larger than the log: readers get a snapshot in any case
            self.frame.counts["more"] += self.node.log.number - start
            return
        self.frame.counts.update(type(row).__name__ for row in rows.rows)
        room = max(0, ROWS_IN_A_FRAME - len(self.frame.rows))
        self.frame.at_us += rows.at_us[:room]
        self.frame.rows += rows.rows[:room]

    # --- what the host tells of it ---

    def take_frame(self) -> Frame:
        """Return what has gathered, and begin anew."""
        taken, self.frame = self.frame, Frame(self.node.log.number)
        return taken

    def encode_frame(self, frame: Frame, play: bool, speed: float) -> bytes:
        """Write a frame as it goes over the wire."""
        return _encode(
            {
                "t": "frame",
                "first": frame.first,
                "at_us": frame.at_us,
                "rows": frame.rows,
                "digest": self.node.log.digest,
                "now_us": self.node.now_us,
                "play": play,
                "speed": speed,
            }
        )

    def encode_state(self) -> msgspec.Raw:
        """Write the whole state once, for all the snapshots that carry it."""
        return msgspec.Raw(_encode(self.node.snapshot()))

    def encode_snapshot(self, state: msgspec.Raw, why: str, skipped: dict[str, int]) -> bytes:
        """Write a snapshot as it goes over the wire."""
        return _encode(
            {
                "t": "snapshot",
                "next": self.node.log.number,
                "at_us": self.node.now_us,
                "state": state,
                "digest": self.node.log.digest,
                "skipped": skipped,
                "why": why,
            }
        )

    def rows_since(self, number: int) -> Frame | None:
        """Return the frame that brings a reader from `number` to the present, if it is small and still there."""
        if not 0 <= self.node.log.number - number <= ROWS_IN_A_FRAME:
            return None
        rows = self.node.log.since(number)
        if rows is None:
            return None
        return Frame(number, rows.at_us, rows.rows, Counter(type(row).__name__ for row in rows.rows))

    def close(self) -> None:
        """Close the files; the run is not used any more."""
        self.files.close()

    # --- what it takes ---

    def disk_is_full(self) -> bool:
        """Whether nine tenths of the allowed disk are taken: the rest is for stopping in an orderly way."""
        return self.files.used_bytes() > self._disk_bytes * 0.9

    def usage(self, commands: int) -> Usage:
        """Count what the run takes now. Costs time in the number of extents."""
        self.messages = held_messages(self.node.snapshot())
        return Usage(self.messages, self.files.used_bytes(), self.node.log.number, commands)


def held_messages(state: dict[str, Any]) -> int:
    """Return how many messages a state holds: in all queues, in pending maps, and in publishers that are blocked."""
    held = sum((actor or {}).get("waiting") or 0 for actor in state["node"]["actors"].values())
    for queue in state["queues"].values():
        held += queue["delta"][1] if queue["delta"] else 0
        held += sum(extent[1] for extents in queue["lanes"].values() for extent in extents)
    return held


class Replay:
    """Brings a fresh run to where the recorded one was, in slices."""

    def __init__(self, run: Run, commands: Sequence[tuple[int, dict[str, Any]]], until_us: int) -> None:
        self._run = run
        self._commands = list(commands)
        self._next = 0
        self._until_us = until_us

    @property
    def given(self) -> int:
        """How many commands were submitted, one that is under way included."""
        return self._next

    def go_on(self, budget_s: float) -> bool:
        """Work for about `budget_s`; tell whether it is done."""
        run = self._run
        deadline = run.clock() + budget_s
        while self._next < len(self._commands):
            at_us, command = self._commands[self._next]
            if not run.turn(at_us, deadline - run.clock()):
                run.take_frame()
                return False
            self._next += 1
            run.submit(command)
            run.take_frame()
            if run.clock() >= deadline:
                return False
        done = run.turn(max(self._until_us, run.node.now_us), deadline - run.clock())
        run.take_frame()
        return done
