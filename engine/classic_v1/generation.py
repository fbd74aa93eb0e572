"""Version 1 as a generation of storage: what it brings, for the table of releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.backing_queue.generation import HostMeans, QueueConfig, StorageGeneration, TwoStores, means_of
from engine.backing_queue.protocol import BackingQueue, CleanTerms
from engine.classic_v1.queue.queue import VariableQueue
from engine.classic_v1.queue.state import V1Means
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.state import StoreState
from engine.classic_v1.store.store import MsgStore
from engine.formats.message import MessageCodec, MessageTemplate
from engine.formats.names import host_texts
from engine.values.chunks import ByteChunk
from engine.values.marks import override
from engine.values.settings import StorageSettings


class VhostStores(TwoStores[MsgStore]):
    """Both stores of a virtual host, with `.config` and `.vhost`."""

    def __init__(self, means: HostMeans) -> None:
        assert isinstance(means.settings, QueueSettings)
        self._settings: QueueSettings = means.settings
        super().__init__(means)

    @override
    def _blank(self, name: str, directory: str) -> MsgStore:
        means = self._means
        return MsgStore(StoreState(name, directory, means.storage, means.codec, self._settings, means.emit))

    @override
    def _texts(self, new: bool) -> Mapping[str, ByteChunk]:
        settings = self._settings
        writes = new and settings.writes_config
        return host_texts(self._means.codec.vhost, settings.segment_entry_count if writes else None)

    @override
    def start_again(self, stopped: Sequence[tuple[BackingQueue, CleanTerms | None]]) -> None:
        self._in_order = self._settings.flags_deliveries and self._found_clean_stop()
        super().start_again(stopped)

    def _found_clean_stop(self) -> bool:
        """Return whether a broker stopped here in order, whose tables nobody reads (S211)."""
        path = f"{self._means.root}/msg_store_persistent/clean.dot"
        return self._means.storage.size(path) is not None

    @override
    def before_power_cut(self, directories: Iterator[str]) -> None:
        """Let a cleared journal stay cleared. A power cut may undo the truncation (S230), but the next fsync
        of any file makes it durable on a journaling file system, and the segments deleted before it are gone
        for good here. The journal is only ever written and fsynced in one go, so an empty file is one that
        was cleared.
        """
        for directory in directories:
            journal = f"{directory}/journal.jif"
            if self._means.storage.size(journal) == 0:
                self._means.storage.fsync(journal)


def make(means: QueueConfig) -> VariableQueue:
    """Return a blank queue with clients of both stores of its virtual host."""
    return VariableQueue(queue_means(means))


def queue_means(means: QueueConfig) -> V1Means:
    assert isinstance(means.settings, QueueSettings)
    assert isinstance(means.files, VhostStores)
    return means_of(means, means.settings, means.codec, means.files)


def codec(_settings: StorageSettings, id_prefix: bytes, templates: Sequence[MessageTemplate]) -> MessageCodec:
    """Return what encodes messages: their terms are the same whatever is set (S50)."""
    return MessageCodec(id_prefix=id_prefix, templates=templates)


CLASSIC_V1: Final = StorageGeneration(
    name="classic_v1",
    settings=QueueSettings,
    codec=codec,
    host_files=VhostStores,
    make=make,
)
