"""Queues of 3.10 with files of either version as a generation of storage, and what converts files of version 1."""

from __future__ import annotations

from typing import Any, Final

from engine.amqp.arguments import VERSION
from engine.backing_queue import message_places
from engine.backing_queue.generation import DeclaredSettings, QueueConfig, StorageGeneration
from engine.backing_queue.message_places import VARIABLE_QUEUE_V2
from engine.backing_queue.protocol import CleanTerms, Contains
from engine.classic_v1.generation import CLASSIC_V1, VhostStores, queue_means
from engine.classic_v1.index.actions import IndexConfirms
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.status import PLACES
from engine.classic_v1.transitions import Reduced
from engine.classic_v2.fold import V2OwnPart
from engine.classic_v2.formats.mc import LegacyCodec
from engine.classic_v2.generation import v2_means
from engine.classic_v2.queue.queue import ClassicQueueV2, begin_on_index
from engine.classic_v2.queue.state import V2Means, in_index
from engine.folding import register
from engine.formats.names import read_config
from engine.values.extents import IN_RAM, IN_STORE, INDEXED, Extent
from engine.values.marks import ignore, override
from engine.values.settings import USUAL_ENTRY_COUNT
from engine.values.stretches import Range
from engine.version_choice.queue import (
    BothSettings,
    VersionedQueue,
    by_segment,
    files_of_the_other,
    seen_at_start,
    without,
)


class BothOwnPart(V2OwnPart):
    """The own part of a queue with files of version 2: the latest reduction, and its files."""

    __slots__ = ("reduction",)

    def __init__(self) -> None:
        super().__init__()
        self.reduction: dict[str, Any] | None = None

    @override
    def begin(self) -> None:
        self.reduction = None

    def reduced(self, t: Reduced) -> None:
        """The newest reduction is kept with its numbers (Q45)."""
        self.reduction = t.why

    @override
    def to_json(self) -> dict[str, Any]:
        return {
            "reduced": None if self.reduction is None else dict(self.reduction),
            "files": self.files.to_json(),
        }


message_places.register(VARIABLE_QUEUE_V2, PLACES)
register({}, VARIABLE_QUEUE_V2, BothOwnPart)


def serves_version_2(queue: DeclaredSettings) -> bool:
    """Return whether a queue should have files of version 2 (W2)."""
    return queue.arguments.get(VERSION) == 2


def make(means: QueueConfig) -> VersionedQueue:
    """Return a blank queue with the files that its argument names, of version 1 without one."""
    return VersionedQueue(queue_means(means), 2 if means.arguments.get(VERSION) == 2 else 1)


EITHER_VERSION: Final = StorageGeneration(
    name="version_choice",
    settings=BothSettings,
    codec=CLASSIC_V1.codec,
    host_files=VhostStores,
    make=make,
)


class ConvertingQueue(ClassicQueueV2):
    """One classic queue of version 2 that converts the files of version 1. Small bodies move to `.qs` as they
    are, large ones stay in the shared store, each `.idx` is deleted after its messages were written, the
    journal last. `means`: what it is made of.
    """

    def __init__(self, means: V2Means) -> None:
        super().__init__(means)
        self._made_of = means

    def _old_index(self) -> QueueIndex:
        """Return a blank index of version 1 over the queue's files."""
        means = self._made_of
        root = means.directory.rpartition("/queues/")[0]
        config = f"{root}/.config"
        size = means.storage.size(config)
        entries = None if size is None else read_config(means.storage.read_bytes(config, 0, size))
        return QueueIndex(
            queue=means.name,
            directory=means.directory,
            storage=means.storage,
            codec=LegacyCodec(means.codec),
            settings=QueueSettings(segment_entry_count=entries or USUAL_ENTRY_COUNT),
            emit=ignore,  # what is converted is reported as a whole
            confirms=IndexConfirms(ignore, ignore),  # of an earlier run's files
            resource=means.resource,
        )

    def _is_old(self) -> bool:
        return files_of_the_other(self._made_of.storage, self._made_of.directory, 2)

    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that files of either version need (W99)."""
        found = super().store_references()
        return found + self._old_index().store_references() if self._is_old() else found

    def recover(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains, in_order: bool = False
    ) -> None:
        """Begin on the files that a stop left, whichever version they have (W96, W97, W100)."""
        clean = terms is not None and store_clean
        if not seen_at_start(self._made_of.storage, self._made_of.directory, 2, clean):
            super().recover(terms, store_clean, contains, in_order)
            return
        q, old = self.state, self._old_index()
        count = size_bytes = 0
        if clean:
            q.index.begin()
        else:
            count, size_bytes = q.index.recover(contains)
        old.recover(None if terms is None else terms.segments, store_clean, contains, q.durable, refuse=False)
        more, more_bytes = self._convert(old)
        q.index.report_files("W100", clean)
        if clean:
            begin_on_index(q, terms, None, 0)
        else:
            begin_on_index(q, None, count + more, size_bytes + more_bytes)
        self._done(None)

    def _convert(self, old: QueueIndex) -> tuple[int, int]:
        """Move every entry; return how many messages and their bytes."""
        q = self.state
        before = q.store.written_by(old.codec)
        count = size_bytes = 0
        for entries in by_segment(old):
            for entry in entries:
                for part in self._missing(entry):
                    extent = part.with_flags(IN_STORE | INDEXED, IN_RAM)
                    if not extent.home_store:
                        q.store.write([extent])
                    q.index.publish([in_index(extent)])
                    count += extent.count
                    size_bytes += extent.total_bytes
            q.index.flush()
            q.store.flush()
        q.store.terminate()
        q.store.written_by(before)
        old.forget_journal()
        return count, size_bytes

    def _missing(self, entry: Extent) -> list[Extent]:
        """Return messages that a conversion which was interrupted has not moved yet, equal ones together."""
        parts = without(entry, self.state.index.entries.overlapping(entry.start, entry.count))
        return [one for part in parts for one in part.equal_parts()]


def make_converting(means: QueueConfig) -> ConvertingQueue:
    """Return a blank queue with clients of both stores of its virtual host."""
    return ConvertingQueue(v2_means(means))
