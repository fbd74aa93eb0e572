"""The queue itself: head lane and tail (W10-W65)."""

from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means

__all__ = ["ClassicQueueV2", "V2Means"]
