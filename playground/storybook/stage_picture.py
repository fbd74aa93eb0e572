"""The drawing of the stage at one moment: what is in RAM above the waterline, what is on disk below it.

Pages draw it with templates/playground/_stage_picture.html, previews of links with library/link_picture.py.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from django.utils.translation import gettext_lazy as _

from engine.backing_queue.message_places import places_of
from engine.reading.message_places import COUNTED_LETTER, LETTERS, count_of, drawn_queue, letter_of
from engine.replay import PlayedPiece, RunPlayer
from engine.replay.player import KEEP_EVENTS, PlayedFrame, encode, frame_message, snapshot_message
from playground.hosting.real_engine import NodeDoor, door
from playground.storybook.entry import LibraryEntry

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
        return [(name, sum(letters.values())) for name, letters in self.lanes if letters]

    @property
    def letters(self) -> list[tuple[str, str]]:
        """Return the Greek letters that the picture has, and what they mean."""
        shown = {letter for _name, letters in self.lanes for letter in letters}
        return [(letter, str(meaning)) for letter, meaning in MEANINGS.items() if letter in shown]

    @property
    def ready(self) -> int:
        return sum(count for name, count in self.held if name != UNACKED)

    @property
    def words(self) -> str:
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


THUMBNAIL_ROWS: Final = 160
"""Transitions that lead to a moment, at least; fewer where the run had fewer."""
MOST_ROWS: Final = 1200
"""Most of them: one event may bring many more, and a figure begins after it then."""
LOG: Final = 4096
"""Most transitions of one event that are kept one by one."""
SLICE: Final = 40
"""Transitions after which the lead may begin: an event is never cut."""


def lead_to(
    door: NodeDoor, scenario: dict[str, Any], at_us: int, give_up: Callable[[], bool] = lambda: False
) -> bytes:
    """Return two messages as JSON: a snapshot, and a frame with the rows from there to a moment. Raises RunTooLong.

    Args:
        at_us: virtual microseconds; everything of that instant is done.
        give_up: asked now and then whether it takes too long.
    """
    return leads_to(door, scenario, (at_us,), give_up)[at_us]


def leads_to(
    door: NodeDoor,
    scenario: dict[str, Any],
    moments_us: Iterable[int],
    give_up: Callable[[], bool] = lambda: False,
) -> dict[int, bytes]:
    """Return what leads to each of several moments of one run, as `lead_to` does. Raises RunTooLong.

    The run is played twice, on a ledger: once to learn where each lead may begin, and once to tell them all.

    Args:
        moments_us: virtual microseconds; everything of such an instant is done.
        give_up: asked now and then whether it takes too long.
    """
    ascending = sorted(set(moments_us))
    node, counted = _new(door, scenario, give_up)
    places, ways = [node.log.number], []
    for at_us in ascending:
        places += [counted.next for _piece in counted.play(at_us, SLICE)]
        ways.append(_Way(_beginning(places)))
    node, player = _new(door, scenario, give_up)
    for way in ways:
        way.begin_at(node, player.next)
    led = {}
    for done, at_us in enumerate(ascending):
        for piece in player.play(at_us, SLICE):
            for way in ways[done:]:
                way.take(node, piece, player.next)
        led[at_us] = ways[done].told(node, player.next)
    return led


class _Way:
    """What leads to one moment, as far as it was played.

    Args:
        begin: number of the transition with which it may begin.
    """

    def __init__(self, begin: int) -> None:
        self._begin = begin
        self._head = b""
        self._rows: list[Any] = []
        self._times: list[int] = []

    def begin_at(self, node: Any, number: int) -> None:
        """Begin with the node's state, unless that is too early."""
        if number >= self._begin:
            self._head, self._rows, self._times = _state(node), [], []

    def take(self, node: Any, piece: PlayedPiece, number: int) -> None:
        """Go on by a piece; begin behind it where nothing has begun, or the piece has lost its rows."""
        if self._head and not piece.lost:
            self._rows += piece.rows
            self._times += piece.at_us
        else:
            self.begin_at(node, number)

    def told(self, node: Any, number: int) -> bytes:
        """Return both messages; the node stands at the moment."""
        frame = PlayedFrame(number - len(self._rows), self._times, self._rows)
        return b"[" + self._head + b"," + encode(frame_message(frame, node.now_us)) + b"]"


def _new(door: NodeDoor, scenario: dict[str, Any], give_up: Callable[[], bool]) -> tuple[Any, RunPlayer]:
    node: Any = door.rehearse(scenario, LOG)
    return node, RunPlayer(node, first=node.log.number, give_up=give_up)


def _beginning(places: list[int]) -> int:
    """Return the number of the transition with which the lead begins, of those between two events."""
    last = places[-1]
    early = max((place for place in places if place <= last - THUMBNAIL_ROWS), default=places[0])
    return early if last - early <= MOST_ROWS else min(place for place in places if place >= last - MOST_ROWS)


def _state(node: Any) -> bytes:
    state = msgspec.Raw(encode(node.snapshot()))
    return encode(snapshot_message(node.log.number, node.now_us, state, "join", {}))


KEPT: Final = Path(__file__).resolve().parent / "thumbnails.json"
SAMPLES: Final = 48
"""Even times at which a run is looked at."""


class RunThumbnail(msgspec.Struct, frozen=True):
    """The picture of a run's decisive moment.

    Args:
        digest: of the run that it was drawn from.
    """

    digest: str
    picture: StagePicture


def draw(entry: LibraryEntry) -> RunThumbnail:
    """Play a ready scenario to its end, and draw it where it asks for a prediction, before the answer.

    A run that asks before anything waits is drawn where most waits.
    """
    node = door().rehearse(entry.run, KEEP_EVENTS)
    player = RunPlayer(node, lenient=True)
    asked_us = entry.story.prediction.ask_at_us if entry.story.prediction else 0
    pictures: dict[int, StagePicture] = {}
    for at_us in sorted({asked_us, *(entry.run["until_us"] * at // SAMPLES for at in range(SAMPLES + 1))}):
        deque(player.play(at_us), maxlen=0)
        pictures[at_us] = picture_of(node.snapshot()) or StagePicture([])
    fullest = max(pictures.values(), key=lambda each: sum(count for _lane, count in each.held))
    asked = pictures[asked_us]
    return RunThumbnail(node.log.digest, asked if asked.held else fullest)


@functools.cache
def kept() -> dict[str, RunThumbnail]:
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, RunThumbnail])


def keep(changed: Mapping[str, RunThumbnail], names: set[str]) -> None:
    """Write thumbnails down beside those that stay; those of other names go."""
    before = kept() if KEPT.exists() else {}
    every = {name: each for name, each in sorted({**before, **changed}.items()) if name in names}
    lines = [f'"{name}": {msgspec.json.encode(each).decode()}' for name, each in every.items()]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    kept.cache_clear()
