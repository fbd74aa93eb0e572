"""A generation of storage: its settings, the files that queues of a virtual host share, and its queue.

A generation is a folder of its own (`engine.classic_v1` is the first) that knows no other. `engine.releases` says
which release of the broker has which.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec

from engine.backing_queue.protocol import BackingQueue, CleanTerms
from engine.backing_queue.stores import MessageStore
from engine.formats.message import MessageCodec, MessageTemplate
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk
from engine.values.extents import Extent
from engine.values.settings import CREDIT, StorageSettings

Later = Callable[[int, Callable[[], None]], object]
StopKind = Literal["clean", "kill", "kill_in_flush", "power"]


class HostMeans(NamedTuple):
    """The parts from which a virtual host's shared files are made. `root`: folder of the virtual host.
    `later`: runs an action after this many microseconds. `prefix`: of the stores' names; empty in the first
    virtual host.
    """

    root: str
    storage: Storage
    codec: MessageCodec
    settings: StorageSettings
    emit: Callable[[Transition], None]
    later: Later
    prefix: str = ""


def as_it_is(extent: Extent) -> Sequence[Extent]:
    """Return messages unchanged after a read, because nothing more is known of them."""
    return (extent,)


class QueuePlace(msgspec.Struct, frozen=True, kw_only=True):
    """Which queue a blank one is, and where. `storage`, `directory`: where its own files are. `ref`: its name at the
    stores. `as_read`: completes messages that were read from disk. `resource`: the broker's name of the queue in its
    files, if it differs.
    """

    name: str
    durable: bool
    storage: Storage
    directory: str
    ref: str
    emit: Callable[[Transition], None]
    as_read: Callable[[Extent], Sequence[Extent]] = as_it_is
    resource: bytes | None = None


class QueueConfig(QueuePlace, frozen=True, kw_only=True):
    """Everything from which a blank queue is made. `settings`, `codec`: of the virtual host. `files`: what it shares
    with the other queues of its virtual host, whose stores run already. `credit`: towards the stores, if it shares
    that with other queues of its process.
    """

    arguments: Mapping[str, Any] = {}
    settings: StorageSettings
    codec: MessageCodec
    files: TwoStores[Any]
    credit: Any = None


Maker = Callable[[QueueConfig], BackingQueue]
"""Makes a blank queue."""


class DeclaredSettings(Protocol):
    """The facts that decide which implementation serves a queue."""

    @property
    def name(self) -> str:
        """The queue's name."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Its x-arguments."""


class QueueImplementation(NamedTuple):
    """One backing queue of a release. `serves`: whether it is the one for a declared queue."""

    serves: Callable[[DeclaredSettings], bool]
    make: Maker


def any_queue(_: DeclaredSettings) -> bool:
    return True


class StorageGeneration(msgspec.Struct, frozen=True, kw_only=True):
    """One generation of storage. `settings`: class of what its queues and stores read from the configuration;
    a release may change defaults. `codec`: makes the codec of messages from the settings, the prefix of their
    ids and known templates. `host_files`: makes the files that the queues of a virtual host share.
    """

    name: str
    settings: type[StorageSettings]
    codec: Callable[[StorageSettings, bytes, Sequence[MessageTemplate]], MessageCodec]
    host_files: Callable[[HostMeans], TwoStores[Any]]
    make: Maker

    @property
    def chosen(self) -> frozenset[str]:
        """Names of settings that a scenario may set."""
        return frozenset({*self.settings.bounds, CREDIT})


SIDES: Final = ("persistent", "transient")


S = TypeVar("S", bound=MessageStore)


class TwoStores(ABC, Generic[S]):
    """The files that the queues of a virtual host share: both stores, `.config` and `.vhost`. `means`: the parts to
    make them from.
    """

    def __init__(self, means: HostMeans) -> None:
        self._means = means
        self._clean = False
        """Whether the persistent store recovered cleanly (S206)."""
        self._in_order = False
        """Whether a broker stopped here in order, and its terms are not readable."""
        self.stores: dict[str, S] = {}

    @property
    def persistent(self) -> S:
        return self.stores["persistent"]

    @property
    def transient(self) -> S:
        return self.stores["transient"]

    @abstractmethod
    def _blank(self, name: str, directory: str) -> S:
        """Return an empty store, as at the start of a VM."""

    @abstractmethod
    def _texts(self, new: bool) -> Mapping[str, ByteChunk]:
        """Return the text files that a start writes beside the stores; `new` for an empty virtual host."""

    def _make_stores(self) -> None:
        means = self._means
        self.stores = {
            side: self._blank(f"{means.prefix}{side}", f"{means.root}/msg_store_{side}") for side in SIDES
        }

    def start_new(self) -> None:
        """Begin with an empty virtual host (D2)."""
        self._write_texts(new=True)
        self._make_stores()
        for side in SIDES:
            self.stores[side].start_new()

    def _write_texts(self, new: bool) -> None:
        storage = self._means.storage
        for name, text in self._texts(new).items():
            path = f"{self._means.root}/{name}"
            storage.create(path)
            storage.append(path, [text])
            storage.fsync(path)

    def start_again(self, stopped: Sequence[tuple[BackingQueue, CleanTerms | None]]) -> None:
        """Start the stores on the files of a stop, before any queue: the transient one empty, the other with its
        terms (S200-S208, W150).
        """
        self._write_texts(new=False)
        self._make_stores()
        self.transient.start_new()
        refs = [ref for _queue, terms in stopped if terms for ref in terms.persistent_refs]
        self._clean = self.persistent.start(
            refs,
            lambda: [
                (each.start, each.count) for queue, _terms in stopped for each in queue.store_references()
            ],
        )

    def recover(self, queue: BackingQueue, terms: CleanTerms | None, alone: bool = False) -> None:
        """Let a blank queue begin on its files (Q62, S110, W96, W97). `terms`: of a clean stop, None otherwise or for
        a queue that is not durable. `alone`: it crashed while the stores kept running.
        """
        if alone:
            queue.recover(None, False, self.persistent.contains)
        else:
            queue.recover(terms, self._clean, self.persistent.contains, self._in_order)

    def settle(self) -> None:
        """Let both stores handle what was sent to them, sync and collect garbage (S166, S167, W135)."""
        for store in self.stores.values():
            if not store.quiet:
                store.settle()

    def credit(self) -> Mapping[str, Any]:
        """Return the credit of one process towards each store, shared by its queues (F1)."""
        return {side: store.account() for side, store in self.stores.items()}

    def stop(self, kind: StopKind) -> None:
        """Stop both stores, after the queues; in order, or lose what was only in RAM (S210-S213, S234, W95)."""
        for side in SIDES:
            if kind == "clean":
                self.stores[side].terminate()
            else:
                self.stores[side].kill("power" if kind == "power" else "kill")

    def before_power_cut(self, directories: Iterator[str]) -> None:
        """Sync the files in the folders of queues that a file system would have synced by now (S230): none where no
        file is ever truncated.
        """


T = TypeVar("T", bound=StorageSettings)
C = TypeVar("C", bound=MessageCodec)


class QueueMeans(QueuePlace, Generic[T, C, S], frozen=True, kw_only=True):
    """Everything from which a blank queue with clients of two stores is made. `persistent`, `transient`: the message
    stores of the virtual host, which run already. `settle`: lets the stores handle what was sent; called where a call
    of the broker's interface ends. `accounts`: the credit towards each store that it shares with other queues of its
    process; its own without them.
    """

    settings: T
    codec: C
    persistent: S
    transient: S
    settle: Callable[[], None]
    accounts: Mapping[str, Any] = {}


def means_of(queue: QueueConfig, settings: T, codec: C, files: TwoStores[S]) -> QueueMeans[T, C, S]:
    """Return what a queue is made of, given its settings, codec and stores by their own types."""
    return QueueMeans(
        name=queue.name,
        durable=queue.durable,
        settings=settings,
        codec=codec,
        storage=queue.storage,
        directory=queue.directory,
        persistent=files.persistent,
        transient=files.transient,
        ref=queue.ref,
        emit=queue.emit,
        settle=files.settle,
        as_read=queue.as_read,
        resource=queue.resource,
        accounts=queue.credit or {},
    )
