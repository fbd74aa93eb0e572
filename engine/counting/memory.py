"""The modelled memory of the node."""

from __future__ import annotations

from typing import Any

from engine.counting.levels import OF_MEMORY, RunLevels
from engine.counting.metric import BetterWay, HighestOf, LatestOf, MetricUnit, counted
from engine.report.transitions.node import NodeChanged
from engine.values.texts import gettext_noop as _


@counted(_("peak memory, share of RAM"), MetricUnit.SHARE, BetterWay.LOWER, HighestOf, reads=OF_MEMORY)
def peak_ram_share(levels: RunLevels, change: NodeChanged) -> float:
    """The most memory that was used at once, as a share of the node's RAM at that time."""
    if change.part != "memory" or not levels.node_ram_bytes:
        return 0.0
    return levels.ram_bytes / levels.node_ram_bytes


@counted(_("peak memory"), MetricUnit.BYTES, BetterWay.LOWER, HighestOf, reads=OF_MEMORY)
def peak_ram_bytes(levels: RunLevels, transition: Any) -> int:
    """The most memory that was used at once."""
    return levels.ram_bytes


@counted(_("memory at the end"), MetricUnit.BYTES, BetterWay.LOWER, LatestOf, reads=OF_MEMORY)
def final_ram_bytes(levels: RunLevels, transition: Any) -> int:
    """The memory in use when the run ended."""
    return levels.ram_bytes


@counted(_("memory limit"), MetricUnit.BYTES, BetterWay.NEITHER, LatestOf, reads=OF_MEMORY)
def limit_bytes(levels: RunLevels, transition: Any) -> int:
    """The memory at which the alarm is set: the watermark times the node's RAM."""
    return levels.limit_bytes


@counted(_("memory at which paging begins"), MetricUnit.BYTES, BetterWay.NEITHER, LatestOf, reads=OF_MEMORY)
def paging_at_bytes(levels: RunLevels, transition: Any) -> int:
    """The memory at which queues begin to page: the paging ratio times the limit."""
    return levels.paging_at_bytes
