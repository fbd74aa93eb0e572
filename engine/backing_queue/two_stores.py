"""The two message stores of a virtual host with the small text files beside them: what all generations have alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from engine.backing_queue.host_files import HostMeans, StopKind
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.stores import MessageStore
from engine.backing_queue.terms import CleanTerms
from engine.storage.port import ByteChunk
from engine.values.ranges import Range, RangeSet

SIDES: Final = ("persistent", "transient")


class StartableStore(MessageStore, Protocol):
    """A store, by what its virtual host does with it."""

    def account(self) -> Any:
        """Return the credit of a process that begins to use the store (F1)."""

    def contains(self, messages: Range) -> RangeSet:
        """Return which of these messages it holds."""

    def start_new(self) -> None:
        """Erase the directory and start with nothing (S205)."""

    def start(self, refs: Iterable[str], references: Callable[[], Iterable[tuple[int, int]]]) -> bool:
        """Start on the files that are there; return whether the start is clean (S206)."""

    def terminate(self) -> None:
        """Stop in order (S201)."""

    def kill(self, kind: str = "kill") -> None:
        """End without a word (S234)."""


S = TypeVar("S", bound=StartableStore)


class TwoStores(ABC, Generic[S]):
    """Both stores of a virtual host, with `.config` and `.vhost`: see `HostFiles`, which documents what is public.

    Args:
        means: what they are made of.
    """

    def __init__(self, means: HostMeans) -> None:
        self._means = means
        self._clean = False
        """Whether the persistent store recovered cleanly (S206)."""
        self._in_order = False
        """Whether a broker stopped here in order whose terms nobody reads."""
        self.stores: dict[str, S] = {}

    @property
    def persistent(self) -> S:
        """The store of persistent messages."""
        return self.stores["persistent"]

    @property
    def transient(self) -> S:
        """The store of all others."""
        return self.stores["transient"]

    @abstractmethod
    def _blank(self, name: str, directory: str) -> S:
        """Return a blank store, as after the start of a VM."""

    @abstractmethod
    def _texts(self, new: bool) -> Mapping[str, ByteChunk]:
        """Return the text files beside the stores that a start writes, `new` of an empty virtual host."""

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
        """Start the stores on what the stop left: the transient one empty, the other by its terms (S200-S208, W150)."""
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
        """Let a blank queue begin on its files (Q62, S110, W96, W97)."""
        if alone:
            queue.recover(None, False, self.persistent.contains)
        else:
            queue.recover(terms, self._clean, self.persistent.contains, self._in_order)

    def settle(self) -> None:
        """Let both stores handle what was sent to them, sync and collect garbage (S166, S167, W135)."""
        for store in self.stores.values():
            store.settle()

    def credit(self) -> Mapping[str, Any]:
        """Return the credit of one process towards each store (F1)."""
        return {side: store.account() for side, store in self.stores.items()}

    def stop(self, kind: StopKind) -> None:
        """Stop both stores (S210-S213, W95)."""
        for side in SIDES:
            if kind == "clean":
                self.stores[side].terminate()
            else:
                self.stores[side].kill("power" if kind == "power" else "kill")

    def before_power_cut(self, directories: Iterator[str]) -> None:
        """Do nothing where no file of a queue is ever truncated."""
