"""What a backing queue is made of, and what makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from engine.backing_queue.host_files import HostFiles, StorageSettings
from engine.backing_queue.protocol import BackingQueue
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.extents import Extent


def as_it_is(extent: Extent) -> Sequence[Extent]:
    """Return messages that were read back as they are: they carry nothing besides."""
    return (extent,)


class QueueConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything from which a blank queue is made.

    Args:
        name, durable, arguments: as declared.
        settings, codec: of the virtual host.
        storage, directory: where its own files are.
        files: what it shares with the other queues of its virtual host, whose stores run already.
        ref: name of the queue at the stores.
        emit: receives every transition.
        as_read: what messages are that were read back from disk: with all that they carry.
        resource: what the broker calls the queue in its files, where that is not its name.
        credit: towards the stores, where it shares that with other queues of its process.
    """

    name: str
    durable: bool
    arguments: Mapping[str, Any] = {}
    settings: StorageSettings
    codec: MessageCodec
    storage: Storage
    directory: str
    files: HostFiles
    ref: str
    emit: Callable[[Transition], None]
    as_read: Callable[[Extent], Sequence[Extent]] = as_it_is
    resource: bytes | None = None
    credit: Any = None


Maker = Callable[[QueueConfig], BackingQueue]
"""Makes a blank queue."""


class DeclaredSettings(Protocol):
    """What decides which implementation serves a queue."""

    @property
    def name(self) -> str:
        """The queue's name."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Its x-arguments."""


class QueueImplementation(NamedTuple):
    """One backing queue of a release.

    Args:
        serves: whether it is the one for a declared queue.
        make: makes it.
    """

    serves: Callable[[DeclaredSettings], bool]
    make: Maker


def any_queue(_: DeclaredSettings) -> bool:
    """Serve any queue."""
    return True
