"""What happened in a run so far, counted by kind."""

from __future__ import annotations

from collections import Counter

import msgspec

from engine.backing_queue.message_places import place_named
from engine.metrics import RunMeter
from engine.reading.message_places import letter_of
from engine.replay.player import PlayedPiece
from engine.report.transitions.messages import Shift
from engine.report.transitions.stops import QueueStopped


class RunTally(msgspec.Struct):
    """Counts over the pieces of a run.

    Args:
        happened: how many transitions of each kind there were.
        moved: how many messages each kind moved.
        became: how many messages came to a place as each Greek letter (Q3).
        stopped: how many queues ended in each way: clean, crash, kill or power.
        meter: every metric of the run so far.
    """

    happened: Counter[str] = msgspec.field(default_factory=Counter)
    moved: Counter[str] = msgspec.field(default_factory=Counter)
    became: Counter[str] = msgspec.field(default_factory=Counter)
    stopped: Counter[str] = msgspec.field(default_factory=Counter)
    meter: RunMeter = msgspec.field(default_factory=RunMeter)

    def add(self, piece: PlayedPiece) -> None:
        """Add what happened; what the log lost is not counted."""
        for at_us, row in zip(piece.at_us, piece.rows, strict=True):
            kind = type(row).__name__
            self.happened[kind] += 1
            if isinstance(row, QueueStopped):
                self.stopped[row.how] += 1
            elif isinstance(row, Shift):
                self.moved[kind] += sum(extent.count for extent in row.extents)
                if row.to is not None and not place_named(row.to).unacked:
                    for extent in row.extents:
                        self.became[letter_of(row.to, extent.flags)] += extent.count
            self.meter.observe(at_us, row)
