"""Queues with files of either version as a generation of storage: what it brings, for the table of releases."""

from __future__ import annotations

from typing import Final

from engine.amqp.arguments import VERSION
from engine.backing_queue.generation import DeclaredSettings, QueueConfig, StorageGeneration
from engine.classic_v1.generation import CLASSIC_V1, VhostStores, queue_means
from engine.classic_v1.settings import BOUNDS, NAMES
from engine.version_choice.queue import OWN_BOUNDS, BothSettings, VersionedQueue


def serves_version_2(queue: DeclaredSettings) -> bool:
    """Return whether a queue should have files of version 2 (W2)."""
    return queue.arguments.get(VERSION) == 2


def make(means: QueueConfig) -> VersionedQueue:
    """Return a blank queue with the files that its argument names, of version 1 without one."""
    return VersionedQueue(queue_means(means), 2 if means.arguments.get(VERSION) == 2 else 1)


EITHER_VERSION: Final = StorageGeneration(
    name="version_choice",
    settings=BothSettings,
    chosen=NAMES.union(OWN_BOUNDS),
    bounds={**BOUNDS, **OWN_BOUNDS},
    codec=CLASSIC_V1.codec,
    host_files=VhostStores,
    make=make,
)
