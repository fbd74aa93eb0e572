"""The virtual host: two message stores and one queue on one storage, their stops and starts (D2, S200-S208)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from engine.formats.chunks import RawBytes
from engine.formats.message import MessageCodec
from engine.formats.names import config_text, queue_directory, vhost_directory
from engine.msg_store import MsgStore
from engine.settings import QueueSettings
from engine.storage.port import Storage
from engine.transitions import Transition
from engine.variable_queue import VariableQueue
from engine.variable_queue.lifecycle import Terms

VHOST: Final = "/"
QUEUE: Final = "orders"
REF: Final = "orders"
SIDES: Final = ("persistent", "transient")

StopKind = Literal["clean", "kill", "power"]


class VirtualHost:
    """Owns everything that has files.

    Args:
        durable: whether the queue is.
    """

    def __init__(
        self,
        *,
        durable: bool,
        settings: QueueSettings,
        codec: MessageCodec,
        storage: Storage,
        emit: Callable[[Transition], None],
    ) -> None:
        self._durable = durable
        self._settings = settings
        self._codec = codec
        self._storage = storage
        self._emit = emit
        self.root = f"msg_stores/vhosts/{vhost_directory(VHOST)}"
        self.queue_directory = f"{self.root}/queues/{queue_directory(VHOST, QUEUE)}"
        self._terms: Terms | None = None

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

    def _make_queue(self, now_us: int) -> None:
        """Make a blank queue with clients of both stores, which run already."""
        self.queue = VariableQueue(
            name=QUEUE,
            durable=self._durable,
            settings=self._settings,
            codec=self._codec,
            storage=self._storage,
            directory=self.queue_directory,
            persistent=self.stores["persistent"],
            transient=self.stores["transient"],
            ref=REF,
            emit=self._emit,
            settle=self.settle,
        )
        self.queue.state.now_us = now_us

    def settle(self) -> None:
        """Let both stores handle what was sent to them, sync and collect garbage (S166, S167)."""
        for store in self.stores.values():
            store.settle()

    # --- starts ------------------------------------------------------------------------------------------------------

    def start_new(self, now_us: int) -> None:
        """Begin with an empty virtual host (D2)."""
        self._write_text(".config", config_text(self._settings.segment_entry_count))
        self._write_text(".vhost", VHOST.encode())
        self._make_stores()
        for side in SIDES:
            self.stores[side].start_new()
        self._make_queue(now_us)
        self.queue.start_new()

    def _write_text(self, name: str, text: bytes) -> None:
        """Write one of the small files beside the stores (S2, S4)."""
        path = f"{self.root}/{name}"
        self._storage.create(path)
        self._storage.append(path, [RawBytes(text)])
        self._storage.fsync(path)

    def start_again(self, now_us: int) -> None:
        """Start on what the stop left: the stores first, then the queue on its index (D2, Q62, S110, S206)."""
        self._write_text(".vhost", VHOST.encode())
        terms = self._terms if self._durable else None
        if not self._durable:
            self._storage.delete_directory(self.queue_directory)
        index = self.queue.state.index
        self._make_stores()
        self.stores["transient"].start_new()
        refs = [terms.persistent_ref] if terms is not None and terms.persistent_ref is not None else []
        clean = self.stores["persistent"].start(
            refs, lambda: [(each.start, each.count) for each in index.store_references()]
        )
        self._make_queue(now_us)
        if not self._durable:
            self.queue.start_new()
            return
        self.queue.recover(terms, clean, self.stores["persistent"].contains)

    # --- stops -------------------------------------------------------------------------------------------------------

    def stop(self, kind: StopKind) -> None:
        """Stop in order, or lose what was only in RAM (`kill`), or also what was not fsynced (`power`) (S234)."""
        if kind == "clean":
            self._terms = self.queue.terminate()
            for side in SIDES:
                self.stores[side].terminate()
            return
        self._terms = None
        self.queue.kill(kind)
        for side in SIDES:
            self.stores[side].kill(kind)
        if kind == "power":
            self._keep_truncation()
            self._storage.power_cut()

    def _keep_truncation(self) -> None:
        """Let a cleared journal stay cleared.

        A power cut may undo the truncation (S230), but the next fsync of any file makes it durable on a journaling
        file system, and the segments deleted before it are gone for good here. The journal is only ever written and
        fsynced in one go, so an empty file is one that was cleared.
        """
        journal = f"{self.queue_directory}/journal.jif"
        if self._storage.size(journal) == 0:
            self._storage.fsync(journal)

    def snapshots(self) -> dict[str, dict[str, Any]]:
        """Return the stores' snapshots by name."""
        return {side: store.snapshot() for side, store in sorted(self.stores.items())}
