"""What is lost: by failovers and restarts of the run, and by a power cut at its end, of which a fork recovers."""

from __future__ import annotations

from engine.counting.levels import RunLevels
from engine.counting.metric import BetterWay, LatestOf, MetricUnit, RunEnding, at_end, counted
from engine.report.transitions.node import NodeChanged
from engine.values.marks import gettext_noop as _


@at_end(_("messages lost on a power cut"), MetricUnit.COUNT, BetterWay.LOWER, reads=())
def lost_on_power_cut(ending: RunEnding) -> int | None:
    """Messages that the files do not bring back."""
    return ending.power_cut.messages if ending.power_cut else None


@at_end(_("persistent messages lost on a power cut"), MetricUnit.COUNT, BetterWay.LOWER, reads=())
def lost_persistent_on_power_cut(ending: RunEnding) -> int | None:
    """The persistent ones among them; a confirmed persistent message never is."""
    return ending.power_cut.persistent if ending.power_cut else None


@at_end(_("acknowledged messages that return after a power cut"), MetricUnit.COUNT, BetterWay.LOWER, reads=())
def returned_after_power_cut(ending: RunEnding) -> int | None:
    """Messages whose acknowledgement was not synced yet, so that they come once more."""
    return ending.power_cut.returned if ending.power_cut else None


@at_end(_("confirmed messages lost"), MetricUnit.COUNT, BetterWay.LOWER, reads=())
def confirmed_and_lost(ending: RunEnding) -> int | None:
    """Messages that were confirmed or committed, and that a restart or a failover lost all the same."""
    return ending.confirmed_and_lost


@counted(_("bytes between nodes"), MetricUnit.BYTES, BetterWay.LOWER, LatestOf, reads=(NodeChanged,))
def between_bytes(levels: RunLevels, change: NodeChanged) -> int:
    """Bytes that mirroring sent from node to node: the channels' copies, the ring, and synchronisations."""
    return levels.between_bytes
