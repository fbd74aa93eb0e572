"""How many messages waited, and which of them RAM only counted."""

from __future__ import annotations

from typing import Any

from engine.counting.levels import OF_READY, RunLevels, count
from engine.counting.metric import BetterWay, HighestOf, MetricUnit, RunEnding, TotalOf, at_end, counted
from engine.report.transitions.queue import Acked, Shift
from engine.values.marks import gettext_noop as _


@counted(_("messages read from delta"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=())
def delta_out(levels: RunLevels, shift: Shift) -> int:
    """Messages that were read back from the index."""
    return count(shift.extents)


@counted(_("longest backlog"), MetricUnit.COUNT, BetterWay.LOWER, HighestOf, reads=(Shift,))
def peak_ready(levels: RunLevels, shift: Shift) -> int:
    """The most messages that waited at once in all queues."""
    return levels.ready


@peak_ready.of(*[kind for kind in OF_READY if kind is not Shift])
def not_counted(levels: RunLevels, transition: Any) -> int:
    """Return 0: a record that changes on its own belongs to a shift that follows; messages would count twice."""
    return 0


@counted(_("most messages in delta"), MetricUnit.COUNT, BetterWay.LOWER, HighestOf, reads=(Shift,))
def peak_delta(levels: RunLevels, shift: Shift) -> int:
    """The most messages that lay in delta at once, in all queues."""
    return 0 if shift.record is None else sum(levels.counted.values())


@peak_delta.of(*[kind for kind in OF_READY if kind is not Shift])
def only_counted(levels: RunLevels, transition: Any) -> int:
    """Return how many messages RAM only counts, in all queues."""
    return sum(levels.counted.values())


for _metric in (peak_ready, peak_delta):
    _metric.passes(Acked)  # it was not ready any more


@at_end(_("backlog at the end"), MetricUnit.COUNT, BetterWay.LOWER, reads=OF_READY)
def final_ready(ending: RunEnding) -> int:
    """Messages that waited when the run ended."""
    return ending.levels.ready
