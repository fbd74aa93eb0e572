"""What all parts of a shared store's server work on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import astuple

from engine.backing_queue.stores import ClientAccount, OnDisk, StorePeer
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
from engine.storage.port import Storage
from engine.values.chunks import ByteChunk
from engine.values.extents import StoreRow
from engine.values.stretches import MessageTallies, Range, RangeSet, Stretches


class V2Peer(StorePeer):
    """A client with what of it is under way."""

    def __init__(
        self, ref: str, on_disk: OnDisk | None, on_credit: Callable[[int], None], account: ClientAccount
    ) -> None:
        super().__init__(ref, on_disk, on_credit, account)
        self.in_flight = RangeSet()
        """Positions whose writes the server has not handled."""
        self.overtaken = RangeSet()
        """Those of them that were removed already."""


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


class V2StoreState:
    """Tables of one store, its write buffer, and the few verbs that several parts need. `name`: "persistent"
    or "transient". `on_timer`: called when the 15 s timer starts: whoever has a clock lets `gc_tick` follow
    (W140).
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
        self.cache = MessageTallies(keep_zero=True)
        """The messages of the current file in memory, each with its writes in flight (W133, W136)."""
        self.waiting: dict[V2Peer, RangeSet] = {}
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
            client.confirm(messages)

    def await_sync(self, client: V2Peer, start: int, count: int) -> None:
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

    @property
    def cache_untold(self) -> bool:
        """Whether the number of messages in the cache changed since it was reported."""
        return self.cache.runs.total != self._cache_reported

    def report_cache(self) -> None:
        """Emit the number of messages in the cache if it changed since the last time."""
        if self.cache_untold:
            self._cache_reported = len(self.cache)
            self.emit(CacheChanged("W133", self.name, self._cache_reported))

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
            "rows": [list(astuple(row)) for row in self.rows],
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
