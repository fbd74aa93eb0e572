"""A run of the engine, played for somebody who watches: conditions, measures and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from engine.replay import PlayedPiece, RunPlayer, RunWatcher, WatchedRun, WatchedState, on_ledger
from engine.replay.player import MOST_MESSAGES, MOST_TRANSITIONS, Timed
from engine.report.transitions.base import Transition
from engine.values.errors import RunTooLong
from playground.exercises.grading.verdict import TooLong


class RunEvent(msgspec.Struct, frozen=True):
    """A transition and when it happened; `number` counts them all."""

    number: int
    at_us: int
    transition: Transition

    @property
    def kind(self) -> str:
        """The transition's name."""
        return type(self.transition).__name__


class GradedRun(WatchedRun):
    """A scenario with commands given later, played on a ledger as a live session plays it on files.

    Args:
        scenario: as `engine.broker.commands.scenario.parse` reads it.
        commands: what was given besides, ascending by time.
        watchers: conditions about the past are asked at every moment at which something happened.
        give_up: asked now and then; when it returns true, `TooLong` is raised.
    """

    def __init__(
        self,
        scenario: dict[str, Any],
        commands: Sequence[Timed] = (),
        watchers: Iterable[RunWatcher] = (),
        give_up: Callable[[], bool] = lambda: False,
    ) -> None:
        node = on_ledger(scenario)
        # A session that took a command had another engine: what this one refuses is passed over.
        player = RunPlayer(node, commands, lenient=True, most=MOST_TRANSITIONS, whole=True, give_up=give_up)
        super().__init__(node, player, watchers)
        self.events: list[RunEvent] = []

    def go(self, until_us: int) -> WatchedState:
        """Go on to `until_us` and return the moment there. Raises TooLong."""
        try:
            return super().go(until_us)
        except RunTooLong as error:
            raise TooLong(str(error)) from None

    def take(self, piece: PlayedPiece) -> None:
        """Keep the transitions that are new, and show the moment."""
        super().take(piece)
        for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
            self.events.append(RunEvent(len(self.events), at_us, transition))
        if self.tally.moved["Published"] > MOST_MESSAGES:
            raise TooLong("the run has more messages than grading takes")
