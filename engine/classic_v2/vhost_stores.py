"""What queues of version 2 share in a virtual host: two message stores with their timers, and `.config`, `.vhost`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.backing_queue.host_files import HostMeans, StopKind
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.terms import Terms
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store import Account, SharedStore
from engine.formats.chunks import RawBytes
from engine.formats.names import config_text

SIDES: Final = ("persistent", "transient")


class V2VhostStores:
    """Both stores of a virtual host, with `.config` and `.vhost`.

    Args:
        means: what they are made of.
    """

    def __init__(self, means: HostMeans) -> None:
        assert isinstance(means.settings, V2Settings)
        assert isinstance(means.codec, McCodec)
        self._means = means
        self._settings: V2Settings = means.settings
        self._codec: McCodec = means.codec
        self._clean = False
        """Whether the persistent store recovered cleanly (W150)."""
        self.stores: dict[str, SharedStore] = {}

    @property
    def persistent(self) -> SharedStore:
        """The store of persistent messages."""
        return self.stores["persistent"]

    @property
    def transient(self) -> SharedStore:
        """The store of all others."""
        return self.stores["transient"]

    def _make_stores(self) -> None:
        """Make blank stores, as after the start of a VM."""
        means = self._means
        self.stores = {
            side: SharedStore(
                name=f"{means.prefix}{side}",
                directory=f"{means.root}/msg_store_{side}",
                storage=means.storage,
                codec=self._codec,
                settings=self._settings,
                emit=means.emit,
                later=means.later,
            )
            for side in SIDES
        }

    def start_new(self) -> None:
        """Begin with an empty virtual host (D2)."""
        self._write_text(".config", config_text(self._settings.segment_entry_count))
        self._write_text(".vhost", self._codec.vhost.encode())
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
        """Start the stores on what the stop left: the transient one empty, the other by its terms (W150)."""
        self._write_text(".vhost", self._codec.vhost.encode())
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
        """Let a blank queue begin on its files (W96, W97)."""
        if alone:
            queue.recover(None, False, self.persistent.contains)
        else:
            queue.recover(terms, self._clean, self.persistent.contains)

    def settle(self) -> None:
        """Let both stores handle what was sent to them, sync and collect garbage (W135)."""
        for store in self.stores.values():
            store.settle()

    def credit(self) -> Mapping[str, Account]:
        """Return the credit of one process towards each store (F1)."""
        return {side: store.account() for side, store in self.stores.items()}

    def stop(self, kind: StopKind) -> None:
        """Stop both stores (W95)."""
        for side in SIDES:
            if kind == "clean":
                self.stores[side].terminate()
            else:
                self.stores[side].kill("power" if kind == "power" else "kill")

    def before_power_cut(self, directories: Iterator[str]) -> None:
        """Do nothing: no file of a queue is ever truncated."""
