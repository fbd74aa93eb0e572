"""What version 1 left of a virtual host: whatever is no other generation's is read as its."""

from __future__ import annotations

from collections.abc import Collection

from engine.classic_v1.inspect.queue import QueueInspector
from engine.classic_v1.inspect.store import StoreInspector
from engine.damage.readers import InspectedQueue
from engine.formats.clean_stop import RecoveryTerms


class V1HostReader:
    """Reads the directories of version 1; it is asked last, as releases before 4.0 have no other."""

    def __init__(self, host: InspectedQueue) -> None:
        self._host = host

    def has_queue(self, _directory: str) -> bool:
        """Return True."""
        return True

    def has_store(self, _directory: str) -> bool:
        """Return True."""
        return True

    def queue(self, directory: str) -> QueueInspector:
        """Return what reads a queue's directory."""
        return QueueInspector(self._host, directory)

    def store(self, directory: str) -> StoreInspector:
        """Return what reads a store's directory."""
        return StoreInspector(self._host, directory)

    def release(self, _terms: Collection[RecoveryTerms]) -> str | None:
        """Return None: files of version 1 do not show it."""
        return None
