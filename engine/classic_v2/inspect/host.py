"""What version 2 left of a virtual host: which directories are its, and which release wrote them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from engine.classic_v2.inspect.queue import QueueSigns, V2QueueInspector
from engine.classic_v2.inspect.store import V2StoreInspector
from engine.damage.readers import InspectedQueue
from engine.damage.reading import numbered
from engine.formats.clean_stop import RecoveryTerms
from engine.storage.directory import DirectoryStorage

BOUNDARY: Final = b"\x83h\x04w\x02mc"
"""How a stored message of 4.x begins (W160)."""
HEAD_BYTES: Final = 64
WINDOW_BYTES: Final = 1 << 20


class V2HostReader:
    """Reads the directories of version 2."""

    def __init__(self, host: InspectedQueue) -> None:
        self._host = host
        self._signs = QueueSigns()
        self._queues = 0

    def has_queue(self, directory: str) -> bool:
        """Return whether a queue's directory has files of version 2, or says so in `.queue_name` (W80)."""
        storage = self._host.storage
        names = storage.list(directory)
        if numbered(names, "qi") or numbered(names, "qs"):
            return True
        path = f"{directory}/.queue_name" if directory else ".queue_name"
        size = storage.size(path) if ".queue_name" in names else None
        return bool(size) and storage.read_bytes(path, 0, size or 0).endswith(b"INDEX: v2\n")

    def has_store(self, directory: str) -> bool:
        """Return whether the first record of some store file holds a message as 4.x stores it (W160)."""
        storage = self._host.storage
        return any(
            _head(storage, f"{directory}/{name}" if directory else name).find(BOUNDARY) >= 0
            for _number, name in numbered(storage.list(directory), "rdq")
        )

    def queue(self, directory: str) -> V2QueueInspector:
        """Return what reads a queue's directory."""
        self._queues += 1
        if numbered(self._host.storage.list(directory), "idx"):
            self._host.findings.add(directory or ".", None, "contradiction", "versions_mixed")
        return V2QueueInspector(self._host, directory, self._signs)

    def store(self, directory: str) -> V2StoreInspector:
        """Return what reads a store's directory."""
        return V2StoreInspector(self._host, directory, self._signs)

    def release(self, terms: Collection[RecoveryTerms]) -> str | None:
        """Return the series of a 4.x, by what queues saved, and otherwise by the order of annotations (W211)."""
        if not (self._signs.containers or (self._queues and not self._signs.older)):
            return None
        saved = {each.delivered_by for each in terms if each.version == 2}
        if saved:
            return "4.3" if "redeliver_seq_id" in saved else "4.0"
        return "4.0" if self._signs.mark_second else "4.3"


def _head(storage: DirectoryStorage, path: str) -> bytes:
    """Return some bytes of a file from the first one on that is not zero: a compaction leaves gaps (W142)."""
    size = storage.size(path) or 0
    for at in range(0, size, WINDOW_BYTES):
        held = storage.read_bytes(path, at, min(WINDOW_BYTES + HEAD_BYTES, size - at)).lstrip(b"\0")
        if held:
            return held[:HEAD_BYTES]
    return b""
