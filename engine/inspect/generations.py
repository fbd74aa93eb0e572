"""Which generation wrote the files of a virtual host, of which release as far as they show it, and who reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Final, Protocol

from engine.classic_v1.inspect.queue import QueueInspector
from engine.classic_v1.inspect.store import StoreInspector
from engine.classic_v2.inspect.queue import Signs, V2QueueInspector
from engine.classic_v2.inspect.store import V2StoreInspector
from engine.damage.findings import Findings
from engine.damage.reading import Options, numbered
from engine.formats.message import MessageCodec
from engine.formats.recovery_terms import RecoveryTerms
from engine.storage.directory import DirectoryStorage

OLD: Final = "3.8"
"""The release by whose rules files are read where no `.config` is: brokers write it since 3.8.15 (V6)."""
BOUNDARY: Final = b"\x83h\x04w\x02mc"
"""How a stored message of 4.x begins (W160)."""
HEAD_BYTES: Final = 64
WINDOW_BYTES: Final = 1 << 20


class IndexedMessage(Protocol):
    """A message of an index, as one of the generations describes it."""

    acked: bool

    @property
    def msg_no(self) -> int:
        """Number of its message."""

    @property
    def embedded(self) -> bool:
        """Whether its body lies with the queue."""

    @property
    def persistent(self) -> bool:
        """Whether a start brings it back."""

    @property
    def is_owed(self) -> bool:
        """Whether a start needs its record in the persistent store."""


class QueueReader(Protocol):
    """Reads one queue's directory."""

    extension: ClassVar[str]
    segments: set[int]

    @property
    def messages(self) -> Mapping[int, IndexedMessage]:
        """By seq_id."""

    @property
    def live(self) -> Mapping[int, int]:
        """Live messages of each segment."""

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""


class StoreReader(Protocol):
    """Reads one store's directory."""

    message_numbers: set[int]
    runs: list[tuple[int, int, int]]
    saved_refs: list[bytes] | None

    def report(self) -> dict[str, Any]:
        """Read everything and return it under the names of a manifest."""


class Readers:
    """Makes what reads the directories of one virtual host: each by what is in it.

    Args:
        storage: the inspected directory.
        vhost: name of the virtual host.
        entry_count: entries in a segment of version 1.
        findings: where damage is noted.
        options: how much to report.
    """

    def __init__(
        self,
        storage: DirectoryStorage,
        vhost: str,
        entry_count: int,
        findings: Findings,
        options: Options,
    ) -> None:
        self._storage = storage
        self._entry_count = entry_count
        self._findings = findings
        self._options = options
        self.codec = MessageCodec(vhost)
        """Numbers the ids of queues and stores together."""
        self.signs = Signs()
        self.of_version_2 = 0
        """Queues of version 2."""

    def queue(self, directory: str) -> QueueReader:
        """Return what reads a queue's directory."""
        if not is_version_2(self._storage, directory):
            return QueueInspector(
                self._storage, directory, self._entry_count, self.codec, self._findings, self._options
            )
        self.of_version_2 += 1
        if numbered(self._storage.list(directory), "idx"):
            self._findings.add(directory or ".", None, "contradiction", "versions_mixed")
        return V2QueueInspector(
            self._storage, directory, self.codec, self._findings, self._options, self.signs
        )

    def store(self, directory: str) -> StoreReader:
        """Return what reads a store's directory."""
        means = self._storage, directory, self.codec, self._findings, self._options
        if holds_containers(self._storage, directory):
            return V2StoreInspector(*means, self.signs)
        return StoreInspector(*means)

    def release(self, terms: Collection[RecoveryTerms], has_config: bool) -> str | None:
        """Return the series of the release as far as the files show it, None for the usual one of version 1."""
        if self.signs.containers or (self.of_version_2 and not self.signs.older):
            saved = {each.delivered_by for each in terms if each.version == 2}
            if saved:
                return "4.3" if "redeliver_seq_id" in saved else "4.0"
            return "4.0" if self.signs.mark_second else "4.3"
        return None if has_config else OLD


def is_version_2(storage: DirectoryStorage, directory: str) -> bool:
    """Return whether a queue's directory has files of version 2, or says so in `.queue_name` (W80)."""
    names = storage.list(directory)
    if numbered(names, "qi") or numbered(names, "qs"):
        return True
    path = f"{directory}/.queue_name" if directory else ".queue_name"
    size = storage.size(path) if ".queue_name" in names else None
    return bool(size) and storage.read_bytes(path, 0, size or 0).endswith(b"INDEX: v2\n")


def holds_containers(storage: DirectoryStorage, directory: str) -> bool:
    """Return whether the first record of some store file holds a message as 4.x stores it (W160)."""
    return any(
        _head(storage, f"{directory}/{name}" if directory else name).find(BOUNDARY) >= 0
        for _number, name in numbered(storage.list(directory), "rdq")
    )


def _head(storage: DirectoryStorage, path: str) -> bytes:
    """Return some bytes of a file from the first one on that is not zero: a compaction leaves gaps (W142)."""
    size = storage.size(path) or 0
    for at in range(0, size, WINDOW_BYTES):
        held = storage.read_bytes(path, at, min(WINDOW_BYTES + HEAD_BYTES, size - at)).lstrip(b"\0")
        if held:
            return held[:HEAD_BYTES]
    return b""
