"""Which messages left RAM and came back (Q34, Q46, Q49)."""

from __future__ import annotations

from engine.classic_v1.transitions.messages import AlphasPushed, BetasPushed, DeltaRead
from engine.classic_v1.transitions.queue import DeltaChanged
from engine.counting.accumulators import First, Total
from engine.counting.backlog import delta_out, final_ready, not_counted, only_counted, peak_delta, peak_ready
from engine.counting.levels import Levels, count, follows, recount
from engine.counting.metric import Better, Unit, counted
from engine.report.transitions.messages import Shift
from engine.values.texts import gettext_noop as _


@follows(DeltaChanged)
def _changed(levels: Levels, at_us: int, change: DeltaChanged) -> None:
    recount(levels, change.queue, change.delta.count)


peak_ready.of(DeltaChanged)(not_counted)
peak_delta.of(DeltaChanged)(only_counted)
final_ready.also(DeltaChanged)
delta_out.also(DeltaRead)


@counted(_("messages paged out"), Unit.COUNT, Better.LOWER, Total, reads=(AlphasPushed, BetasPushed))
def paged_out(levels: Levels, shift: Shift) -> int:
    """Messages whose content left RAM: as a beta if it goes to the store, in delta if the index embeds it."""
    if isinstance(shift, AlphasPushed):
        return sum(extent.count for extent in shift.extents if not extent.in_ram)
    return sum(extent.count for extent in shift.extents if not extent.home_store)


@counted(_("messages sent to delta"), Unit.COUNT, Better.LOWER, Total, reads=(BetasPushed,))
def delta_in(levels: Levels, shift: Shift) -> int:
    """Messages of which RAM keeps nothing any more."""
    return count(shift.extents)


@counted(_("time until paging begins"), Unit.SECONDS, Better.HIGHER, First, reads=(AlphasPushed, BetasPushed))
def first_paging_s(levels: Levels, shift: Shift) -> bool:
    """When the first content left RAM; nothing where none ever did."""
    return bool(paged_out.function(levels, shift))
