"""The virtual host: two message stores and its queues on one storage, their stops and starts (D2, S200-S208)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal

from engine.amqp.declarations import DeclaredQueue
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.terms import Terms
from engine.broker.vhost.backing_queues import BACKING_QUEUES, QueueMeans, backing_queue_of
from engine.classic_v1.store import MsgStore, StoreLoad
from engine.formats.chunks import RawBytes
from engine.formats.message import MessageCodec
from engine.formats.names import config_text, queue_directory, vhost_directory
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.errors import ProcessCrash
from engine.values.extents import Extent
from engine.values.settings import QueueSettings

VHOST: Final = "/"
QUEUE: Final = "orders"
"""The queue of a scenario that names none."""
SIDES: Final = ("persistent", "transient")

StopKind = Literal["clean", "kill", "kill_in_flush", "power"]


class Hosted:
    """One queue with what the virtual host remembers of it while the node is stopped.

    Args:
        declared: what it was declared as.
        redeclared: whether a client declares it again after each restart, as the only queue of a scenario is.
        root: folder of the virtual host.
        crashes: how often a process of this queue crashed here already.
    """

    def __init__(self, declared: DeclaredQueue, redeclared: bool, root: str, crashes: int = 0) -> None:
        name = self.name = declared.name
        self.durable = declared.durable
        self.arguments = declared.arguments
        self.backing_queue = backing_queue_of(declared)
        """Name of its implementation in the table."""
        self.redeclared = redeclared
        self.directory = f"{root}/queues/{queue_directory(VHOST, name)}"
        self.crashes = crashes
        self.terms: Terms | None = None
        self.queue: BackingQueue

    @property
    def ref(self) -> str:
        """Name at the stores; a process that starts after a crash takes a new one (Q62)."""
        return f"{self.name}+{self.crashes}" if self.crashes else self.name


class VirtualHost:
    """Owns everything that has files.

    Args:
        folder: of the node inside the storage, with a slash at its end; empty for the only one.
    """

    def __init__(
        self,
        *,
        settings: QueueSettings,
        codec: MessageCodec,
        storage: Storage,
        emit: Callable[[Transition], None],
        as_read: Callable[[Extent], Sequence[Extent]],
        folder: str = "",
    ) -> None:
        self._settings = settings
        self._as_read = as_read
        self._codec = codec
        self._storage = storage
        self._emit = emit
        self.root = f"{folder}msg_stores/vhosts/{vhost_directory(VHOST)}"
        self.hosted: dict[str, Hosted] = {}
        self._crashes: dict[str, int] = {}
        """Of queues that crashed here and were wiped; a new process takes a new name at the stores (Q62)."""
        self.down = False
        """Whether all is stopped; then there are files and nothing else."""

    def queues(self) -> Iterator[BackingQueue]:
        """Yield every queue that runs, the oldest first."""
        for each in () if self.down else self.hosted.values():
            yield each.queue

    def _make_stores(self) -> None:
        """Make blank stores, as after the start of a VM."""
        self.stores = {
            side: MsgStore(
                name=side,
                directory=f"{self.root}/msg_store_{side}",
                storage=self._storage,
                codec=self._codec,
                settings=self._settings,
                emit=self._emit,
            )
            for side in SIDES
        }

    def _make_queue(self, hosted: Hosted, now_us: int) -> None:
        """Make a blank queue with clients of both stores, which run already."""
        hosted.queue = BACKING_QUEUES[hosted.backing_queue].make(
            QueueMeans(
                name=hosted.name,
                durable=hosted.durable,
                arguments=hosted.arguments,
                settings=self._settings,
                codec=self._codec,
                storage=self._storage,
                directory=hosted.directory,
                persistent=self.stores["persistent"],
                transient=self.stores["transient"],
                ref=hosted.ref,
                emit=self._emit,
                settle=self.settle,
                as_read=self._as_read,
            )
        )
        hosted.queue.advance_clock(now_us)

    def settle(self) -> None:
        """Let both stores handle what was sent to them, sync and collect garbage (S166, S167)."""
        for store in self.stores.values():
            store.settle()

    # --- starts ------------------------------------------------------------------------------------------------------

    def start_new(self) -> None:
        """Begin with an empty virtual host (D2)."""
        if self._settings.writes_config:
            self._write_text(".config", config_text(self._settings.segment_entry_count))
        self._write_text(".vhost", VHOST.encode())
        self._make_stores()
        for side in SIDES:
            self.stores[side].start_new()

    def add(self, queue: DeclaredQueue, now_us: int, redeclared: bool = False) -> BackingQueue:
        """Begin a queue that is not there yet; `redeclared` as for Hosted."""
        hosted = Hosted(queue, redeclared, self.root, self._crashes.get(queue.name, 0))
        self.hosted[queue.name] = hosted
        self._make_queue(hosted, now_us)
        hosted.queue.start_new()
        return hosted.queue

    def _write_text(self, name: str, text: bytes) -> None:
        """Write one of the small files beside the stores (S2, S4)."""
        path = f"{self.root}/{name}"
        self._storage.create(path)
        self._storage.append(path, [RawBytes(text)])
        self._storage.fsync(path)

    def start_again(self, now_us: int) -> None:
        """Start on what the stop left: the stores first, then the queues on their indexes (D2, Q62, S110, S206)."""
        self.down = False
        self._write_text(".vhost", VHOST.encode())
        for hosted in list(self.hosted.values()):
            if not hosted.durable:
                hosted.terms = None
                for directory in hosted.queue.directories:
                    self._storage.delete_directory(directory)
                if not hosted.redeclared:
                    del self.hosted[hosted.name]
        known = list(self.hosted.values())
        stopped = [each.queue for each in known]
        in_order = self._settings.flags_deliveries and self._found_clean_stop()
        self._make_stores()
        self.stores["transient"].start_new()
        refs = [ref for each in known if each.terms for ref in each.terms.persistent_refs]
        clean = self.stores["persistent"].start(
            refs, lambda: [(each.start, each.count) for queue in stopped for each in queue.store_references()]
        )
        for hosted in known:
            self._make_queue(hosted, now_us)
            if not hosted.durable:
                hosted.queue.start_new()
                continue
            try:
                hosted.queue.recover(hosted.terms, clean, self.stores["persistent"].contains, in_order)
            except ProcessCrash:  # it fails to initialise, and its supervisor starts it again (V8)
                self.restart_queue(hosted.name, now_us)

    def _found_clean_stop(self) -> bool:
        """Return whether a broker stopped here in order, whose tables nobody reads (S211)."""
        return self._storage.size(f"{self.root}/msg_store_persistent/clean.dot") is not None

    def restart_queue(self, name: str, now_us: int) -> BackingQueue:
        """Let one queue process crash, and its supervisor start it on its files while the stores run (Q62, D4)."""
        hosted = self.hosted[name]
        hosted.queue.kill("crash")
        self.settle()
        hosted.crashes += 1
        self._make_queue(hosted, now_us)
        hosted.queue.recover(None, False, self.stores["persistent"].contains)
        return hosted.queue

    # --- stops -------------------------------------------------------------------------------------------------------

    def wipe(self, name: str) -> None:
        """Forget a queue that does not live here any more, with its files (H20, H72)."""
        hosted = self.hosted.pop(name)
        self._storage.delete_directory(hosted.directory)

    def crash(self, name: str) -> None:
        """Let one queue process crash for good: nobody reads its files (H75)."""
        hosted = self.hosted[name]
        hosted.queue.kill("crash")
        self.settle()
        self._crashes[name] = hosted.crashes + 1
        self.wipe(name)

    def delete(self, name: str, cause: str) -> None:
        """Delete a queue with its messages and files (Q64)."""
        self.hosted.pop(name).queue.delete_and_terminate(cause)
        self.settle()

    def stop(self, kind: StopKind) -> None:
        """Stop in order, or lose what was only in RAM (`kill`), or also what was not fsynced (`power`) (S234).

        With `kill_in_flush` each queue dies between the write of its segments and the cut of its journal (S115).
        """
        self.down = True
        for hosted in self.hosted.values():
            if kind == "clean":
                hosted.terms = hosted.queue.terminate()
            else:
                hosted.terms = None
                hosted.queue.kill(kind)
        for side in SIDES:
            if kind == "clean":
                self.stores[side].terminate()
            else:
                self.stores[side].kill("power" if kind == "power" else "kill")
        if kind == "power":
            self._keep_truncation()
            self._storage.power_cut()

    def _keep_truncation(self) -> None:
        """Let a cleared journal stay cleared.

        A power cut may undo the truncation (S230), but the next fsync of any file makes it durable on a journaling
        file system, and the segments deleted before it are gone for good here. The journal is only ever written and
        fsynced in one go, so an empty file is one that was cleared.
        """
        for directory in (each for hosted in self.hosted.values() for each in hosted.queue.directories):
            journal = f"{directory}/journal.jif"
            if self._storage.size(journal) == 0:
                self._storage.fsync(journal)

    def store_loads(self) -> list[StoreLoad]:
        """Return what the memory model counts of each store."""
        return [] if self.down else [store.load() for store in self.stores.values()]

    def snapshots(self) -> dict[str, dict[str, Any]]:
        """Return the stores' snapshots by name."""
        return {} if self.down else {side: store.snapshot() for side, store in sorted(self.stores.items())}
