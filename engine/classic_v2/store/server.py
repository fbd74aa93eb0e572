"""The shared store's server (W130-W151): its mailbox, and who handles what."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store import collector, recovery
from engine.classic_v2.store.client import Account, OnDisk, SharedClient
from engine.classic_v2.store.recovery import Reference
from engine.classic_v2.store.remover import handle_remove
from engine.classic_v2.store.state import StoreState
from engine.classic_v2.store.writer import handle_write
from engine.storage.port import Storage
from engine.values.extents import Extent
from engine.values.ranges import RangeSet


class _Write(msgspec.Struct, frozen=True):
    """One write message for each message of an extent."""

    client: SharedClient
    extent: Extent


class _Remove(msgspec.Struct, frozen=True):
    """One remove message with all ids."""

    client: SharedClient
    extents: tuple[Extent, ...]
    descending: bool


class _Delete(msgspec.Struct, frozen=True):
    """The client is gone after this."""

    client: SharedClient


class SharedStore:
    """One of the two stores of a virtual host, shared by the clients of all its queues.

    Clients only send messages to its mailbox; `settle` handles everything, syncs what is owed and lets the collector
    finish.

    Args:
        name: "persistent" or "transient".
        directory: its directory inside `storage`.
        storage: where its files are.
        codec: encodes messages.
        settings: limits, credits and capabilities.
    """

    def __init__(
        self, *, name: str, directory: str, storage: Storage, codec: McCodec, settings: V2Settings
    ) -> None:
        self.name = name
        self.state = StoreState(name, directory, storage, codec, settings)
        self._settings = settings
        self._mailbox: deque[_Write | _Remove | _Delete] = deque()
        self.suspended = False
        """Whether the server's process takes no messages for now."""

    # --- clients -----------------------------------------------------------------------------------------------------

    def account(self) -> Account:
        """Return the credit of a process that begins to use the store (F1)."""
        return Account(*self._settings.msg_store_credit_disc_bound)

    def client(
        self,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        account: Account | None = None,
        stays: bool = True,
    ) -> SharedClient:
        """Register a client.

        Args:
            ref: its name, the same after a restart.
            on_disk: called with the messages that need no further wait; None in the transient store.
            on_credit: called with each grant of credit.
            account: the credit that it shares with other clients of its process; without it one of its own.
            stays: its name is in the client table, and so in the note of a clean stop (S200).
        """
        if stays:
            self.state.refs.add(ref)
        return SharedClient(self, ref, on_disk, on_credit, account or self.account())

    def send_write(self, client: SharedClient, extent: Extent) -> None:
        """Take writes into the mailbox and the cache (W133)."""
        self.state.cache.write(extent.msg_no, extent.count)
        self._mailbox.append(_Write(client, extent))

    def send_remove(self, client: SharedClient, extents: tuple[Extent, ...], descending: bool) -> None:
        """Take one remove into the mailbox (W133)."""
        self._mailbox.append(_Remove(client, extents, descending))

    def end_client(self, client: SharedClient) -> None:
        """Handle everything that was sent; the name stays in the table (S200)."""
        self._handle_all()
        self.state.waiting.pop(client, None)

    def delete_client(self, client: SharedClient) -> None:
        """Announce that a client dies, and let its name go after what it sent (S150)."""
        self.state.dying[client.ref] = (self.state.current, self.state.offset)
        self._mailbox.append(_Delete(client))

    def contains(self, start: int, count: int) -> RangeSet:
        """Return which of these messages have a reference (W97)."""
        found = RangeSet()
        for row in self.state.rows.overlapping(start, count):
            if row.refs:
                found.add(row.start, row.count)
        return found

    # --- working -----------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Handle the mailbox, sync if anybody waits (W135), and let the collector finish."""
        if self.suspended:
            return
        self._handle_all()
        if self.state.waiting:
            self.state.sync()
        while collector.work(self.state):
            pass

    def _handle_all(self) -> None:
        state = self.state
        while self._mailbox:
            item = self._mailbox.popleft()
            if isinstance(item, _Write):
                self._grant(item.client, item.extent.count)
                handle_write(state, item.client, item.extent)
            elif isinstance(item, _Remove):
                handle_remove(state, item.client, item.extents, item.descending)
            else:
                state.refs.discard(item.client.ref)
                state.waiting.pop(item.client, None)
                state.dying.pop(item.client.ref, None)

    @staticmethod
    def _grant(client: SharedClient, count: int) -> None:
        for _ in range(client.account.handled(count)):
            if client.on_credit is not None:
                client.on_credit(client.account.more)

    def gc_tick(self) -> frozenset[int] | None:
        """Let the 15 s timer fire; return the files in its message, None while it does not run (W140)."""
        return collector.tick(self.state)

    def hold(self, number: int) -> None:
        """Begin to read a file: it is neither cut nor deleted before `release` (W145)."""
        self.state.held[number] = self.state.held.get(number, 0) + 1

    def release(self, number: int) -> None:
        """End a read."""
        left = self.state.held.get(number, 0) - 1
        if left > 0:
            self.state.held[number] = left
        else:
            self.state.held.pop(number, None)

    # --- beginning and end -------------------------------------------------------------------------------------------

    def start_new(self) -> None:
        """Erase the directory and begin with one empty file (S205)."""
        recovery.start_new(self.state)

    def start(self, refs: Iterable[str], references: Callable[[], Iterable[Reference]]) -> bool:
        """Start on the files that are there (W150).

        Args:
            refs: names of the clients that the queues' recovery terms hold; None of them where one queue has no terms.
            references: gives what the queues' indexes refer to; only called when dirty (W99).

        Returns:
            Whether the start is clean.
        """
        return recovery.start(self.state, frozenset(refs), references)

    def terminate(self) -> None:
        """Stop in order: the buffer is written and what a clean start needs is saved (W95)."""
        self._handle_all()
        self.state.sync()
        recovery.save(self.state)

    def kill(self) -> None:
        """End without a word: what is in the buffer is lost."""
        self._mailbox.clear()
        self.state.buffer = []
