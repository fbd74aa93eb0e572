"""What all parts of one store's server work on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import partial

import msgspec

from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.file_summary import FileSummary
from engine.classic_v1.store.handles import OpenHandles
from engine.classic_v1.store.index_table import StoreIndexRow, StoreIndexTable
from engine.classic_v1.store.peers import StorePeer
from engine.classic_v1.store.tallies import FileTallies
from engine.classic_v1.transitions.stores import StoreSynced
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.report.transitions.stores import BufferWritten, CacheChanged, RefCountChanged
from engine.storage.handle import BufferedHandle
from engine.storage.port import Storage
from engine.values.ranges import RangeSet


class JudgedFile(msgspec.Struct, frozen=True, gc=False):
    """Messages that a write or remove treats alike (S142, S150).

    Args:
        start: first message number.
        count: how many.
        row: their index entries, None when unknown.
        masked: the client is dying and this is younger than its death, or unknown.
    """

    start: int
    count: int
    row: StoreIndexRow | None
    masked: bool


class StoreState:
    """Tables of one store (S130-S135), its current file's handle, and the few verbs that several parts need.

    Args:
        name: "persistent" or "transient".
        directory: its directory inside `storage`.
        storage: where its files are.
        codec: encodes messages.
        settings: limits.
        emit: takes transitions.
    """

    def __init__(
        self,
        name: str,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        settings: QueueSettings,
        emit: Callable[[Transition], None],
    ) -> None:
        self.name = name
        self.directory = directory
        self.storage = storage
        self.codec = codec
        self.settings = settings
        self.emit = emit
        self.peers: dict[str, StorePeer] = {}
        self.refs: set[str] = set()
        """Names in the client table: registered now, or known from before a clean stop (S200)."""
        self.reset()

    def reset(self) -> None:
        """Forget everything but who registered as a client."""
        self.index = StoreIndexTable()
        self.files = FileSummary()
        self.cache = FileTallies(keep_zero=True)
        self.pending_confirms: dict[str, RangeSet] = {}
        self.dying: dict[str, tuple[int, int]] = {}
        self.open_handles = OpenHandles()
        self.orphans: dict[int, int] = {}
        self._handle: BufferedHandle | None = None
        self._cache_reported = 0

    # --- files -------------------------------------------------------------------------------------------------------

    def path(self, number: int, extension: str = "rdq") -> str:
        """Return the path of a store file (S7)."""
        return f"{self.directory}/{number}.{extension}"

    @property
    def handle(self) -> BufferedHandle:
        """The current file, opened for appending."""
        assert self._handle is not None, "the store is not started"
        return self._handle

    @property
    def started(self) -> bool:
        """Whether the store runs."""
        return self._handle is not None

    def open_current(self) -> None:
        """Open the current file for appending at its end."""
        number = self.files.current
        self._handle = BufferedHandle(
            self.storage,
            self.path(number),
            self.settings.write_buffer_bytes,
            partial(self._report_write, number),
            partial(self._report_fsync, number),
        )

    def _report_write(self, number: int, size_bytes: int) -> None:
        self.emit(BufferWritten("S21", self.name, number, size_bytes))

    def _report_fsync(self, number: int) -> None:
        self.emit(StoreSynced("S23", self.name, number))

    # --- messages ----------------------------------------------------------------------------------------------------

    def judge(self, peer: StorePeer, start: int, count: int, step: int) -> list[JudgedFile]:
        """Cut [start, start+count) into pieces that one decision covers, in the order of `step` (S150)."""
        death = self.dying.get(peer.ref)
        found: list[JudgedFile] = []
        for at, many, row in self.index.pieces(start, count):
            if death is None:
                found.append(JudgedFile(at, many, row, False))
            elif row is None:
                found.append(JudgedFile(at, many, None, True))
            else:
                found.extend(_judge_row(row, death))
        if step < 0:
            found.reverse()
        return found

    def set_refs(self, rule: str, row: StoreIndexRow, refs: int) -> None:
        """Give entries another reference count; valid sizes follow when it leaves or reaches 0 (S131)."""
        self.index.replace(row.with_refs(refs))
        if not row.refs or not refs:
            self.files.revalue(row.file, row.size_bytes if refs else -row.size_bytes)
        self.emit(RefCountChanged(rule, self.name, row.start, row.count, refs))

    def await_sync(self, peer: StorePeer, start: int, count: int) -> None:
        """Remember messages that the client is notified of after the next sync (S135)."""
        if peer.on_disk is not None:
            self.pending_confirms.setdefault(peer.ref, RangeSet()).add(start, count)

    def await_all(self, peer: StorePeer, rows: Iterable[StoreIndexRow]) -> None:
        """Remember messages, ascending, that the client is notified of after the next sync (S135)."""
        if peer.on_disk is not None:
            self.pending_confirms.setdefault(peer.ref, RangeSet()).update(rows)

    def sync(self) -> None:
        """Make the current file durable if anyone waits for it, and notify them (S166)."""
        if not self.pending_confirms:
            return
        self.handle.sync()
        due, self.pending_confirms = self.pending_confirms, {}
        for ref, messages in due.items():
            self.peers[ref].confirm(messages, "written")

    # --- the write cache ---------------------------------------------------------------------------------------------

    def uncache(self, start: int, count: int) -> None:
        """Drop cache entries that no write in flight needs (S141.3, S144)."""
        for piece in self.cache.over(start, count):
            if not piece.value:
                self.cache.runs.remove(piece.start, piece.count)

    def uncache_all(self) -> None:
        """Drop every cache entry that no write in flight needs (S171.3)."""
        in_flight = [run for run in self.cache.runs if run.value]
        self.cache.runs.clear()
        self.cache.runs.insert_all(in_flight)

    def report_cache(self, rule: str) -> None:
        """Emit the number of cache entries if it changed since the last time."""
        entries = self.cache.runs.total
        if entries != self._cache_reported:
            self._cache_reported = entries
            self.emit(CacheChanged(rule, self.name, entries))


def _judge_row(row: StoreIndexRow, death: tuple[int, int]) -> list[JudgedFile]:
    """Split entries where they lie strictly behind the position at the client's death."""
    file, offset = death
    if row.file != file:
        return [JudgedFile(row.start, row.count, row, row.file > file)]
    if row.step > 0:
        older = bisect_right(range(row.count), offset, key=row.offset_of)
        parts = [(0, older, False), (older, row.count - older, True)]
    else:
        younger = bisect_left(range(row.count), -offset, key=lambda skip: -row.offset_of(skip))
        parts = [(0, younger, True), (younger, row.count - younger, False)]
    found: list[JudgedFile] = []
    for skip, count, masked in parts:
        if count:
            part = row.part(skip, count)
            found.append(JudgedFile(part.start, count, part, masked))
    return found
