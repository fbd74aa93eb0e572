"""What a power cut at the end of the run would cost. A fork of the run is cut and recovers from its files."""

from __future__ import annotations

from engine.metrics.metric import Better, Ending, Unit, at_end
from engine.texts import gettext_noop as _


@at_end(_("messages lost on a power cut"), Unit.COUNT, Better.LOWER, reads=())
def lost_on_power_cut(ending: Ending) -> int | None:
    """Messages that the files do not bring back."""
    return ending.power_cut.messages if ending.power_cut else None


@at_end(_("persistent messages lost on a power cut"), Unit.COUNT, Better.LOWER, reads=())
def lost_persistent_on_power_cut(ending: Ending) -> int | None:
    """The persistent ones among them; a confirmed persistent message never is."""
    return ending.power_cut.persistent if ending.power_cut else None


@at_end(_("acknowledged messages that return after a power cut"), Unit.COUNT, Better.LOWER, reads=())
def returned_after_power_cut(ending: Ending) -> int | None:
    """Messages whose acknowledgement was not synced yet, so that they come once more."""
    return ending.power_cut.returned if ending.power_cut else None
