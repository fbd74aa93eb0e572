"""How many messages waited, and which of them RAM only counted."""

from __future__ import annotations

from typing import Any

from engine.counting.accumulators import Highest, Total
from engine.counting.levels import OF_READY, Levels, count
from engine.counting.metric import Better, Ending, Unit, at_end, counted
from engine.report.transitions.messages import Acked, Shift
from engine.values.texts import gettext_noop as _


@counted(_("messages read from delta"), Unit.COUNT, Better.LOWER, Total, reads=())
def delta_out(levels: Levels, shift: Shift) -> int:
    """Messages that were read back from the index."""
    return count(shift.extents)


@counted(_("longest backlog"), Unit.COUNT, Better.LOWER, Highest, reads=(Shift,))
def peak_ready(levels: Levels, shift: Shift) -> int:
    """The most messages that waited at once in all queues."""
    return levels.ready


@peak_ready.of(*[kind for kind in OF_READY if kind is not Shift])
def not_counted(levels: Levels, transition: Any) -> int:
    """Return 0: a record that changes on its own belongs to a shift that follows; messages would count twice."""
    return 0


@counted(_("most messages in delta"), Unit.COUNT, Better.LOWER, Highest, reads=(Shift,))
def peak_delta(levels: Levels, shift: Shift) -> int:
    """The most messages that lay in delta at once, in all queues."""
    return 0 if shift.record is None else sum(levels.counted.values())


@peak_delta.of(*[kind for kind in OF_READY if kind is not Shift])
def only_counted(levels: Levels, transition: Any) -> int:
    """Return how many messages RAM only counts, in all queues."""
    return sum(levels.counted.values())


for _metric in (peak_ready, peak_delta):
    _metric.passes(Acked)  # it was not ready any more


@at_end(_("backlog at the end"), Unit.COUNT, Better.LOWER, reads=OF_READY)
def final_ready(ending: Ending) -> int:
    """Messages that waited when the run ended."""
    return ending.levels.ready
