"""What queues of version 1 share in a virtual host: two message stores, and the text files beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.backing_queue.host_files import HostMeans, StopKind
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.terms import Terms
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store import Account, MsgStore
from engine.formats.chunks import RawBytes
from engine.formats.names import config_text

SIDES: Final = ("persistent", "transient")


class VhostStores:
    """Both stores of a virtual host, with `.config` and `.vhost`.

    Args:
        means: what they are made of.
    """

    def __init__(self, means: HostMeans) -> None:
        assert isinstance(means.settings, QueueSettings)
        self._means = means
        self._settings: QueueSettings = means.settings
        self._clean = False
        """Whether the persistent store recovered cleanly (S206)."""
        self._in_order = False
        """Whether a broker stopped here in order whose terms nobody reads."""
        self.stores: dict[str, MsgStore] = {}

    @property
    def persistent(self) -> MsgStore:
        """The store of persistent messages."""
        return self.stores["persistent"]

    @property
    def transient(self) -> MsgStore:
        """The store of all others."""
        return self.stores["transient"]

    def _make_stores(self) -> None:
        """Make blank stores, as after the start of a VM."""
        means = self._means
        self.stores = {
            side: MsgStore(
                name=f"{means.prefix}{side}",
                directory=f"{means.root}/msg_store_{side}",
                storage=means.storage,
                codec=means.codec,
                settings=self._settings,
                emit=means.emit,
            )
            for side in SIDES
        }

    def start_new(self) -> None:
        """Begin with an empty virtual host (D2)."""
        if self._settings.writes_config:
            self._write_text(".config", config_text(self._settings.segment_entry_count))
        self._write_text(".vhost", self._means.codec.vhost.encode())
        self._make_stores()
        for side in SIDES:
            self.stores[side].start_new()

    def _write_text(self, name: str, text: bytes) -> None:
        """Write one of the small files beside the stores (S2, S4)."""
        storage, path = self._means.storage, f"{self._means.root}/{name}"
        storage.create(path)
        storage.append(path, [RawBytes(text)])
        storage.fsync(path)

    def start_again(self, stopped: Sequence[tuple[BackingQueue, Terms | None]]) -> None:
        """Start the stores on what the stop left: the transient one empty, the other by its terms (S200-S208)."""
        self._write_text(".vhost", self._means.codec.vhost.encode())
        self._in_order = self._settings.flags_deliveries and self._found_clean_stop()
        self._make_stores()
        self.transient.start_new()
        refs = [ref for _queue, terms in stopped if terms for ref in terms.persistent_refs]
        self._clean = self.persistent.start(
            refs,
            lambda: [
                (each.start, each.count) for queue, _terms in stopped for each in queue.store_references()
            ],
        )

    def recover(self, queue: BackingQueue, terms: Terms | None, alone: bool = False) -> None:
        """Let a blank queue begin on its index (Q62, S110)."""
        if alone:
            queue.recover(None, False, self.persistent.contains)
        else:
            queue.recover(terms, self._clean, self.persistent.contains, self._in_order)

    def _found_clean_stop(self) -> bool:
        """Return whether a broker stopped here in order, whose tables nobody reads (S211)."""
        path = f"{self._means.root}/msg_store_persistent/clean.dot"
        return self._means.storage.size(path) is not None

    def settle(self) -> None:
        """Let both stores handle what was sent to them, sync and collect garbage (S166, S167)."""
        for store in self.stores.values():
            if not store.quiet:
                store.settle()

    def credit(self) -> Mapping[str, Account]:
        """Return the credit of one process towards each store (F1)."""
        return {side: store.account() for side, store in self.stores.items()}

    def stop(self, kind: StopKind) -> None:
        """Stop both stores (S210-S213)."""
        for side in SIDES:
            if kind == "clean":
                self.stores[side].terminate()
            else:
                self.stores[side].kill("power" if kind == "power" else "kill")

    def before_power_cut(self, directories: Iterator[str]) -> None:
        """Let a cleared journal stay cleared.

        A power cut may undo the truncation (S230), but the next fsync of any file makes it durable on a journaling
        file system, and the segments deleted before it are gone for good here. The journal is only ever written and
        fsynced in one go, so an empty file is one that was cleared.
        """
        for directory in directories:
            journal = f"{directory}/journal.jif"
            if self._means.storage.size(journal) == 0:
                self._means.storage.fsync(journal)
