"""The conditions that hold in a session's run: read from its state, or from a repetition that follows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from engine.reading.conditions import Condition, ConditionWatch, needs_whole_run
from engine.replay import RunPlayer, WatchedRun
from engine.replay.player import MOST_MESSAGES, MOST_TRANSITIONS, Timed
from engine.values.errors import RunTooLong
from playground.hosting.engine_api import NodeDoor

PATIENCE_S: Final = 10.0
"""How long a repetition may run at once; the next call continues it."""

Found = list[tuple[Any, bool]]
"""For each condition the first value that it compares, and whether it holds."""


class ReachedGoals:
    """Checks conditions of one run. A condition on the current moment reads the run's own state. A condition that
    counts events, or looks at every moment, needs the run from its beginning: the run is repeated on a ledger, and the
    repetition is kept. So the first check costs the whole run, and each later one only what happened since.

    Args:
        conditions: what to check.
        door: makes the repetition's node.
        scenario: of the run.
        breathe: called often, so that others have their turns.
        clock: real seconds.
    """

    def __init__(
        self,
        conditions: list[Condition],
        door: NodeDoor,
        scenario: dict[str, Any],
        breathe: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self.conditions = conditions
        self._watches = [ConditionWatch(each) for each in conditions]
        self._breathe = breathe
        self._clock = clock
        self._ends_s = 0.0
        self._repetition: WatchedRun | None = None
        if any(map(needs_whole_run, conditions)):
            node: Any = door.rehearse(scenario)
            node.log.pause = breathe
            self._player = RunPlayer(
                node, lenient=True, most=MOST_TRANSITIONS, whole=True, give_up=self._is_over
            )
            self._repetition = WatchedRun(node, self._player, self._watches)

    def found(self, state: Callable[[], dict[str, Any]], commands: list[Timed], at_us: int) -> Found | None:
        """Return the values at the current moment; None if the run is too long to be repeated.

        Args:
            state: returns the run's state.
            commands: all of the session's record.
            at_us: the run's time, with everything of that instant done.
        """
        moment = state() if self._repetition is None else self._repeated(self._repetition, commands, at_us)
        if moment is None:
            return None
        return [(watch.found(moment), watch.holds(moment)) for watch in self._watches]

    def _repeated(self, repetition: WatchedRun, commands: list[Timed], at_us: int) -> dict[str, Any] | None:
        self._player.commands = list(commands)
        self._ends_s = self._clock() + PATIENCE_S
        try:
            moment = repetition.go(at_us)
        except RunTooLong:
            return None
        return moment if repetition.tally.moved["Published"] <= MOST_MESSAGES else None

    def _is_over(self) -> bool:
        self._breathe()
        return self._clock() > self._ends_s
