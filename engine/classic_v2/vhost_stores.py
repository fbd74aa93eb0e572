"""What queues of version 2 share in a virtual host: two message stores with their timers, and the files beside them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.backing_queue.host_files import HostMeans
from engine.backing_queue.two_stores import TwoStores
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store import SharedStore
from engine.formats.names import host_texts
from engine.storage.port import ByteChunk
from engine.values.inherit import override


class V2VhostStores(TwoStores[SharedStore]):
    """Both stores of a virtual host, with `.config` and `.vhost`.

    Args:
        means: what they are made of.
    """

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
