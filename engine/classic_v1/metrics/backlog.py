"""Which messages left RAM and came back (Q34, Q46, Q49)."""

from __future__ import annotations

from engine.classic_v1.transitions import AlphasPushed, BetasPushed, DeltaChanged, DeltaRead
from engine.counting.backlog import delta_out, final_ready, not_counted, only_counted, peak_delta, peak_ready
from engine.counting.levels import RunLevels, count, follows, recount
from engine.counting.metric import BetterWay, FirstOf, MetricUnit, TotalOf, counted
from engine.report.transitions.queue import Shift
from engine.values.marks import gettext_noop as _


@follows(DeltaChanged)
def _changed(levels: RunLevels, at_us: int, change: DeltaChanged) -> None:
    recount(levels, change.queue, change.delta.count)


peak_ready.of(DeltaChanged)(not_counted)
peak_delta.of(DeltaChanged)(only_counted)
final_ready.also(DeltaChanged)
delta_out.also(DeltaRead)


@counted(
    _("messages paged out"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(AlphasPushed, BetasPushed)
)
def paged_out(levels: RunLevels, shift: Shift) -> int:
    """Messages whose content left RAM: as a beta if it goes to the store, in delta if the index embeds it."""
    if isinstance(shift, AlphasPushed):
        return sum(extent.count for extent in shift.extents if not extent.in_ram)
    return sum(extent.count for extent in shift.extents if not extent.home_store)


@counted(_("messages sent to delta"), MetricUnit.COUNT, BetterWay.LOWER, TotalOf, reads=(BetasPushed,))
def delta_in(levels: RunLevels, shift: Shift) -> int:
    """Messages of which RAM keeps nothing any more."""
    return count(shift.extents)


@counted(
    _("time until paging begins"),
    MetricUnit.SECONDS,
    BetterWay.HIGHER,
    FirstOf,
    reads=(AlphasPushed, BetasPushed),
)
def first_paging_s(levels: RunLevels, shift: Shift) -> bool:
    """When the first content left RAM; nothing where none ever did."""
    return bool(paged_out.function(levels, shift))
