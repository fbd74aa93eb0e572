"""The own part of a queue of 3.10 with files of version 2: the latest reduction, and its files."""

from __future__ import annotations

from typing import Any

from engine.backing_queue.message_places import VARIABLE_QUEUE_V2
from engine.backing_queue.message_places import register as places
from engine.classic_v1.lane_places import PLACES
from engine.classic_v1.transitions import Reduced
from engine.classic_v2.fold import V2OwnPart
from engine.folding import register
from engine.values.inherit import override


class BothOwnPart(V2OwnPart):
    """The own part of one queue."""

    __slots__ = ("reduction",)

    def __init__(self) -> None:
        super().__init__()
        self.reduction: dict[str, Any] | None = None

    @override
    def begin(self) -> None:
        self.reduction = None

    def reduced(self, t: Reduced) -> None:
        """The newest reduction is kept with its numbers (Q45)."""
        self.reduction = t.why

    @override
    def to_json(self) -> dict[str, Any]:
        return {
            "reduced": None if self.reduction is None else dict(self.reduction),
            "files": self.files.to_json(),
        }


places(VARIABLE_QUEUE_V2, PLACES)
register({}, VARIABLE_QUEUE_V2, BothOwnPart)
