"""The drawing of the stage at one moment: what is in RAM above the waterline, what is on disk below it.

Pages draw it with templates/playground/_stage_picture.html, previews of links with library/link_picture.py.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.message_places import places_of
from engine.reading.message_places import COUNTED_LETTER, LETTERS, count_of, drawn_queue, letter_of

MEANINGS: Final[dict[str, Any]] = dict(
    zip(
        LETTERS,
        (_("content + index in RAM"), _("content on disk"), _("index on disk too"), _("nothing in RAM")),
        strict=True,
    )
)
"""What each Greek letter means."""
UNACKED: Final = "unacked"
WIDTH: Final = 340
"""Of the drawing, in its own units."""
GUTTER: Final = 40
RAM, WATER, DISK, BOTTOM = 32, 70, 72, 112
"""Where RAM, the waterline and the disk begin, and where the disk ends."""
BLOCK: Final = 7
STEP: Final = 9
ROWS: Final = 4
"""Rows of blocks above the water and below it; a lane's count says how many messages there are in all."""


class BlockRows(NamedTuple):
    """The blocks of one Greek letter in a lane, as rows of (left side, middle line, how many blocks)."""

    letter: str
    rows: list[tuple[int, int, int]]

    @property
    def path(self) -> str:
        """Return the rows as a path of SVG: a dash is a block."""
        return "".join(f"M{x} {y}h{blocks * STEP - STEP + BLOCK}" for x, y, blocks in self.rows)


class DrawnLane(NamedTuple):
    """A lane where it is drawn: its left side, its messages, its blocks."""

    name: str
    x: int
    messages: int
    blocks: list[BlockRows]


class MemoryLevel(NamedTuple):
    """How full a node's memory is, in percent of the watermark, and the state that this means as a colour's name."""

    percent: int
    tone: str


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
    def letters(self) -> list[tuple[str, str]]:
        """Return the Greek letters that the picture has, and what they mean."""
        shown = {letter for _name, letters in self.lanes for letter in letters}
        return [(letter, str(meaning)) for letter, meaning in MEANINGS.items() if letter in shown]

    @property
    def ready(self) -> int:
        """Return how many messages wait for a consumer."""
        return sum(count for name, count in self.held if name != UNACKED)

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
            found.append(DrawnLane(name, x, sum(letters.values()), _blocks(x, width - 8, letters)))
            x += empty.get(name, width)
        return found


def _blocks(x: int, width: int, letters: Mapping[str, int]) -> list[BlockRows]:
    """Return the blocks of a lane: alphas grow up from the water, the others down."""
    most = max(1, (width + STEP - BLOCK) // STEP)
    found = []
    below = 0
    for letter, count in letters.items():
        above = letter == "alpha"
        done = 0 if above else below
        lines = min(-(-count // most), ROWS - done)
        first = WATER - BLOCK if above else DISK + BLOCK + STEP * done
        step = -STEP if above else STEP
        found.append(
            BlockRows(
                letter,
                [(x, first + step * line, min(most, count - line * most)) for line in range(lines)],
            )
        )
        below = done if above else done + lines
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


def memory_of(state: Mapping[str, Any]) -> MemoryLevel:
    """Return how full a snapshot's memory is: below the paging threshold, above it, or with the alarm on."""
    node = state["node"]
    memory = node["memory"]
    used, limit = memory.get("process_memory") or 0, memory.get("limit") or 1
    calm = "alpha" if used < (memory.get("paging_at") or 0) else "beta"
    return MemoryLevel(round(100 * used / limit), "alarm" if node["alarms"].get("memory") else calm)
