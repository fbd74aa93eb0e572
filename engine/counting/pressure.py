"""How long memory was short: publishers blocked, over the watermark, paging."""

from __future__ import annotations

from typing import Any

from engine.counting.levels import OF_BLOCKED, OF_MEMORY, OF_PAGING, RunLevels
from engine.counting.metric import BetterWay, LastingOf, MetricUnit, counted
from engine.values.texts import gettext_noop as _


@counted(_("time publishers are blocked"), MetricUnit.SECONDS, BetterWay.LOWER, LastingOf, reads=OF_BLOCKED)
def blocked_s(levels: RunLevels, transition: Any) -> bool:
    """How long any publisher was blocked."""
    return bool(levels.blocked_publishers)


@counted(_("time over the watermark"), MetricUnit.SECONDS, BetterWay.LOWER, LastingOf, reads=OF_MEMORY)
def over_watermark_s(levels: RunLevels, transition: Any) -> bool:
    """How long the memory alarm was set."""
    return levels.alarm


@counted(_("time paging is on"), MetricUnit.SECONDS, BetterWay.LOWER, LastingOf, reads=OF_PAGING)
def paging_s(levels: RunLevels, transition: Any) -> bool:
    """How long any queue had a finite target of messages in RAM."""
    return bool(levels.finite_targets)
