"""A run recorded for a page that plays it alone: what a server would send, in parts that are unpacked one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from engine.replay import PlayedPiece, RunPlayer
from engine.replay.frames import encode, snapshot_message
from engine.replay.player import KEEP_EVENTS
from playground.hosting.engine_api import NodeDoor

if TYPE_CHECKING:
    from playground.storybook.story import ScenarioStory

MOST_ROWS: Final = 20_000
"""Transitions that are kept one by one: a page's own memory of the past has no room for more."""
ROWS_IN_A_PART: Final = 4_000
SNAPSHOTS: Final = 240
"""Whole states that stand for everything after that."""


class RecordedStop(msgspec.Struct, frozen=True):
    """A moment at which the run stands still: everything of that instant is done."""

    at_us: int
    number: int
    """Of the next transition."""


class RecordedRun(msgspec.Struct, frozen=True):
    """A run as its page gets it.

    Args:
        parts: lists of messages (see `engine.replay.frames`), each as JSON.
        stops: the moments at which the story stops, and the end.
        transitions: how many there were.
        whole: whether each of them is there.
        digest: of all.
        small: how many of the stops came before the files grew past `most_bytes`.
    """

    parts: list[bytes]
    stops: list[RecordedStop]
    transitions: int
    whole: bool
    digest: str
    small: int


def stops_of(story: ScenarioStory | None, until_us: int) -> list[int]:
    """Return the times at which a story stops a run, ascending, with the run's end as the last."""
    times = {until_us}
    if story is None:
        return sorted(times)
    times.update(each.at_us for each in (*story.annotations, *story.breakpoints) if each.at_us is not None)
    if story.prediction:
        times.update((story.prediction.ask_at_us, story.prediction.at_us))
    if story.verdict:
        times.add(story.verdict.evidence_at_us)
    return sorted(at_us for at_us in times if 0 < at_us <= until_us)


def record(
    door: NodeDoor,
    scenario: dict[str, Any],
    stops: Iterable[int],
    most_bytes: int = 0,
    give_up: Callable[[], bool] = lambda: False,
) -> RecordedRun:
    """Play a scenario without files; return what its page needs. Raises RunTooLong when `give_up` returns true.

    Args:
        door: makes the node.
        scenario: the run.
        stops: ascending virtual microseconds, the last one the run's end.
        most_bytes: of files that the page carries for its reader.
        give_up: asked now and then whether it takes too long.
    """
    node: Any = door.rehearse(scenario, KEEP_EVENTS)
    tape = _Tape(node, int(scenario["until_us"]))
    player = RunPlayer(node, first=node.log.number, give_up=give_up)
    reached: list[RecordedStop] = []
    small, used_bytes = 0, 0
    for at_us in stops:
        for piece in player.play(at_us):
            tape.add(piece)
            used_bytes = max(used_bytes, node.storage.used_bytes())
        reached.append(RecordedStop(at_us, node.log.number))
        small += used_bytes <= most_bytes
    return RecordedRun(list(tape.close()), reached, node.log.number, tape.whole, str(node.log.digest), small)


class _Tape:
    """Messages in parts: rows as long as there is room for them, then a state now and then."""

    def __init__(self, node: Any, until_us: int) -> None:
        self.whole = True
        self._node = node
        self._every_us = max(1, until_us // SNAPSHOTS)
        self._parts: list[bytes] = []
        self._messages: list[Any] = []
        self._in_part = 0
        self._rows = 0
        self._skipped: dict[str, int] = {}
        self._snapshot("join")

    def add(self, piece: PlayedPiece) -> None:
        """Take what happened next."""
        rows = [*zip(piece.at_us, piece.rows, strict=True)]
        if not self._skipped and not piece.lost and self._rows + len(rows) <= MOST_ROWS:
            self._add_rows(piece)
            return
        self.whole = False
        for _at_us, row in rows:
            name = type(row).__name__
            self._skipped[name] = self._skipped.get(name, 0) + 1
        if piece.lost:
            self._skipped["more"] = self._skipped.get("more", 0) + piece.lost
        if self._node.now_us - self._shown_us >= self._every_us or piece.last:
            self._snapshot("fast")

    def _add_rows(self, piece: PlayedPiece) -> None:
        if not piece.rows:
            return
        message = {"t": "frame", "first": piece.first, "at_us": piece.at_us, "rows": piece.rows}
        self._messages.append({**message, "digest": self._node.log.digest})
        self._rows += len(piece.rows)
        self._in_part += len(piece.rows)
        if self._in_part >= ROWS_IN_A_PART:
            self._end_part()

    def _snapshot(self, why: str) -> None:
        node, log = self._node, self._node.log
        state = msgspec.Raw(encode(node.snapshot()))
        self._messages.append(
            snapshot_message(log.number, node.now_us, state, why, self._skipped, log.digest)
        )
        self._shown_us, self._skipped = node.now_us, {}
        self._in_part += 100
        if self._in_part >= ROWS_IN_A_PART:
            self._end_part()

    def _end_part(self) -> None:
        self._parts.append(encode(self._messages))
        self._messages, self._in_part = [], 0

    def close(self) -> Iterator[bytes]:
        """Return all parts."""
        if self._messages:
            self._end_part()
        return iter(self._parts)
