"""A run of the engine, played for somebody who watches: conditions, measures and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from engine.errors import RunTooLong
from engine.replay import Piece, Player, Tally, on_ledger
from engine.replay.player import Timed
from engine.transitions import Transition
from playground.exercises.grading.facts import Facts, facts_of
from playground.exercises.grading.verdict import TooLong

MAX_MESSAGES = 20_000
MAX_EVENTS = 40_000


class Watcher(Protocol):
    """Anything that may want to see each moment."""

    @property
    def looks_back(self) -> bool:
        """Whether it has to see every moment, or only the last one."""

    def see(self, facts: Facts) -> None:
        """Take notice of a moment."""


class Event(msgspec.Struct, frozen=True):
    """A transition and when it happened; `number` counts them all."""

    number: int
    at_us: int
    transition: Transition

    @property
    def kind(self) -> str:
        """The transition's name."""
        return type(self.transition).__name__


class Playback:
    """Plays a scenario with commands given later, on a ledger, as a live session does on files.

    Args:
        scenario: as `engine.node.scenario.parse` reads it.
        commands: what was given besides, ascending by time.
        watchers: those that look back see every moment at which something happened.
        give_up: asked now and then; when it says so, `TooLong` is raised.
    """

    def __init__(
        self,
        scenario: dict[str, Any],
        commands: Sequence[Timed] = (),
        watchers: Iterable[Watcher] = (),
        give_up: Callable[[], bool] = lambda: False,
    ) -> None:
        self.node = on_ledger(scenario)
        self.events: list[Event] = []
        self._tally = Tally()
        # A session that took a command had another engine: what this one refuses is passed over.
        self._player = Player(self.node, commands, lenient=True, most=MAX_EVENTS, whole=True, give_up=give_up)
        self._watchers = [each for each in watchers if each.looks_back]

    def play(self, until_us: int) -> Facts:
        """Go on to `until_us` and return the facts of that moment. Raises TooLong."""
        try:
            for piece in self._player.play(until_us, 1):
                self._take(piece)
        except RunTooLong as error:
            raise TooLong(str(error)) from None
        return self.facts()

    def facts(self) -> Facts:
        """Return the facts of now."""
        return facts_of(self.node.snapshot(), self.node.now_us, self._tally.happened, self._tally.moved)

    def _take(self, piece: Piece) -> None:
        """Take the transitions that are new, and show the moment."""
        if not piece.rows:
            return
        self._tally.add(piece)
        for at_us, transition in zip(piece.at_us, piece.rows, strict=True):
            self.events.append(Event(len(self.events), at_us, transition))
        if self._tally.moved["Published"] > MAX_MESSAGES:
            raise TooLong("the run has more messages than grading takes")
        if self._watchers:
            facts = self.facts()
            for watcher in self._watchers:
                watcher.see(facts)
