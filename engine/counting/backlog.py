"""How many messages waited, and which of them RAM only counted."""

from __future__ import annotations

from typing import Any

from engine.counting.accumulators import Highest, Latest, Total
from engine.counting.levels import OF_READY, Levels, count
from engine.counting.metric import Better, Unit, counted
from engine.report.transitions.messages import Shift
from engine.values.texts import gettext_noop as _


@counted(_("messages read from delta"), Unit.COUNT, Better.LOWER, Total, reads=())
def delta_out(levels: Levels, shift: Shift) -> int:
    """Messages that were read back from the index."""
    return count(shift.extents)


@counted(_("longest backlog"), Unit.COUNT, Better.LOWER, Highest, reads=OF_READY)
def peak_ready(levels: Levels, transition: Any) -> int:
    """The most messages that waited at once in all queues."""
    # A record that changes on its own belongs to a shift that follows; in between its messages would count twice.
    return levels.ready if isinstance(transition, Shift) else 0


@counted(_("most messages in delta"), Unit.COUNT, Better.LOWER, Highest, reads=OF_READY)
def peak_delta(levels: Levels, transition: Any) -> int:
    """The most messages that lay in delta at once, in all queues."""
    return sum(levels.counted.values())


@counted(_("backlog at the end"), Unit.COUNT, Better.LOWER, Latest, reads=OF_READY)
def final_ready(levels: Levels, transition: Any) -> int:
    """Messages that waited when the run ended."""
    return levels.ready
