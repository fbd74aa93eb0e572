"""The virtual hosts of one node: each with queues and stores of its own (S1); they stop and start together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.host_files import StopKind
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.stores import MessageStore, StoreLoad
from engine.broker.vhost.virtual_host import HostedQueue, VirtualHost
from engine.storage.port import Storage
from engine.values.labels import BREAK, FIRST_HOST, host_of


class VirtualHosts:
    """What one node has on disk.

    Args:
        make: makes a virtual host of a name.
        storage: where the files of all of them are.
    """

    def __init__(self, make: Callable[[str], VirtualHost], storage: Storage) -> None:
        self._make = make
        self._storage = storage
        self.all = {FIRST_HOST: make(FIRST_HOST)}
        """By name, the oldest first."""
        self.down = False
        """Whether all is stopped; then there are files and nothing else."""

    def of(self, label: str) -> VirtualHost:
        """Return the virtual host in which something is."""
        return self.all[host_of(label)]

    def hosted(self, name: str) -> HostedQueue:
        """Return what is known of a queue, whether it runs or not."""
        host = self.of(name) if BREAK in name else self.all[FIRST_HOST]
        return host.hosted[name]

    def has(self, name: str) -> bool:
        """Return whether a queue lives here."""
        return name in self.of(name).hosted

    def names(self) -> list[str]:
        """Return the names of all queues that live here."""
        return [name for host in self.all.values() for name in host.hosted]

    def queues(self) -> Iterator[BackingQueue]:
        """Return every queue that runs, the oldest of a virtual host first."""
        return chain.from_iterable(host.queues() for host in self.all.values())

    @property
    def stores(self) -> Mapping[str, MessageStore]:
        """The message stores by name, those of the newest start."""
        if len(self.all) == 1:
            return self.all[FIRST_HOST].stores
        return {store.name: store for host in self.all.values() for store in host.stores.values()}

    @property
    def root(self) -> str:
        """Folder of the first virtual host."""
        return self.all[FIRST_HOST].root

    # --- virtual hosts come and go -----------------------------------------------------------------------------------

    def add_host(self, vhost: str) -> None:
        """Begin a virtual host that is not there yet, with empty stores."""
        host = self.all[vhost] = self._make(vhost)
        if self.down:
            host.down = True
        else:
            host.start_new()

    def forget_host(self, vhost: str) -> None:
        """Forget a virtual host with its files; its queues are gone already."""
        self.all.pop(vhost).forget()

    # --- starts and stops --------------------------------------------------------------------------------------------

    def start_new(self) -> None:
        """Begin empty (D2)."""
        for host in self.all.values():
            host.start_new()

    def start_again(self, now_us: int) -> None:
        """Start each on what the stop left."""
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

    # --- queues ------------------------------------------------------------------------------------------------------

    def add(self, queue: DeclaredQueue, now_us: int, version: int | None = None) -> BackingQueue:
        """Begin a queue that is not there yet, with files of a version that was asked for."""
        return self.of(queue.name).add(queue, now_us, version)

    def restart_queue(self, name: str, now_us: int) -> BackingQueue:
        """Let one queue process crash, and start it on its files while the stores run (Q62, D4)."""
        return self.of(name).restart_queue(name, now_us)

    def wipe(self, name: str) -> None:
        """Forget a queue that does not live here any more, with its files (H20, H72)."""
        self.of(name).wipe(name)

    def crash(self, name: str) -> None:
        """Let one queue process crash for good (H75)."""
        self.of(name).crash(name)

    def delete(self, name: str, cause: str) -> None:
        """Delete a queue with its messages and files (Q64)."""
        self.of(name).delete(name, cause)

    def store_loads(self) -> list[StoreLoad]:
        """Return what the memory model counts of each store."""
        return [load for host in self.all.values() for load in host.store_loads()]

    def snapshots(self) -> dict[str, dict[str, Any]]:
        """Return the stores' snapshots by name."""
        return {name: each for host in self.all.values() for name, each in host.snapshots().items()}
