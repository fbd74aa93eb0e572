"""The queue index, version 1: which messages a queue holds, in a journal and in segment files (S60-S119)."""

from engine.queue_index.index import QueueIndex
from engine.queue_index.recovery import Recovered

__all__ = ["QueueIndex", "Recovered"]
