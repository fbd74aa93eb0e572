"""Version 2 as a generation of storage: what it brings, for the table of releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.backing_queue.generation import HostMeans, QueueConfig, StorageGeneration, TwoStores, means_of
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.queue.queue import ClassicQueueV2
from engine.classic_v2.queue.state import V2Means
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store.server import SharedStore
from engine.formats.message import MessageCodec, MessageTemplate
from engine.formats.names import host_texts
from engine.values.chunks import ByteChunk
from engine.values.marks import override
from engine.values.settings import StorageSettings


class V2VhostStores(TwoStores[SharedStore]):
    """Both stores of a virtual host, with `.config` and `.vhost`. `means`: what they are made of."""

    def __init__(self, means: HostMeans) -> None:
        assert isinstance(means.settings, V2Settings)
        assert isinstance(means.codec, McCodec)
        self._settings: V2Settings = means.settings
        self._codec: McCodec = means.codec
        super().__init__(means)

    @override
    def _blank(self, name: str, directory: str) -> SharedStore:
        means = self._means
        return SharedStore(
            name=name,
            directory=directory,
            storage=means.storage,
            codec=self._codec,
            settings=self._settings,
            emit=means.emit,
            later=means.later,
        )

    @override
    def _texts(self, new: bool) -> Mapping[str, ByteChunk]:
        return host_texts(self._codec.vhost, self._settings.segment_entry_count if new else None)


def make(means: QueueConfig) -> ClassicQueueV2:
    """Return a blank queue with clients of both stores of its virtual host."""
    return ClassicQueueV2(v2_means(means))


def v2_means(means: QueueConfig) -> V2Means:
    assert isinstance(means.settings, V2Settings)
    assert isinstance(means.codec, McCodec)
    assert isinstance(means.files, V2VhostStores)
    return means_of(means, means.settings, means.codec, means.files)


def codec(settings: StorageSettings, id_prefix: bytes, templates: Sequence[MessageTemplate]) -> MessageCodec:
    """Return what encodes messages: releases differ in the order of a message's annotations (W162)."""
    assert isinstance(settings, V2Settings)
    second = settings.transient_mark_second
    return McCodec(id_prefix=id_prefix, templates=templates, transient_mark_second=second)


CLASSIC_V2: Final = StorageGeneration(
    name="classic_v2",
    settings=V2Settings,
    codec=codec,
    host_files=V2VhostStores,
    make=make,
)
