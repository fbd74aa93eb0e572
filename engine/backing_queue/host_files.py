"""What the queues of one virtual host share: settings, and the files with the stores that keep them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.stores import MessageStore
from engine.backing_queue.terms import CleanTerms
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage

Later = Callable[[int, Callable[[], None]], object]
StopKind = Literal["clean", "kill", "kill_in_flush", "power"]


class StorageSettings(Protocol):
    """What every generation reads from the configuration, among its own."""

    @property
    def segment_entry_count(self) -> int:
        """Entries of one file of a queue's index."""

    @property
    def queue_index_embed_msgs_below(self) -> int:
        """Messages below so many bytes stay out of the shared stores (Q12)."""

    @property
    def msg_store_file_size_limit(self) -> int:
        """Bytes after which a shared store begins a new file (S171)."""

    def shown(self) -> dict[str, Any]:
        """Return the configuration's values under the names that a page shows."""


class HostMeans(NamedTuple):
    """What the shared files of a virtual host are made of.

    Args:
        root: folder of the virtual host.
        emit: receives every transition.
        later: lets something happen in so many microseconds.
        prefix: stands before the names of the stores; empty in the first virtual host.
    """

    root: str
    storage: Storage
    codec: MessageCodec
    settings: StorageSettings
    emit: Callable[[Transition], None]
    later: Later
    prefix: str = ""


class HostFiles(Protocol):
    """The files that the queues of one virtual host share, with the stores that keep them."""

    @property
    def stores(self) -> Mapping[str, MessageStore]:
        """The message stores by name, those of the newest start."""

    def start_new(self) -> None:
        """Begin with an empty virtual host (D2)."""

    def start_again(self, stopped: Sequence[tuple[BackingQueue, CleanTerms | None]]) -> None:
        """Start the stores on what a stop left, before any queue (S200-S208).

        Args:
            stopped: the queues that come back, as they were when they stopped, with their terms.
        """

    def recover(self, queue: BackingQueue, terms: CleanTerms | None, alone: bool = False) -> None:
        """Let a blank queue begin on its files (Q62).

        Args:
            terms: of a clean stop, None otherwise or for a queue that is not durable.
            alone: it crashed while the stores went on.
        """

    def settle(self) -> None:
        """Let the stores handle what was sent to them, sync and collect garbage (S166, S167)."""

    def credit(self) -> Any:
        """Return credit of one process towards the stores, for several queues that it has (F1)."""

    def stop(self, kind: StopKind) -> None:
        """Stop the stores, after the queues; in order, or lose what was only in RAM (S234)."""

    def before_power_cut(self, directories: Iterator[str]) -> None:
        """Make durable what a file system would have made durable by now, in the folders of queues (S230)."""
