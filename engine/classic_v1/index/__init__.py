"""The queue index, version 1: which messages a queue holds, in a journal and in segment files (S60-S119)."""

from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.index.recovery import RecoveredIndex

__all__ = ["QueueIndex", "RecoveredIndex"]
