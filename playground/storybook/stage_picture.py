"""A small drawing of the stage at one moment: what is in RAM above the waterline, what is on disk below it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from engine.backing_queue.message_places import places_of
from engine.reading.message_places import COUNTED_LETTER, LETTERS, count_of, drawn_queue, letter_of

UNACKED: Final = "unacked"
WIDTH: Final = 340
"""Of the drawing, in its own units; heights are in templates/playground/_stage_picture.html."""
GUTTER: Final = 40
WATER: Final = 70
BLOCK: Final = 7
STEP: Final = 9
ROWS: Final = 4
"""Rows of blocks above the water and below it; a lane's count says how many messages there are in all."""


class DrawnLane(NamedTuple):
    """A lane where it is drawn: its left side, and its rows of blocks as (letter, SVG path)."""

    name: str
    x: int
    messages: int
    rows: list[tuple[str, str]]


class StagePicture(msgspec.Struct, frozen=True, dict=True):
    """How many messages are where, from the tail to the head.

    Args:
        lanes: (lane, messages by Greek letter); those that consumers hold are the last, if there are any.
    """

    lanes: list[tuple[str, dict[str, int]]]

    @property
    def held(self) -> list[tuple[str, int]]:
        """Return the lanes that hold messages, and how many."""
        return [(name, sum(letters.values())) for name, letters in self.lanes if letters]

    @property
    def words(self) -> str:
        """Return what the lanes hold as a text."""
        return ", ".join(f"{name}: {count}" for name, count in self.held)

    @functools.cached_property
    def drawn(self) -> list[DrawnLane]:
        """Return the lanes where they are drawn: one that is empty takes the room of its name."""
        empty = {name: 9 * len(name) + 4 for name, letters in self.lanes if not letters}
        full = len(self.lanes) - len(empty)
        width = (WIDTH - GUTTER - sum(empty.values())) // max(1, full)
        x, found = GUTTER, []
        for name, letters in self.lanes:
            found.append(DrawnLane(name, x, sum(letters.values()), _rows(x, width - 8, letters)))
            x += empty.get(name, width)
        return found


def _rows(x: int, width: int, letters: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the blocks of a lane: alphas grow up from the water, the others down; a dash is a block."""
    most = max(1, (width + STEP - BLOCK) // STEP)
    found = []
    below = 0
    for letter, count in letters.items():
        done = 0 if letter == "alpha" else below
        lines = min(-(-count // most), ROWS - done)
        path = []
        for line in range(lines):
            blocks = min(most, count - line * most)
            y = WATER - 7 - STEP * line if letter == "alpha" else WATER + 9 + STEP * (line + done)
            path.append(f"M{x} {y}h{blocks * STEP - STEP + BLOCK}")
        found.append((letter, "".join(path)))
        below = done if letter == "alpha" else done + lines
    return found


def picture_of(state: Mapping[str, Any]) -> StagePicture | None:
    """Return the picture of a snapshot's queue; None where there is no queue."""
    queue = drawn_queue(state)
    if queue is None:
        return None
    lanes: dict[str, dict[str, int]] = {}
    for place in places_of(queue):
        letters = lanes.setdefault(UNACKED if place.unacked else place.name, {})
        if place.counted:
            letters[COUNTED_LETTER] = count_of(queue, place.name)
        for extent in queue["lanes"].get(place.name, ()):
            letter = letter_of(place.name, extent[4])
            letters[letter] = letters.get(letter, 0) + extent[1]
    found = [
        (name, {letter: letters[letter] for letter in LETTERS if letters.get(letter)})
        for name, letters in lanes.items()
    ]
    return StagePicture([(name, letters) for name, letters in found if letters or name != UNACKED])
