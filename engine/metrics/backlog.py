"""How many messages waited, and which of them left RAM."""

from __future__ import annotations

from typing import Any

from engine import transitions as t
from engine.metrics.accumulators import First, Highest, Latest, Total
from engine.metrics.levels import OF_READY, Levels, count
from engine.metrics.metric import Better, Unit, counted
from engine.values.texts import gettext_noop as _


@counted(_("messages paged out"), Unit.COUNT, Better.LOWER, Total, reads=(t.AlphasPushed, t.BetasPushed))
def paged_out(levels: Levels, shift: t.Shift) -> int:
    """Messages whose content left RAM: as a beta if it goes to the store, in delta if the index embeds it."""
    if isinstance(shift, t.AlphasPushed):
        return sum(extent.count for extent in shift.extents if not extent.in_ram)
    return sum(extent.count for extent in shift.extents if not extent.home_store)


@counted(_("messages sent to delta"), Unit.COUNT, Better.LOWER, Total, reads=(t.BetasPushed,))
def delta_in(levels: Levels, shift: t.Shift) -> int:
    """Messages of which RAM keeps nothing any more."""
    return count(shift.extents)


@counted(_("messages read from delta"), Unit.COUNT, Better.LOWER, Total, reads=(t.DeltaRead, t.TailLoaded))
def delta_out(levels: Levels, shift: t.Shift) -> int:
    """Messages that were read back from the index."""
    return count(shift.extents)


@counted(_("longest backlog"), Unit.COUNT, Better.LOWER, Highest, reads=OF_READY)
def peak_ready(levels: Levels, transition: Any) -> int:
    """The most messages that waited at once in all queues."""
    # A delta that changes on its own belongs to a shift that follows; in between its messages would count twice.
    return levels.ready if isinstance(transition, t.Shift) else 0


@counted(_("most messages in delta"), Unit.COUNT, Better.LOWER, Highest, reads=OF_READY)
def peak_delta(levels: Levels, transition: Any) -> int:
    """The most messages that lay in delta at once, in all queues."""
    return sum(levels.deltas.values())


@counted(_("backlog at the end"), Unit.COUNT, Better.LOWER, Latest, reads=OF_READY)
def final_ready(levels: Levels, transition: Any) -> int:
    """Messages that waited when the run ended."""
    return levels.ready


@counted(
    _("time until paging begins"), Unit.SECONDS, Better.HIGHER, First, reads=(t.AlphasPushed, t.BetasPushed)
)
def first_paging_s(levels: Levels, shift: t.Shift) -> bool:
    """When the first content left RAM; nothing where none ever did."""
    return bool(paged_out.function(levels, shift))
