"""The past of a run for a page that came late: the rows that it missed, and states to fold them from.

The run is repeated on a ledger. Of a short past all rows are sent. Of a long one the page gets states at even distances
and the rows right before those that it has, and asks for the rows between when somebody goes there.
"""

from __future__ import annotations

import time
from typing import Any, Final

import msgspec

from engine.replay import RunPlayer
from engine.replay.frames import encode
from engine.replay.player import SLICE, PlayedPiece
from playground.hosting.engine_api import NodeDoor
from playground.hosting.file_places import NotThere
from playground.hosting.session_record import RecordedSession

WHOLE: Final = 6000
"""Most rows of a past that is sent whole."""
NEAR: Final = 2000
"""Rows right before the page's own that are sent of a longer past."""
MOMENTS: Final = 32
"""States that are sent of the rows before those, about."""
STATES_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of all states of an answer: the states of a queue of many small extents are large."""
LOG: Final = 4096
"""Most rows of one event; a larger event is a gap, as it was for those who watched."""


class MissedStretch(msgspec.Struct, omit_defaults=True):
    """A state, and the rows that follow it without a gap.

    Args:
        first: number of the first row.
        us: when the state was.
        state: of the node; None before the first row of all.
        rows: the transitions.
        at_us: when each happened.
    """

    first: int
    us: int
    state: msgspec.Raw | None = None
    rows: list[Any] = []
    at_us: list[int] = []


class PastRows(msgspec.Struct):
    """An answer: stretches in order, and the number of the row after the last."""

    stretches: list[MissedStretch]
    through: int


NOTHING: Final = encode(PastRows([], 0))
"""The answer where nothing can be sent."""


def rows_of(
    door: NodeDoor, past_s: float, first: int, last: int, record: RecordedSession
) -> tuple[bytes, int]:
    """Return the rows from `first` to before `last` as JSON, see `PastRows`, and on how many commands they rest.

    Args:
        door: makes the node.
        past_s: longest time of the repetition; the rows that it has come to by then are the answer.
        first: number of a row.
        last: number of a later one.
        record: of the session, with the time that the run has reached: no row after it is sent.

    Raises:
        NotThere: "future" when the run has not come that far.
    """
    player = RunPlayer(door.rehearse(record.scenario, LOG), record.commands)
    chosen = ChosenRows(player, first, last)
    deadline_s = time.monotonic() + past_s
    for piece in player.play(record.reached_us):
        chosen.take(piece)
        if chosen.done or (not piece.last and time.monotonic() > deadline_s):
            break
    else:
        if player.next < last:
            raise NotThere("future")
    return encode(PastRows(chosen.stretches, min(player.next, last))), player.given


class ChosenRows:
    """The stretches of a run that are sent, chosen piece by piece.

    Args:
        player: about to play the run.
        first: number of the first row that is wanted.
        last: number of the row after the last.
    """

    def __init__(self, player: RunPlayer, first: int, last: int) -> None:
        self.stretches: list[MissedStretch] = []
        self._player = player
        self._last = last
        self._near = first if last - first <= WHOLE else last - NEAR
        self._every = max(SLICE, (self._near - first) // MOMENTS)
        self._next_state = first
        self._states_bytes = 0
        self._open = False
        if first == 0:
            self.stretches.append(MissedStretch(0, 0))
            self._open = self._near == 0
            self._next_state = self._every

    @property
    def done(self) -> bool:
        """Whether the run has come to the last row that is wanted."""
        return self._player.next >= self._last

    def take(self, piece: PlayedPiece) -> None:
        """Take the rows of a piece, or the state after it, or neither."""
        if piece.lost:
            self._open = False
        elif self._open:
            room = max(0, self._last - piece.first)
            self.stretches[-1].rows += piece.rows[:room]
            self.stretches[-1].at_us += piece.at_us[:room]
        number = self._player.next
        if number >= self._last or self._open:
            return
        near = number >= self._near - SLICE
        if near or number >= self._next_state:
            self._open = self._begin(number) and near
            self._next_state = number + self._every

    def _begin(self, number: int) -> bool:
        """Begin a stretch at the present state; return whether there was room for it."""
        state = encode(self._player.node.snapshot())  # type: ignore[attr-defined]  # a door's node has one
        if self._states_bytes + len(state) > STATES_BYTES:
            return False
        self._states_bytes += len(state)
        self.stretches.append(MissedStretch(number, self._player.node.now_us, msgspec.Raw(state)))
        return True
