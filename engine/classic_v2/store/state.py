"""What all parts of a shared store's server work on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec

from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.settings import V2Settings
from engine.report.transitions.base import Transition, Why
from engine.report.transitions.queue import (
    BufferWritten,
    CacheChanged,
    FileRolledOver,
    RefCountChanged,
    RowsForgotten,
    StoreRecovered,
)
from engine.storage.port import ByteChunk, Storage
from engine.values.extents import Extent, StoreRow
from engine.values.stretches import Range, RangeSet, Stretches, StretchTally

OnDisk = Callable[[RangeSet], None]


class V2ClientAccount:
    """The credit between one process and a store (F1). `initial`: writes that may be sent before the first
    grant. `more`: handled writes for each grant, and credits in it.
    """

    def __init__(self, initial: int, more: int) -> None:
        self.left: int | None = None
        """What the process may still send, None before its first write."""
        self.initial = initial
        self.more = more
        self._until_grant = more

    def spent(self, count: int) -> None:
        """Send writes: each costs one."""
        self.left = (self.initial if self.left is None else self.left) - count

    def handled(self, count: int) -> int:
        self._until_grant -= count
        grants = 0
        while self._until_grant <= 0:
            self._until_grant += self.more
            grants += 1
        return grants


class SharedServer(Protocol):
    """What a client calls of the store that made it: `SharedStore` is one."""

    def send_writes(self, client: SharedClient, extents: Sequence[Extent]) -> None:
        """Take writes into the mailbox (W133)."""

    def send_remove(self, client: SharedClient, extents: tuple[Extent, ...], descending: bool) -> None:
        """Take one remove into the mailbox (W133)."""

    def end_client(self, client: SharedClient) -> None:
        """Handle everything that was sent (S200)."""

    def delete_client(self, client: SharedClient) -> None:
        """Let the name go after what was sent (S150)."""


class SharedClient:
    """What a queue holds to use a store; made by `SharedStore.client`.

    Args:
        store: the server.
        ref: its name, the same after a restart.
        on_disk: called with the messages that need no further wait; None in the transient store.
        on_credit: called with each grant.
        account: its credit.
    """

    def __init__(
        self,
        store: SharedServer,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        account: V2ClientAccount,
    ) -> None:
        self._store = store
        self.ref = ref
        self.on_disk = on_disk
        self.on_credit: Callable[[int], None] | None = on_credit
        self.account = account
        self.in_flight = RangeSet()
        """Positions whose writes the server has not handled."""
        self.overtaken = RangeSet()
        """Those of them that were removed already."""

    @property
    def credit(self) -> int | None:
        """Writes that may still be sent, None before the first one (F1)."""
        return self.account.left

    @property
    def blocked(self) -> bool:
        """Whether the credit is used up (F2)."""
        return self.account.left is not None and self.account.left <= 0

    def grant(self, credits_: int) -> None:
        """Add credit that the store granted; the queue calls this when it takes the message (F2)."""
        self.account.left = (self.account.left or 0) + credits_

    def write(self, extents: Sequence[Extent]) -> None:
        """Send a write for each message; each costs a credit (W133, F4)."""
        for extent in extents:
            self.account.spent(extent.count)
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

    def kill(self) -> None:
        """End without a word: the queue's process is gone; what it sent is still handled."""
        self.on_credit = None
        if self.on_disk is not None:
            self.on_disk = _unheard


def _unheard(messages: RangeSet) -> None:
    """Take a message to a process that is no more."""


class V2FileRow(msgspec.Struct):
    """What is known of one file.

    Args:
        number: its name.
        valid: bytes of records with a reference.
        size: bytes of the file, with what is in the write buffer.
        locked: a compaction was ordered.
    """

    number: int
    valid: int = 0
    size: int = 0
    locked: bool = False


class BodyCache:
    """The messages of the current file that are in memory, each with its writes in flight (W133, W136)."""

    __slots__ = ("_runs",)

    def __init__(self) -> None:
        self._runs: Stretches[StretchTally] = Stretches()

    def __len__(self) -> int:
        """Number of messages."""
        return self._runs.total

    def write(self, start: int, count: int) -> None:
        """A client writes: the message is here from now on, with one write more in flight."""
        self._change(start, count, 1)

    def handled(self, start: int, count: int) -> None:
        """The server handles a write of each."""
        self._change(start, count, -1)

    def _change(self, start: int, count: int, more: int) -> None:
        at = start
        for run in self._runs.remove(start, count):
            if run.start > at:
                self._runs.insert(StretchTally(at, run.start - at, more))
            self._runs.insert(StretchTally(run.start, run.count, run.value + more))
            at = run.start + run.count
        if at < start + count:
            self._runs.insert(StretchTally(at, start + count - at, more))

    def forget(self, start: int, count: int) -> None:
        """Drop messages that no write in flight needs."""
        for run in self._runs.overlapping(start, count):
            if not run.value:
                self._runs.remove(run.start, run.count)

    def forget_all(self) -> None:
        """Drop every message that no write in flight needs."""
        kept = [run for run in self._runs if run.value]
        self._runs.clear()
        self._runs.insert_all(kept)


def gaps(runs: Stretches[StoreRow], start: int, count: int) -> Iterator[tuple[int, int, StoreRow | None]]:
    """Yield (start, count, rows or None) over [start, start+count), cut where rows begin and end."""
    at = start
    for run in runs.overlapping(start, count):
        if run.start > at:
            yield at, run.start - at, None
        yield run.start, run.count, run
        at = run.start + run.count
    if at < start + count:
        yield at, start + count - at, None


class V2StoreState:
    """Tables of one store, its write buffer, and the few verbs that several parts need.

    Args:
        name: "persistent" or "transient".
        directory: its directory inside `storage`.
        storage: where its files are.
        codec: encodes messages.
        settings: limits and capabilities.
        emit: takes transitions.
        on_timer: called when the 15 s timer starts: whoever has a clock lets `gc_tick` follow (W140).
    """

    def __init__(
        self,
        name: str,
        directory: str,
        storage: Storage,
        codec: McCodec,
        settings: V2Settings,
        emit: Callable[[Transition], None],
        on_timer: Callable[[], None],
    ) -> None:
        self.emit = emit
        self.on_timer = on_timer
        self.name = name
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.settings = settings
        self.refs: set[str] = set()
        """Names in the client table: registered now, or known from before a clean stop (S200)."""
        self.rows: Stretches[StoreRow] = Stretches()
        self.files: dict[int, V2FileRow] = {}
        self.current = 0
        self.offset = 0
        self.buffer: list[ByteChunk] = []
        self.buffer_bytes = 0
        self.cache = BodyCache()
        self.waiting: dict[SharedClient, RangeSet] = {}
        """What each client is told of at the next sync (W135)."""
        self.dying: dict[str, tuple[int, int]] = {}
        self.gc_candidates: set[int] = set()
        self.gc_timer: frozenset[int] | None = None
        """The files in the message of the 15 s timer, None while it does not run (W140)."""
        self.gc_work: list[tuple[str, int, int]] = []
        """What the collector's process was asked: (compact, truncate or delete; file; bytes)."""
        self._cache_reported = 0
        self.held: dict[int, int] = {}
        """Readers of each file; the collector leaves it alone as long as there is one (W145)."""

    def path(self, number: int) -> str:
        """Return the path of a store file (S7)."""
        return f"{self.directory}/{number}.rdq"

    def open_next(self, number: int) -> None:
        """Begin a new current file."""
        closed, size = self.current, self.offset
        self.storage.create(self.path(number))
        self.files[number] = V2FileRow(number)
        self.current = number
        self.offset = 0
        if number:
            why: Why = {"size": size, "limit": self.settings.msg_store_file_size_limit}
            self.emit(FileRolledOver("W136", self.name, closed, number, why))

    def flush(self) -> None:
        """Hand the buffer to the operating system, without fsync (W135)."""
        if self.buffer:
            self.storage.append(self.path(self.current), self.buffer)
            self.emit(BufferWritten("W135", self.name, self.current, self.buffer_bytes))
            self.buffer = []
            self.buffer_bytes = 0

    def sync(self) -> None:
        """Flush, and tell the clients that waited (W135)."""
        self.flush()
        due, self.waiting = self.waiting, {}
        for client, messages in due.items():
            if client.on_disk is not None:
                client.on_disk(messages)

    def await_sync(self, client: SharedClient, start: int, count: int) -> None:
        """Remember messages of which a client is told after the next sync."""
        if client.on_disk is not None:
            self.waiting.setdefault(client, RangeSet()).add(start, count)

    def set_refs(self, row: StoreRow, refs: int) -> None:
        """Give rows another reference count; valid bytes follow when it leaves or reaches 0 (W138)."""
        self.rows.remove(row.start, row.count)
        self.rows.insert(row.with_refs(refs))
        if not row.refs or not refs:
            self.files[row.file].valid += row.size_bytes if refs else -row.size_bytes
        self.emit(RefCountChanged("W138", self.name, row.start, row.count, refs))

    def forget_rows(self, rows: Iterable[StoreRow]) -> None:
        """Delete rows from the index (W138)."""
        gone = tuple(Range(row.start, row.count) for row in rows)
        for each in gone:
            self.rows.remove(each.start, each.count)
        if gone:
            self.emit(RowsForgotten("W138", self.name, gone))

    def report_cache(self) -> None:
        """Emit the number of messages in the cache if it changed since the last time."""
        entries = len(self.cache)
        if entries != self._cache_reported:
            self._cache_reported = entries
            self.emit(CacheChanged("W133", self.name, entries))

    def snapshot(self) -> dict[str, Any]:
        """Return the state as plain values: the fold's counterpart."""
        return {
            "files": [
                [
                    file.number,
                    file.size,
                    file.valid,
                    file.locked,
                    self.storage.size(self.path(file.number)) or 0,
                ]
                for _, file in sorted(self.files.items())
            ],
            "current": self.current,
            "rows": [
                [row.start, row.count, row.refs, row.file, row.offset, row.record_bytes, 1]
                for row in self.rows
            ],
            "cache": len(self.cache),
            "buffered_bytes": self.buffer_bytes,
            "orphans": [],
        }

    def report_start(self, clean: bool) -> None:
        """Emit what a start found (W150)."""
        found = self.snapshot()
        self._cache_reported = 0
        self.emit(
            StoreRecovered(
                "W150",
                self.name,
                clean,
                tuple(tuple(row) for row in found["files"]),
                self.current,
                tuple(tuple(row) for row in found["rows"]),
            )
        )

    def rows_of(self, number: int) -> list[StoreRow]:
        return sorted((row for row in self.rows if row.file == number), key=lambda row: row.offset)
