"""Version 1 as a generation of storage: what it brings, for the table of releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.backing_queue.generation import StorageGeneration
from engine.backing_queue.host_files import StorageSettings
from engine.backing_queue.queue_config import QueueConfig
from engine.classic_v1.queue import QueueMeans, VariableQueue
from engine.classic_v1.settings import BOUNDS, NAMES, QueueSettings
from engine.classic_v1.vhost_stores import VhostStores
from engine.formats.message import MessageCodec, MessageTemplate


def make(means: QueueConfig) -> VariableQueue:
    """Return a blank queue with clients of both stores of its virtual host."""
    return VariableQueue(queue_means(means))


def queue_means(means: QueueConfig) -> QueueMeans:
    """Return what a queue of version 1 is made of."""
    files, settings = means.files, means.settings
    assert isinstance(files, VhostStores)
    assert isinstance(settings, QueueSettings)
    return QueueMeans(
        name=means.name,
        durable=means.durable,
        settings=settings,
        codec=means.codec,
        storage=means.storage,
        directory=means.directory,
        persistent=files.persistent,
        transient=files.transient,
        ref=means.ref,
        emit=means.emit,
        settle=files.settle,
        as_read=means.as_read,
        resource=means.resource,
        accounts=means.credit or {},
    )


def codec(_settings: StorageSettings, id_prefix: bytes, templates: Sequence[MessageTemplate]) -> MessageCodec:
    """Return what encodes messages: their terms are the same whatever is set (S50)."""
    return MessageCodec(id_prefix=id_prefix, templates=templates)


CLASSIC_V1: Final = StorageGeneration(
    name="classic_v1",
    settings=QueueSettings,
    chosen=NAMES,
    bounds=BOUNDS,
    codec=codec,
    host_files=VhostStores,
    make=make,
)
