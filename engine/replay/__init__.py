"""Runs played: a node and the commands that were given to it, in slices, with what happened in each."""

from engine.replay.player import Piece, Player, on_ledger
from engine.replay.tally import Tally
from engine.replay.watched import Watched, WatchedState, Watcher
from engine.replay.witness import Witness

__all__ = ["Piece", "Player", "Tally", "Watched", "WatchedState", "Watcher", "Witness", "on_ledger"]
