"""The virtual hosts of one node: each with queues and stores of its own (S1); they stop and start together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from engine.amqp.arguments import with_version
from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.generation import HostMeans, Later, QueueConfig, StopKind
from engine.backing_queue.protocol import BackingQueue, CleanTerms
from engine.backing_queue.stores import MessageStore, StoreLoad
from engine.formats.message import MessageCodec
from engine.formats.names import queue_directory, vhost_directory
from engine.releases import BrokerRelease
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.errors import FileCorrupt, ProcessCrash
from engine.values.extents import Extent
from engine.values.labels import BREAK, FIRST_HOST, bare, host_of, in_host
from engine.values.settings import StorageSettings


class HostedQueue:
    """One queue, and what the virtual host remembers of it while the node is stopped. `vhost`, `root`: name
    and folder of the virtual host. `crashes`: how often a process of this queue has crashed here. `version`:
    of its files, by argument or policy; None if neither says (W2).
    """

    def __init__(
        self,
        declared: DeclaredQueue,
        release: BrokerRelease,
        vhost: str,
        root: str,
        crashes: int = 0,
        version: int | None = None,
    ) -> None:
        name = self.name = declared.name
        self.durable = declared.durable
        self.arguments = declared.arguments
        self._declared, self._release = declared, release
        self.version = version
        self.directory = f"{root}/queues/{queue_directory(vhost, bare(name))}"
        self.crashes = crashes
        self.terms: CleanTerms | None = None
        self.queue: BackingQueue
        self._named: dict[int | None, str] = {}

    @property
    def backing_queue(self) -> str:
        """Name of its implementation in the table of releases; once it runs, of the one that has its files."""
        version = (self.queue.queue_version if hasattr(self, "queue") else None) or self.version
        if version not in self._named:  # it is asked at the end of each event
            self._named[version] = self._release.backing_queue_of(self._declared, version)
        return self._named[version]

    @property
    def wished(self) -> str:
        """Name of the implementation that a start uses, whatever ran before."""
        return self._release.backing_queue_of(self._declared, self.version)

    @property
    def ref(self) -> str:
        """Name at the stores; a process that starts after a crash takes a new one (Q62)."""
        return f"{self.name}+{self.crashes}" if self.crashes else self.name


class VirtualHost:
    """Owns everything that has files.

    Args:
        release: which queues and stores there are.
        settings: what these read from the configuration.
        later: runs an action after this many microseconds.
        folder: of the node inside the storage, with a slash at its end; empty for the only one.
        codec: encodes messages of this virtual host, and knows its name.
    """

    def __init__(
        self,
        *,
        release: BrokerRelease,
        settings: StorageSettings,
        codec: MessageCodec,
        storage: Storage,
        emit: Callable[[Transition], None],
        as_read: Callable[[Extent], Sequence[Extent]],
        later: Later,
        folder: str = "",
    ) -> None:
        self._release = release
        self._settings = settings
        self._as_read = as_read
        self._codec = codec
        self._storage = storage
        self._emit = emit
        self.root = f"{folder}msg_stores/vhosts/{vhost_directory(codec.vhost)}"
        means = HostMeans(self.root, storage, codec, settings, emit, later, in_host(codec.vhost, ""))
        self.files = release.storage.host_files(means)
        self.hosted: dict[str, HostedQueue] = {}
        self._crashes: dict[str, int] = {}
        """Crashes of queues that were wiped; a new process takes a new name at the stores (Q62)."""
        self.down = False
        """Whether all is stopped, so that only files exist."""

    def queues(self) -> Iterator[BackingQueue]:
        """Yield every queue that runs, the oldest first."""
        for each in () if self.down else self.hosted.values():
            yield each.queue

    def _make_queue(self, hosted: HostedQueue, now_us: int) -> None:
        """Make a blank queue; the stores run already."""
        hosted.queue = self._release.queues[hosted.wished].make(
            QueueConfig(
                name=hosted.name,
                durable=hosted.durable,
                arguments=with_version(hosted.arguments, hosted.version),
                settings=self._settings,
                codec=self._codec,
                storage=self._storage,
                directory=hosted.directory,
                files=self.files,
                ref=hosted.ref,
                emit=self._emit,
                as_read=self._as_read,
                resource=bare(hosted.name).encode(),
            )
        )
        hosted.queue.advance_clock(now_us)

    @property
    def stores(self) -> Mapping[str, MessageStore]:
        return self.files.stores

    def forget(self) -> None:
        """Delete the virtual host's files, after its queues are gone."""
        self.files.stop("kill")
        self._storage.delete_directory(self.root)

    def start_over(self) -> None:
        """Start on the files of a deleted virtual host of this name, of which the start keeps nothing (S8)."""
        for name in list(self.hosted):
            self.wipe(name)
        self.start_again(0)

    # --- starts ------------------------------------------------------------------------------------------------------
    def start_new(self) -> None:
        """Begin with an empty virtual host (D2)."""
        self.files.start_new()

    def add(self, queue: DeclaredQueue, now_us: int, version: int | None = None) -> BackingQueue:
        crashes = self._crashes.get(queue.name, 0)
        hosted = HostedQueue(queue, self._release, self._codec.vhost, self.root, crashes, version)
        self.hosted[queue.name] = hosted
        self._make_queue(hosted, now_us)
        hosted.queue.start_new()
        return hosted.queue

    def start_again(self, now_us: int) -> None:
        """Start on the files that the stop left: first the stores, then the queues (D2, Q62, S110, S206)."""
        self.down = False
        for hosted in list(self.hosted.values()):
            if not hosted.durable:
                for directory in hosted.queue.directories:
                    self._storage.delete_directory(directory)
                del self.hosted[hosted.name]
        known = list(self.hosted.values())
        self.files.start_again([(each.queue, each.terms) for each in known])
        for hosted in known:
            self._make_queue(hosted, now_us)
            try:
                self.files.recover(hosted.queue, hosted.terms)
            except (ProcessCrash, FileCorrupt):
                # It fails to begin, and its supervisor starts it again (V8, W205).
                self.restart_queue(hosted.name, now_us)

    def restart_queue(self, name: str, now_us: int) -> BackingQueue:
        """Let one queue process crash, and its supervisor start it on its files while the stores run (Q62, D4)."""
        hosted = self.hosted[name]
        hosted.queue.kill("crash")
        self.files.settle()
        hosted.crashes += 1
        self._make_queue(hosted, now_us)
        self.files.recover(hosted.queue, None, alone=True)
        return hosted.queue

    # --- stops -------------------------------------------------------------------------------------------------------
    def wipe(self, name: str) -> None:
        """Forget a queue that does not live here any more, with its files (H20, H72)."""
        for directory in self.hosted.pop(name).queue.directories:
            self._storage.delete_directory(directory)

    def crash(self, name: str) -> None:
        """Let one queue process crash for good, so that nobody reads its files (H75)."""
        hosted = self.hosted[name]
        hosted.queue.kill("crash")
        self.files.settle()
        self._crashes[name] = hosted.crashes + 1
        self.wipe(name)

    def delete(self, name: str, cause: str) -> None:
        """Delete a queue with its messages and files (Q64)."""
        self.hosted.pop(name).queue.delete_and_terminate(cause)
        self.files.settle()

    def stop(self, kind: StopKind) -> None:
        """Stop in order, or lose what was only in RAM (`kill`), or also what was not fsynced (`power`)
        (S234). With `kill_in_flush` each queue dies after writing its segments and before truncating its
        journal (S115). The storage cuts the power itself, after all virtual hosts.
        """
        self.down = True
        for hosted in self.hosted.values():
            if kind == "clean":
                hosted.terms = hosted.queue.terminate()
            else:
                hosted.terms = None
                hosted.queue.kill(kind)
        self.files.stop(kind)
        if kind == "power":
            self.files.before_power_cut(
                each for hosted in self.hosted.values() for each in hosted.queue.directories
            )

    def store_loads(self) -> list[StoreLoad]:
        return [] if self.down else [store.load() for store in self.stores.values()]

    def snapshots(self) -> dict[str, dict[str, Any]]:
        if self.down:
            return {}
        return {
            in_host(self._codec.vhost, side): each.snapshot() for side, each in sorted(self.stores.items())
        }


class VirtualHosts:
    """What one node has on disk. `make`: makes a virtual host of a name. `storage`: where the files of all
    of them are.
    """

    def __init__(self, make: Callable[[str], VirtualHost], storage: Storage) -> None:
        self._make = make
        self._storage = storage
        self.all = {FIRST_HOST: make(FIRST_HOST)}
        """By name, the oldest first."""
        self._left: dict[str, VirtualHost] = {}
        """Those that were deleted while this node was down: it keeps their files (S8)."""
        self.down = False
        """Whether all is stopped, so that only files exist."""

    def of(self, label: str) -> VirtualHost:
        return self.all[host_of(label)]

    def hosted(self, name: str) -> HostedQueue:
        host = self.of(name) if BREAK in name else self.all[FIRST_HOST]
        return host.hosted[name]

    def has(self, name: str) -> bool:
        return name in self.of(name).hosted

    def names(self) -> list[str]:
        return [name for host in self.all.values() for name in host.hosted]

    def queues(self) -> Iterator[BackingQueue]:
        """Return every running queue, oldest first within a virtual host."""
        return chain.from_iterable(host.queues() for host in self.all.values())

    @property
    def stores(self) -> Mapping[str, MessageStore]:
        if len(self.all) == 1:
            return self.all[FIRST_HOST].stores
        return {store.name: store for host in self.all.values() for store in host.stores.values()}

    @property
    def root(self) -> str:
        return self.all[FIRST_HOST].root

    # --- virtual hosts come and go -----------------------------------------------------------------------------------
    def add_host(self, vhost: str) -> None:
        left = self._left.pop(vhost, None)
        host = self.all[vhost] = left or self._make(vhost)
        if self.down:
            host.down = True
        elif left:
            host.start_over()
        else:
            host.start_new()

    def forget_host(self, vhost: str) -> None:
        """Forget a virtual host whose queues are gone already, with its files unless the node is down."""
        host = self.all.pop(vhost)
        if not self.down:
            host.forget()
        elif self._storage.list(host.root):
            self._left[vhost] = host

    # --- starts and stops --------------------------------------------------------------------------------------------
    def start_new(self) -> None:
        """Begin empty (D2)."""
        for host in self.all.values():
            host.start_new()

    def start_again(self, now_us: int) -> None:
        self.down = False
        for host in self.all.values():
            host.start_again(now_us)

    def stop(self, kind: StopKind) -> None:
        """Stop all in order, or lose what was only in RAM, or also what was not fsynced (S234)."""
        self.down = True
        for host in self.all.values():
            host.stop(kind)
        if kind == "power":
            self._storage.power_cut()

    def store_loads(self) -> list[StoreLoad]:
        return [load for host in self.all.values() for load in host.store_loads()]

    def snapshots(self) -> dict[str, dict[str, Any]]:
        return {name: each for host in self.all.values() for name, each in host.snapshots().items()}
