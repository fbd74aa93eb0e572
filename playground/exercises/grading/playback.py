"""A run of the engine, played for somebody who watches: conditions, measures and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import msgspec

from engine.ctl.operator import operated
from engine.errors import CommandError
from engine.node.commands import scenario as scenarios
from engine.storage.ledger import LedgerStorage
from engine.transitions import Shift, Transition
from playground.exercises.grading.facts import Facts, facts_of
from playground.exercises.grading.verdict import TooLong

Timed = tuple[int, dict[str, Any]]

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
        scenario: as `engine.node.commands.scenario.parse` reads it.
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
        self.node = operated(scenarios.parse(scenario), LedgerStorage())
        self.events: list[Event] = []
        self.seen: Counter[str] = Counter()
        self.moved: Counter[str] = Counter()
        self._commands = list(commands)
        self._watchers = [each for each in watchers if each.looks_back]
        self._give_up = give_up
        self._gather()

    def play(self, until_us: int) -> Facts:
        """Go on to `until_us` and return the facts of that moment."""
        while self._commands and self._commands[0][0] <= until_us:
            at_us, command = self._commands.pop(0)
            self._advance(at_us)
            try:
                self.node.submit(command)
            except CommandError:
                continue  # a session that took it had another engine; what it can do it does
            self._gather()
        self._advance(until_us)
        return self.facts()

    def facts(self) -> Facts:
        """Return the facts of now."""
        return facts_of(self.node.snapshot(), self.node.now_us, self.seen, self.moved)

    def _advance(self, until_us: int) -> None:
        while not self.node.advance(until_us, 1):
            self._gather()
        self._gather()

    def _gather(self) -> None:
        """Take the transitions that are new, and show the moment."""
        rows = self.node.log.since(len(self.events))
        if rows is None:
            raise TooLong("one event had more transitions than are kept")
        if not rows.rows:
            return
        for at_us, transition in zip(rows.at_us, rows.rows, strict=True):
            self.events.append(Event(len(self.events), at_us, transition))
            kind = type(transition).__name__
            self.seen[kind] += 1
            if isinstance(transition, Shift):
                self.moved[kind] += sum(extent.count for extent in transition.extents)
        if len(self.events) > MAX_EVENTS or self.moved["Published"] > MAX_MESSAGES or self._give_up():
            raise TooLong("the run is longer than grading takes")
        if self._watchers:
            facts = self.facts()
            for watcher in self._watchers:
                watcher.see(facts)
