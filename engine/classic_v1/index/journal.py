"""The journal file of one queue: every action in order, buffered in the process until a sync (S62, S70, S82)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from engine.classic_v1.formats.journal import (
    MARK_BYTES,
    PUBLISH_BYTES,
    Action,
    JournalRecords,
    decode_journal,
)
from engine.classic_v1.formats.published import PublishRecord
from engine.classic_v1.index.records import publish_of
from engine.classic_v1.transitions.index import JournalOpened, JournalSynced
from engine.formats.chunks import RawBytes
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.handle import BufferedHandle
from engine.storage.port import ByteChunk, Storage
from engine.values.extents import HOME_STORE, RAW_PERSISTENT, Extent
from engine.values.ranges import Range
from engine.values.sizes import FRAMED

JOURNAL_NAME: Final = "journal.jif"
STUB_NAME: Final = ".queue_name"


class PublishedStretches(NamedTuple):
    """Publish records of several runs of a log, not made yet; with step -1 the last message of each comes first."""

    action: Action
    extents: Sequence[Extent]
    codec: MessageCodec
    step: int

    def chunks(self) -> list[JournalRecords]:
        """Return them as they stand in the file."""
        action, codec, step = self.action, self.codec, self.step
        return [
            JournalRecords(action, each.start, each.count, publish_of(each), codec, None, step)
            for each in self.extents
        ]


class MarkedStretches(NamedTuple):
    """Delivers or acks of several runs, not made yet; with step -1 the last message of each comes first."""

    action: Action
    ranges: Sequence[Range]
    codec: MessageCodec
    step: int

    def chunks(self) -> list[JournalRecords]:
        """Return them as they stand in the file."""
        action, codec, step = self.action, self.codec, self.step
        return [
            JournalRecords(action, each.start, each.count, None, codec, None, step) for each in self.ranges
        ]


class IndexJournal:
    """`journal.jif` behind a buffer without limit (S21).

    Args:
        queue: queue name, as transitions carry it.
        resource: what the broker calls the queue, for the stub file (S6).
        directory: the queue's directory, relative to the storage's root.
    """

    def __init__(
        self,
        *,
        queue: str,
        resource: bytes,
        directory: str,
        storage: Storage,
        codec: MessageCodec,
        emit: Callable[[Transition], None],
    ) -> None:
        self.path = f"{directory}/{JOURNAL_NAME}"
        self._queue = queue
        self._resource = resource
        self._directory = directory
        self._storage = storage
        self._codec = codec
        self._emit = emit
        self.handle: BufferedHandle | None = None
        self.file_bytes: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether the handle exists (S70)."""
        return self.handle is not None

    @property
    def buffered_bytes(self) -> int:
        """Bytes that never left the process."""
        return self.handle.pending_bytes if self.handle is not None else 0

    def exists(self) -> bool:
        """Return whether the file is there, and note its size."""
        self.file_bytes = self._storage.size(self.path)
        return self.file_bytes is not None

    def open(self) -> BufferedHandle:
        """Return the handle; the first time, write the stub and make the file if it is absent (S6, S70)."""
        if self.handle is None:
            stub = f"{self._directory}/{STUB_NAME}"
            name = b"VHOST: %b\nQUEUE: %b\n" % (self._codec.vhost.encode(), self._resource)
            self._storage.create(stub)
            self._storage.append(stub, [RawBytes(name)])
            if not self.exists():
                self._storage.create(self.path)
                self.file_bytes = 0
                self._emit(JournalOpened("S70", self._queue))
            self.handle = BufferedHandle(self._storage, self.path, None)
        return self.handle

    def run(
        self, action: Action, start: int, count: int, publish: PublishRecord | None = None, step: int = 1
    ) -> JournalRecords:
        """Return the records of one action on consecutive seq_ids, the highest first with step -1 (S62)."""
        return JournalRecords(action, start, count, publish, self._codec, None, step)

    def published(self, action: Action, extents: Sequence[Extent], step: int = 1) -> PublishedStretches:
        """Return what `append_published` takes."""
        return PublishedStretches(action, extents, self._codec, step)

    def append_published(self, runs: PublishedStretches) -> int:
        """Put publish records into the buffer and return their bytes; they are made when they leave it (S74.3)."""
        size_bytes = published_bytes(self._codec, runs.action, runs.extents)
        (self.handle or self.open()).append_late(runs, size_bytes)
        return size_bytes

    def append_marks(self, action: Action, ranges: Sequence[Range], step: int) -> int:
        """Put delivers or acks into the buffer and return their bytes; they are made when they leave it (S75)."""
        size_bytes = MARK_BYTES * sum([each.count for each in ranges])
        (self.handle or self.open()).append_late(
            MarkedStretches(action, ranges, self._codec, step), size_bytes
        )
        return size_bytes

    def append(self, runs: Sequence[JournalRecords]) -> int:
        """Put records into the buffer and return their bytes (S74.3)."""
        handle = self.handle or self.open()
        before = handle.pending_bytes
        for run in runs:
            handle.append(run, None)
        return handle.pending_bytes - before  # it has no limit, so nothing has left it

    def read(self) -> Sequence[ByteChunk]:
        """Return the records of the file, up to the first that is not whole (S114)."""
        return self._storage.read(self.path, lambda data: decode_journal(data, self._codec))

    def sync(self, rule: str) -> None:
        """Hand the buffer to the file and fsync it, unless nothing is owed (S23)."""
        handle = self.handle
        if handle is None or not handle.needs_sync:
            return
        written = handle.pending_bytes
        handle.sync()
        self.file_bytes = (self.file_bytes or 0) + written
        self._emit(JournalSynced(rule, self._queue, written))

    def clear(self) -> None:
        """Empty file and buffer (S26)."""
        self.open().clear()
        self.file_bytes = 0

    def close(self, rule: str) -> None:
        """Sync and close (S24)."""
        self.sync(rule)
        if self.handle is not None:
            self.handle.close()
        self.handle = None

    def lose(self) -> None:
        """Forget handle and buffer while the file is there (V9)."""
        if self.handle is not None:
            self.handle.drop()
        self.handle = None

    def drop(self) -> None:
        """Forget everything, as when the process dies (S231)."""
        self.lose()
        self.file_bytes = None


def published_bytes(codec: MessageCodec, action: Action, extents: Sequence[Extent]) -> int:
    """Return the bytes of the publish records of runs, and of the delivers behind them where the action has them."""
    besides = PUBLISH_BYTES + (MARK_BYTES if action == "publish_deliver" else 0)
    total = 0
    for each in extents:
        count, sizes, raw = each.count, each.size_bytes, each.flags & RAW_PERSISTENT != 0
        total += besides * count
        if each.flags & HOME_STORE:
            continue
        if isinstance(sizes, int):
            total += count * codec.term_bytes(each.template, sizes, raw)
        else:
            bare = codec.term_bytes(each.template, 0, raw)
            total += bare * count + sizes.total(each.msg_no, count, FRAMED)
    return total
