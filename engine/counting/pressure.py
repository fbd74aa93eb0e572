"""How long memory was short: publishers blocked, over the watermark, paging."""

from __future__ import annotations

from typing import Any

from engine.counting.accumulators import Lasting
from engine.counting.levels import OF_BLOCKED, OF_MEMORY, OF_PAGING, Levels
from engine.counting.metric import Better, Unit, counted
from engine.values.texts import gettext_noop as _


@counted(_("time publishers are blocked"), Unit.SECONDS, Better.LOWER, Lasting, reads=OF_BLOCKED)
def blocked_s(levels: Levels, transition: Any) -> bool:
    """How long any publisher was blocked."""
    return bool(levels.blocked_publishers)


@counted(_("time over the watermark"), Unit.SECONDS, Better.LOWER, Lasting, reads=OF_MEMORY)
def over_watermark_s(levels: Levels, transition: Any) -> bool:
    """How long the memory alarm was set."""
    return levels.alarm


@counted(_("time paging is on"), Unit.SECONDS, Better.LOWER, Lasting, reads=OF_PAGING)
def paging_s(levels: Levels, transition: Any) -> bool:
    """How long any queue had a finite target of messages in RAM."""
    return bool(levels.finite_targets)
