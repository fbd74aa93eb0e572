"""The way to a moment of a run: a state, and the transitions that lead from there to it; a small figure plays it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from engine.replay import Player
from engine.replay.frames import Frame, encode, frame_message, snapshot_message
from playground.hosting.door import NodeDoor

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

    The run is played twice, on a ledger: once to learn where the lead may begin, and once to tell it.

    Args:
        door: makes the node.
        scenario: the run.
        at_us: virtual microseconds; everything of that instant is done.
        give_up: asked now and then whether it takes too long.
    """
    node, counted = _new(door, scenario, give_up)
    begin = _beginning([node.log.number, *(counted.next for _piece in counted.play(at_us, SLICE))])
    node, player = _new(door, scenario, give_up)
    rows: list[Any] = []
    times: list[int] = []
    head = _state(node) if begin == player.next else b""
    for piece in player.play(at_us, SLICE):
        if head and not piece.lost:
            rows += piece.rows
            times += piece.at_us
        elif player.next >= begin:
            head, rows, times = _state(node), [], []
    frame = Frame(player.next - len(rows), times, rows)
    return b"[" + head + b"," + encode(frame_message(frame, node.now_us)) + b"]"


def _new(door: NodeDoor, scenario: dict[str, Any], give_up: Callable[[], bool]) -> tuple[Any, Player]:
    node: Any = door.rehearse(scenario, LOG)
    return node, Player(node, first=node.log.number, give_up=give_up)


def _beginning(places: list[int]) -> int:
    """Return the number of the transition with which the lead begins, of those between two events."""
    last = places[-1]
    early = max((place for place in places if place <= last - ROWS), default=places[0])
    return early if last - early <= MOST_ROWS else min(place for place in places if place >= last - MOST_ROWS)


def _state(node: Any) -> bytes:
    state = msgspec.Raw(encode(node.snapshot()))
    return encode(snapshot_message(node.log.number, node.now_us, state, "join", {}))
