"""The message stores of a virtual host, as a node uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, Protocol, TypeVar

import msgspec

from engine.backing_queue.heap import MEASURED_3_10, HeapFigures
from engine.storage.port import Storage
from engine.values.stretches import Range, RangeSet

CLEAN: Final = "clean_stop.json"
"""The engine's own file for a clean stop; the broker writes its own tables instead (S129, S240, W132)."""
BROKERS_CLEAN: Final = ("clean.dot", "file_summary.ets", "msg_store_index.ets")
"""What a broker leaves at a clean stop; stale as soon as the engine has written here."""
SYNC_INTERVAL_US: Final = 25_000
"""A store that is never idle syncs this long after the first request (K6)."""


class StoreLoad(msgspec.Struct, frozen=True):
    """What the memory model counts of a store.

    Args:
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

    @property
    def quiet(self) -> bool:
        """Whether nothing was sent, nobody waits for a sync, and the garbage collector rests."""

    def account(self) -> Any:
        """Return the credit of a process that starts to use the store (F1)."""

    def contains(self, messages: Range) -> RangeSet:
        """Return which of these messages it holds."""

    def start_new(self) -> None:
        """Erase the directory and start with nothing (S205)."""

    def start(self, refs: Iterable[str], references: Callable[[], Iterable[tuple[int, int]]]) -> bool:
        """Start on the files that are there; return whether the start is clean (S206)."""

    def terminate(self) -> None:
        """Stop in order (S201)."""

    def kill(self, kind: str = "kill") -> None:
        """End without cleaning up (S234)."""


class ClientAccount:
    """The credit between one process and a store; the clients of one process share it (F1). `initial`: writes
    that may be sent before the first grant. `more`: handled writes for each grant, and credits in it.
    """

    def __init__(self, initial: int, more: int) -> None:
        self.left: int | None = None
        """Writes that may still be sent, None before the first one; 0 or less when the process is blocked (F2)."""
        self.initial = initial
        self.more = more
        self._until_grant = more

    @property
    def room(self) -> int:
        """Writes until the process is blocked (F2)."""
        return self.initial if self.left is None else self.left

    @property
    def blocked(self) -> bool:
        """Whether the credit is used up (F2)."""
        return self.left is not None and self.left <= 0

    def spend(self, count: int) -> None:
        """Send so many writes: each costs one (F4)."""
        self.left = (self.initial if self.left is None else self.left) - count

    def grant(self, amount: int) -> None:
        """Add credit that the store granted; the queue calls this when it takes the message (F2)."""
        self.left = (self.left or 0) + amount

    def grants(self, handled: int) -> int:
        """Return how many grants are due after so many more handled writes."""
        self._until_grant -= handled
        grants = 0
        while self._until_grant <= 0:
            self._until_grant += self.more
            grants += 1
        return grants


How = Literal["written", "ignored"]
OnDisk = Callable[[RangeSet, How], None]


class StorePeer:
    """A client of a message store, as the store knows it.

    Args:
        ref: its name, the same after a restart.
        on_disk: called with the messages that need no further wait, and why; None in the transient store (S135).
        on_credit: called with each grant of credit.
        account: the credit of the client's process.
    """

    def __init__(
        self, ref: str, on_disk: OnDisk | None, on_credit: Callable[[int], None], account: ClientAccount
    ) -> None:
        self.ref = ref
        self.on_disk = on_disk
        self.on_credit: Callable[[int], None] | None = on_credit
        self.account = account

    def handled(self, count: int) -> None:
        """Count handled writes and grant credit after every `more` of them (F1)."""
        for _ in range(self.account.grants(count)):
            if self.on_credit is not None:
                self.on_credit(self.account.more)

    def confirm(self, messages: RangeSet, how: How = "written") -> None:
        """Notify the client, if it listens."""
        if self.on_disk is not None:
            self.on_disk(messages, how)

    def kill(self) -> None:
        """Stop notifying a client whose process ended without cleaning up; its messages are still handled."""
        self.on_credit = None
        if self.on_disk is not None:
            self.on_disk = _unheard


def _unheard(messages: RangeSet, how: How) -> None:
    """Ignore a message to a process that has ended."""


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
