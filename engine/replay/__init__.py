"""Runs played: a node and the commands that were given to it, in slices, with what happened in each."""

from engine.replay.player import PlayedPiece, RunPlayer, on_ledger
from engine.replay.tally import RunTally
from engine.replay.watched import RunWatcher, WatchedRun, WatchedState
from engine.replay.witness import RunWitness

__all__ = [
    "PlayedPiece",
    "RunPlayer",
    "RunTally",
    "RunWatcher",
    "RunWitness",
    "WatchedRun",
    "WatchedState",
    "on_ledger",
]
