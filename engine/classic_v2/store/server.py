"""A shared store (W130-W151): its mailbox, who handles what, and the clients of queues."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from engine.backing_queue.generation import Later
from engine.backing_queue.stores import ClientAccount, OnDisk, StoreLoad
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.heap import FIGURES
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store import recovery
from engine.classic_v2.store.recovery import Reference
from engine.classic_v2.store.state import V2FileRow, V2Peer, V2StoreState
from engine.classic_v2.store.writer import handle_remove, handle_write, tick, work
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import StoreStopped
from engine.storage.port import Storage
from engine.values.errors import InvariantBroken
from engine.values.extents import Extent
from engine.values.marks import ignore
from engine.values.stretches import Range, RangeSet, one_more

COLLECTION_US: Final = 15_000_000
"""From the first removal in a file until a store looks whether to compact it (W140)."""


class _Write(msgspec.Struct, frozen=True):
    """One write message for each message of an extent."""

    client: V2Peer
    extent: Extent


class _Remove(msgspec.Struct, frozen=True):
    client: V2Peer
    extents: tuple[Extent, ...]
    descending: bool


class _Delete(msgspec.Struct, frozen=True):
    """The client is gone after this."""

    client: V2Peer


class SharedStore:
    """One of the two stores of a virtual host, shared by the clients of all its queues.

    Clients only send messages to its mailbox; `settle` handles everything, syncs what is owed and lets the collector
    finish.

    Args:
        name: "persistent" or "transient".
        later: calls a function so many virtual microseconds later; without a clock `gc_tick` is asked from outside.
    """

    def __init__(
        self,
        *,
        name: str,
        directory: str,
        storage: Storage,
        codec: McCodec,
        settings: V2Settings,
        emit: Callable[[Transition], None] = ignore,
        later: Later = ignore,
    ) -> None:
        self.name = name
        self._later = later
        self.state = V2StoreState(name, directory, storage, codec, settings, emit, self._wait)
        self._settings = settings
        self._mailbox: deque[_Write | _Remove | _Delete] = deque()

    # --- clients -----------------------------------------------------------------------------------------------------
    def account(self) -> ClientAccount:
        """Return the credit of a process that begins to use the store (F1)."""
        return ClientAccount(*self._settings.msg_store_credit_disc_bound)

    def client(
        self,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        account: ClientAccount | None = None,
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

    def send_writes(self, client: V2Peer, extents: Sequence[Extent]) -> None:
        """Take writes into the mailbox and the cache (W133)."""
        for extent in extents:
            self.state.cache.change(extent.msg_no, extent.count, one_more)
            self._mailbox.append(_Write(client, extent))
        self.state.report_cache()

    def send_remove(self, client: V2Peer, extents: tuple[Extent, ...], descending: bool) -> None:
        """Take one remove into the mailbox (W133)."""
        self._mailbox.append(_Remove(client, extents, descending))

    def end_client(self, client: V2Peer) -> None:
        """Handle everything that was sent; the name stays in the table (S200)."""
        self._handle_all()
        self.state.waiting.pop(client, None)

    def delete_client(self, client: V2Peer) -> None:
        """Announce that a client dies, and let its name go after what it sent (S150)."""
        self.state.dying[client.ref] = (self.state.current, self.state.offset)
        self._mailbox.append(_Delete(client))

    def contains(self, messages: Range) -> RangeSet:
        """Return which of these messages have a reference (W97)."""
        found = RangeSet()
        for row in self.state.rows.overlapping(messages.start, messages.count):
            if row.refs:
                found.add(row.start, row.count)
        return found

    # --- working -----------------------------------------------------------------------------------------------------
    @property
    def quiet(self) -> bool:
        """Whether nothing was sent, nobody waits for a sync, the collector rests, and all of the cache is told."""
        state = self.state
        return not (self._mailbox or state.waiting or state.gc_work or state.cache_untold)

    @property
    def mailbox_messages(self) -> int:
        return sum(item.extent.count if isinstance(item, _Write) else 1 for item in self._mailbox)

    @property
    def sync_owed(self) -> bool:
        """Whether any client waits for a sync (W135)."""
        return bool(self.state.waiting)

    @property
    def gc_busy(self) -> bool:
        return bool(self.state.gc_work)

    @property
    def gc_requests(self) -> int:
        """Number of requests that the garbage collector has not finished."""
        return len(self.state.gc_work)

    def handle_mailbox(self, limit: int | None = None) -> int:
        """Handle messages, at most `limit` of them; return how many."""
        handled = 0
        while self._mailbox and (limit is None or handled < limit):
            item = self._mailbox.popleft()
            if isinstance(item, _Write) and limit is not None and item.extent.count > limit - handled:
                first = limit - handled
                rest = item.extent.part(first, item.extent.count - first)
                self._mailbox.appendleft(_Write(item.client, rest))
                item = _Write(item.client, item.extent.part(0, first))
            self._handle(item)
            handled += item.extent.count if isinstance(item, _Write) else 1
        self.state.report_cache()
        return handled

    def sync(self) -> None:
        """Hand the buffer over if anybody waits for it, and notify them (W135)."""
        if self.state.waiting:
            self.state.sync()

    def run_gc_step(self) -> bool:
        """Do what the garbage collector was asked; return False if there was nothing that it could do."""
        return work(self.state)

    def settle(self) -> None:
        """Handle the mailbox, sync if anybody waits (W135), and let the collector finish."""
        self._handle_all()
        self.sync()
        while work(self.state):
            pass
        self.state.report_cache()

    def _handle_all(self) -> None:
        while self._mailbox:
            self._handle(self._mailbox.popleft())

    def _handle(self, item: _Write | _Remove | _Delete) -> None:
        state = self.state
        if isinstance(item, _Write):
            item.client.handled(item.extent.count)
            handle_write(state, item.client, item.extent)
        elif isinstance(item, _Remove):
            handle_remove(state, item.client, item.extents, item.descending)
        else:
            state.refs.discard(item.client.ref)
            state.waiting.pop(item.client, None)
            state.dying.pop(item.client.ref, None)

    def gc_tick(self) -> frozenset[int] | None:
        """Let the 15 s timer fire; return the files in its message, None while it does not run (W140)."""
        return tick(self.state)

    def _wait(self) -> None:
        """Begin to wait for what may be collected."""
        self._later(COLLECTION_US, self._collect)

    def _collect(self) -> None:
        """Let the collector work; its process takes no time of the machine."""
        self.gc_tick()
        while self.run_gc_step():
            pass

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

    def snapshot(self) -> dict[str, Any]:
        """Return the state as plain values (the fold's counterpart)."""
        return self.state.snapshot()

    def oldest_message(self) -> int | None:
        """Return the lowest message number in the index, None without any."""
        return self.state.rows.first.start if self.state.rows else None

    def load(self) -> StoreLoad:
        state = self.state
        cached = len(state.cache)
        current = state.files[state.current] if cached else V2FileRow(0)
        return StoreLoad(len(state.files), state.rows.total, cached, current.valid, current.size, FIGURES)

    def verify(self) -> None:
        """Check that the files' valid bytes are those of the rows (W132)."""
        valid = dict.fromkeys(self.state.files, 0)
        for row in self.state.rows:
            if row.refs:
                valid[row.file] += row.size_bytes
        for number, file in self.state.files.items():
            if file.valid != valid[number]:
                raise InvariantBroken(
                    f"file {number} has {valid[number]} valid bytes, not {file.valid} (W132)"
                )

    # --- beginning and end -------------------------------------------------------------------------------------------
    def start_new(self) -> None:
        """Erase the directory and begin with one empty file (S205)."""
        recovery.start_new(self.state)

    def start(self, refs: Iterable[str], references: Callable[[], Iterable[Reference]]) -> bool:
        """Start on the files that are there; return whether cleanly (W150). `refs`: names of the clients that the
        queues' recovery terms hold. `references`: gives what the queues' indexes refer to; only called when
        dirty (W99).
        """
        return recovery.start(self.state, frozenset(refs), references)

    def terminate(self) -> None:
        """Stop in order: the buffer is written and what a clean start needs is saved (W95)."""
        self._handle_all()
        self.state.sync()
        recovery.save(self.state)
        self.state.emit(StoreStopped("W95", self.name, "clean"))

    def kill(self, kind: str = "kill") -> None:
        """End without a word: what is in the buffer is lost."""
        self._mailbox.clear()
        self.state.buffer = []
        self.state.emit(StoreStopped("S234", self.name, kind))


class SharedClient(V2Peer):
    """What a queue holds to use a store; made by `SharedStore.client`."""

    def __init__(
        self,
        store: SharedStore,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        account: ClientAccount,
    ) -> None:
        super().__init__(ref, on_disk, on_credit, account)
        self._store = store

    def write(self, extents: Sequence[Extent]) -> None:
        """Send a write for each message; each costs a credit (W133, F4)."""
        for extent in extents:
            self.account.spend(extent.count)
            self.in_flight.add(extent.start, extent.count)
        self._store.send_writes(self, extents)

    def remove(self, extents: Sequence[Extent], descending: bool = False) -> list[Range]:
        """Send one remove for all messages; return the message numbers whose writes it overtook (W52).
        `extents`: the messages, ascending. `descending`: they are handled from the last to the first, as a
        list of the broker is.
        """
        early: list[Range] = []
        for extent in extents:
            for part in self.in_flight.inside(extent.start, extent.count):
                self.overtaken.add(part.start, part.count)
                early.append(Range(extent.msg_no + part.start - extent.start, part.count))
        if extents:
            self._store.send_remove(self, tuple(extents), descending)
        return early

    def terminate(self) -> None:
        """End in order: everything sent is handled; the store keeps the client's name (S200)."""
        self._store.end_client(self)

    def delete(self) -> None:
        """End for good (S150, S200)."""
        self._store.delete_client(self)
