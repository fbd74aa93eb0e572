"""The per-queue store: the bodies of a queue's small messages in `<n>.qs` (W110-W121)."""

from engine.classic_v2.queue_store.body_places import EntryPlace, Places
from engine.classic_v2.queue_store.store import QueueStore

__all__ = ["EntryPlace", "Places", "QueueStore"]
