"""Pictures of a ready scenario, drawn from its run: the library's thumbnail, and what leads to a moment.

Thumbnails are made when digests are recorded and kept in one file, so the page draws without playing anything.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from engine.replay import PlayedPiece, RunPlayer
from engine.replay.frames import PlayedFrame, encode, frame_message, snapshot_message
from engine.replay.player import KEEP_EVENTS
from playground.hosting.engine_api import NodeDoor
from playground.hosting.real_engine import door
from playground.storybook.entry import LibraryEntry
from playground.storybook.stage_picture import StagePicture, picture_of

ROWS: Final = 160
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
        door: makes the node.
        scenario: the run.
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
        door: makes the node.
        scenario: the run.
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
    early = max((place for place in places if place <= last - ROWS), default=places[0])
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
        picture: the stage there.
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
    """Return the thumbnails of the ready scenarios, by their names."""
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, RunThumbnail])


def keep(changed: Mapping[str, RunThumbnail], names: set[str]) -> None:
    """Write thumbnails down beside those that stay; those of other names go."""
    before = kept() if KEPT.exists() else {}
    every = {name: each for name, each in sorted({**before, **changed}.items()) if name in names}
    lines = [f'"{name}": {msgspec.json.encode(each).decode()}' for name, each in every.items()]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    kept.cache_clear()
