"""Playing runs: a node and its commands, in slices, with what happened in each."""

from engine.replay.player import (
    PlayedPiece,
    RunPlayer,
    RunTally,
    RunWatcher,
    WatchedRun,
    WatchedState,
    on_ledger,
)
from engine.replay.survival import RunWitness

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
