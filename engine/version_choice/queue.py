"""A queue of 3.10: its lanes are those of version 1, its files those of either version (W2, W18)."""

from __future__ import annotations

from functools import partial

from engine.classic_v1.index.port import Index
from engine.classic_v1.queue import QueueMeans, VariableQueue
from engine.classic_v2.index import V2Index
from engine.version_choice.bodies import DelayedBodies
from engine.version_choice.index import FilesIndex
from engine.version_choice.settings import BothSettings
from engine.values.inherit import override


class VersionedQueue(VariableQueue):
    """One classic queue with files of version 2.

    Args:
        means: what it is made of; its settings are those of both versions.
    """

    @override
    def _index(self, means: QueueMeans) -> Index:
        assert isinstance(means.settings, BothSettings)
        settings = means.settings.of_files()
        store = DelayedBodies(
            means.directory, means.storage, means.codec, settings, means.name, means.emit
        ).begin(partial(self._post, "store"))
        called = means.name.encode() if means.resource is None else means.resource
        stub = b"VHOST: %s\nQUEUE: %s\nINDEX: v2\n" % (means.codec.vhost.encode(), called)
        files = V2Index(means.directory, means.storage, means.codec, settings, store, stub)
        return FilesIndex(files, store, partial(self._post, "index"))
