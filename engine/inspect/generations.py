"""Finds the generation that reads each directory of a virtual host, and the release of the files."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from engine.damage.findings import DamageFindings
from engine.damage.reading import (
    HostReader,
    InspectedQueue,
    QueueReader,
    ReadingOptions,
    StoredMessage,
    StoreReader,
)
from engine.formats.clean_stop import RecoveryTerms
from engine.formats.message import MessageCodec
from engine.generations import HOST_READERS
from engine.storage.directory import DirectoryStorage

OLD: Final = "3.8"
"""The release whose rules apply if there is no `.config`; brokers write that file since 3.8.15 (V6)."""


class GenerationReaders:
    """Makes the readers of the directories of one virtual host, by their contents.

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
        findings: DamageFindings,
        options: ReadingOptions,
    ) -> None:
        self.codec = MessageCodec(vhost)
        """Numbers the ids of queues and stores together."""
        host = InspectedQueue(storage, self.codec, entry_count, findings, options)
        self._hosts: list[HostReader] = [each(host) for each in HOST_READERS]

    def queue(self, directory: str) -> QueueReader:
        """Return the reader of a queue's directory."""
        return next(each for each in self._hosts if each.has_queue(directory)).queue(directory)

    def store(self, directory: str) -> StoreReader:
        """Return the reader of a store's directory."""
        return next(each for each in self._hosts if each.has_store(directory)).store(directory)

    def message(self, term: bytes) -> StoredMessage | None:
        """Return the message in a stored term, None if no generation reads it."""
        return next(filter(None, (each.message(term) for each in self._hosts)), None)

    def release(self, terms: Collection[RecoveryTerms], has_config: bool) -> str | None:
        """Return the release's series if the files show it; None for the usual one of version 1."""
        known = next(filter(None, (each.release(terms) for each in self._hosts)), None)
        return known or (None if has_config else OLD)
