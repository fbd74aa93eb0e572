"""A run that stops at given moments, for somebody who looks at them: conditions, measures, pictures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

from engine.broker.cluster import Cluster
from engine.replay.player import SLICE, PlayedPiece, RunPlayer
from engine.replay.tally import RunTally

MOST_MESSAGES: Final = 20_000
MOST_TRANSITIONS: Final = 40_000
"""What a run may have that is judged: more takes longer than anybody waits."""

WatchedState = dict[str, Any]
"""A snapshot, with counts of the whole run: `happened`, `moved`, `became`, `stopped` (see `engine.reading.paths`)."""


class RunWatcher(Protocol):
    """Anything that may have to be given each moment."""

    needs_every_moment: bool
    """Whether it has to be given every moment, or only the last one."""

    def observe(self, state: WatchedState) -> None:
        """Take notice of a moment."""


class WatchedRun:
    """A run and those who watch it.

    Args:
        node: a new one.
        player: plays it, from its first transition on.
        watchers: those that look back are given every moment at which something happened.
    """

    def __init__(self, node: Cluster, player: RunPlayer, watchers: Iterable[RunWatcher] = ()) -> None:
        self.node = node
        self.tally = RunTally()
        self.last: WatchedState = {}
        """The moment at which the run stopped."""
        self._player = player
        self._watchers = [each for each in watchers if each.needs_every_moment]

    def go(self, until_us: int) -> WatchedState:
        """Play up to a time; return the moment there. Raises RunTooLong."""
        for piece in self._player.play(until_us, 1 if self._watchers else SLICE):
            self.take(piece)
        self.last = {**self.moment(), "figures": self.tally.meter.row(self.node.now_us)}
        return self.last

    def take(self, piece: PlayedPiece) -> None:
        """Count what happened, and show the moment to those who look back."""
        self.tally.add(piece)  # one event that is larger than the log is not counted by kind
        if self._watchers and piece.count:
            moment = self.moment()
            for watcher in self._watchers:
                watcher.observe(moment)

    def moment(self) -> WatchedState:
        """Return the present moment, without the figures: they cost more than they are asked for."""
        tally = self.tally
        return {
            **self.node.snapshot(),
            "happened": dict(tally.happened),
            "moved": dict(tally.moved),
            "became": dict(tally.became),
            "stopped": dict(tally.stopped),
        }
