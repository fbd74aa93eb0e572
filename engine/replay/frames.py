"""The messages of a run for a page: frames of rows, and snapshots when there are too many rows."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from engine.replay.player import PlayedPiece
from engine.values.sizes import plain

ROWS_IN_A_FRAME: Final = 400

encode: Final = msgspec.json.Encoder(enc_hook=plain).encode


class PlayedFrame(msgspec.Struct):
    """The rows since the last frame, or only their numbers by kind if there are too many."""

    first: int
    at_us: list[int] = []
    rows: list[Any] = []
    counts: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def fast(self) -> bool:
        """Whether there are more rows than a frame may carry."""
        return self.counts.total() > ROWS_IN_A_FRAME

    @property
    def next(self) -> int:
        """Number of the row after the last one."""
        return self.first + self.counts.total()

    def add(self, piece: PlayedPiece) -> None:
        """Add the next rows; rows without room are only counted."""
        if piece.lost:  # one event was larger than the log: readers get a snapshot in any case
            self.counts["more"] += piece.lost
            return
        self.counts.update(type(row).__name__ for row in piece.rows)
        room = max(0, ROWS_IN_A_FRAME - len(self.rows))
        self.at_us += piece.at_us[:room]
        self.rows += piece.rows[:room]


def frame_message(frame: PlayedFrame, now_us: int, **pace: Any) -> dict[str, Any]:
    """Return a frame as a message.

    Args:
        frame: its rows.
        now_us: the run's time.
        pace: further values for the page: the digest, whether time passes, and how fast.
    """
    return {
        "t": "frame",
        "first": frame.first,
        "at_us": frame.at_us,
        "rows": frame.rows,
        "now_us": now_us,
        **pace,
    }


def snapshot_message(
    number: int, now_us: int, state: Any, why: str, skipped: dict[str, int], digest: str = ""
) -> dict[str, Any]:
    """Return a snapshot as a message.

    Args:
        number: of the next transition.
        now_us: the moment.
        state: of the node, as plain values or already encoded.
        why: the reason for sending the whole state: "join", "fast" or "lag".
        skipped: numbers of left-out rows, by kind.
        digest: of everything so far.
    """
    return {
        "t": "snapshot",
        "next": number,
        "at_us": now_us,
        "state": state,
        "digest": digest,
        "skipped": skipped,
        "why": why,
    }
