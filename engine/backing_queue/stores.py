"""The message stores of a virtual host, as a node uses them."""

from __future__ import annotations

from typing import Any, Final, Protocol, TypeVar

import msgspec

from engine.backing_queue.heap import MEASURED_3_10, HeapFigures
from engine.storage.port import Storage

CLEAN: Final = "clean_stop.json"
"""The engine's own file for a clean stop; the broker writes its own tables instead (S129, S240, W132)."""
BROKERS_CLEAN: Final = ("clean.dot", "file_summary.ets", "msg_store_index.ets")
"""What a broker leaves at a clean stop; stale as soon as the engine has written here."""
SYNC_INTERVAL_US: Final = 25_000
"""A store that is never idle syncs this long after the first request (K6)."""


class StoreLoad(msgspec.Struct, frozen=True):
    """What the memory model counts of a store.

    Args:
        files: how many there are.
        messages: in its index.
        cached: messages in the current file's cache.
        cached_bytes: of the records that the cache holds.
        cached_with_removed_bytes: of these and of records whose messages were removed since.
        heap: bytes of a row of each table.
    """

    files: int
    messages: int
    cached: int
    cached_bytes: int
    cached_with_removed_bytes: int = 0
    heap: HeapFigures = MEASURED_3_10


class MessageStore(Protocol):
    """The server of one message store and its garbage collector; each is a process if work takes time (K6)."""

    @property
    def name(self) -> str:
        """Its name, as transitions have it."""

    @property
    def mailbox_messages(self) -> int:
        """Messages that clients sent and that it has not handled yet."""

    @property
    def sync_owed(self) -> bool:
        """Whether somebody waits for a sync."""

    @property
    def gc_requests(self) -> int:
        """Number of the garbage collector's requests, including the current one."""

    @property
    def gc_busy(self) -> bool:
        """Whether its garbage collector has something to do."""

    def handle_mailbox(self, limit: int | None = None) -> int:
        """Handle the next messages, at most `limit`; return how many it handled."""

    def sync(self) -> None:
        """Sync what is owed."""

    def run_gc_step(self) -> bool:
        """Let the garbage collector do one step; return whether there was one."""

    def settle(self) -> None:
        """Handle everything, sync, and collect garbage to the end."""

    def oldest_message(self) -> int | None:
        """Return the lowest message number on its disk, None without any."""

    def load(self) -> StoreLoad:
        """Return what the memory model counts."""

    def snapshot(self) -> dict[str, Any]:
        """Return its state as plain values, from its own structures (the fold's counterpart)."""

    def verify(self) -> None:
        """Compare files and tables with one another; raises InvariantBroken at the first difference (S253)."""


N = TypeVar("N")


def take_clean_stop(storage: Storage, directory: str, kind: type[N]) -> N | None:
    """Read and remove the note of a store's clean stop; remove a broker's too (S206)."""
    names = set(storage.list(directory))
    for name in names.intersection(BROKERS_CLEAN):
        storage.delete(f"{directory}/{name}")
    if CLEAN not in names:
        return None
    path = f"{directory}/{CLEAN}"
    data = storage.read_bytes(path, 0, storage.size(path) or 0)
    storage.delete(path)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError:
        return None
