"""One of two runs, on a ledger: in the messages of the wire, with its figures and where it parts from the other."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.counting.disk import disk_reads, disk_writes, fsyncs
from engine.counting.messages import confirmed
from engine.metrics import RunMeter
from engine.replay import PlayedPiece, RunPlayer, RunWitness
from engine.replay.frames import ROWS_IN_A_FRAME, PlayedFrame, encode, frame_message, snapshot_message
from engine.replay.player import KEEP_EVENTS
from engine.values.errors import RunTooLong
from playground.comparing import wording
from playground.comparing.table import is_had
from playground.hosting.engine_factory import door
from playground.storybook.other_release import shown_release
from playground.texts.page_message import RequestRefused

MOST_TRANSITIONS = 250_000
MOST_BYTES = 8_000_000
"""Bytes of messages of all sides; when half of its share is used, a side's whole states come further apart."""
CURVES = tuple(each.name for each in (disk_writes, disk_reads, fsyncs, confirmed))
"""Metrics that are drawn as they grow."""

Row = tuple[int, bytes]


class ComparedRun:
    """A run from its beginning to its end, in the same messages that a live session sends.

    Args:
        scenario: the run, in full.
        until_us: where it ends.
        sides: how many are compared.
    """

    def __init__(self, scenario: dict[str, Any], until_us: int, sides: int = 2) -> None:
        self._node = door().rehearse(scenario, KEEP_EVENTS)
        self._release = shown_release(scenario)
        self._player = RunPlayer(self._node, most=MOST_TRANSITIONS, whole=True)
        self._until_us = until_us
        self._meter, self._witness = RunMeter(), RunWitness(self._node)
        self._bytes, self._most_bytes = 0, MOST_BYTES // sides
        self.curves: dict[str, list[Any]] = {name: [0] for name in CURVES}
        self._snapshot_us = 0
        self.messages: list[msgspec.Raw] = []
        self._send_message(self._snapshot("join"))
        self._shown = self._node.log.number
        self.first = self._observe(self._player.news())

    def go_on(self, until_us: int) -> list[Row]:
        """Advance to `until_us`, add a message about it, and return what happened.

        Raises Refused for a run that is longer than a comparison may be.
        """
        rows: list[Row] = []
        try:
            for piece in self._player.play(until_us):
                rows += self._observe(piece)
        except RunTooLong:
            raise RequestRefused(wording.TOO_LONG, most=MOST_TRANSITIONS) from None
        self._send_frame(rows)
        for name, values in self.curves.items():
            values.append(self._meter.so_far(until_us, name) or 0)
        return rows

    def _observe(self, piece: PlayedPiece) -> list[Row]:
        rows = []
        for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
            self._meter.observe(at_us, transition)
            self._witness.observe(transition)
            rows.append((at_us, encode(transition)))
        return rows

    # --- messages ---

    def _send_frame(self, rows: list[Row]) -> None:
        if len(rows) <= ROWS_IN_A_FRAME:
            if self._shown == self._node.log.number - len(rows):
                self._send_message(self._frame(rows))
            else:  # a state was left out before these rows
                self._send_message(self._snapshot("fast"))
        elif (
            self._bytes < self._most_bytes // 2
            or self._node.now_us - self._snapshot_us >= self._until_us // 60
        ):
            self._send_message(self._snapshot("fast"))
        else:
            return
        self._shown = self._node.log.number

    def _send_message(self, message: dict[str, Any]) -> None:
        data = encode(message)
        self._bytes += len(data)
        self.messages.append(msgspec.Raw(data))

    def _frame(self, rows: list[Row]) -> dict[str, Any]:
        times = [at_us for at_us, _row in rows]
        return frame_message(
            PlayedFrame(self._shown, times, [msgspec.Raw(row) for _at_us, row in rows]), self._node.now_us
        )

    def _snapshot(self, why: str) -> dict[str, Any]:
        node = self._node
        self._snapshot_us = node.now_us
        return snapshot_message(node.log.number, node.now_us, node.snapshot(), why, {})

    # --- the end ---

    @property
    def digest(self) -> str:
        """The digest of everything so far."""
        return str(self._node.log.digest)

    def figures(self) -> dict[str, Any]:
        """Return the metrics of the run so far by name; None for what its release does not have."""
        refused, lost = len(self._node.refused), self._witness.lost()
        counted = self._meter.row(self._node.now_us, refused, confirmed_and_lost=lost)
        return {name: value if is_had(self._release, name) else None for name, value in counted.items()}
