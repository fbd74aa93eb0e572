"""The tables of a message store, and its record of each client (S130-S136)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import msgspec

from engine.backing_queue.stores import ClientAccount, How, OnDisk, StorePeer
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.transitions import StoreSynced
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import BufferWritten, CacheChanged, RefCountChanged
from engine.storage.handle import BufferedHandle
from engine.storage.port import Storage
from engine.values.errors import InvariantBroken
from engine.values.extents import StoreRow
from engine.values.marks import override
from engine.values.sizes import Length
from engine.values.stretches import MessageTallies, Range, RangeSet, Stretches


def removed_once(value: int) -> int:
    """Return a number of writes under way after one more remove (S146)."""
    if value < 0:
        raise InvariantBroken(
            "a message is removed twice by one client before the store handled either (S146)"
        )
    return value - 1


class V1Peer(StorePeer):
    """A client with what of it is under way. `on_close`: asked to close the handles that are marked; None
    leaves them open until the next read.
    """

    def __init__(
        self,
        ref: str,
        on_disk: OnDisk | None,
        on_credit: Callable[[int], None],
        on_close: Callable[[], None] | None,
        account: ClientAccount,
    ) -> None:
        super().__init__(ref, on_disk, on_credit, account)
        self.on_close = on_close
        self.flying = MessageTallies()
        """Writes that are sent and not handled yet, without removes (S140, S146)."""

    def confirm_range(self, start: int, count: int, how: How) -> None:
        """Notify the client of one stretch of messages."""
        if self.on_disk is not None:
            self.on_disk(RangeSet([Range(start, count)]), how)

    @override
    def kill(self) -> None:
        super().kill()
        self.on_close = None


class OpenHandles:
    """The table of read handles that clients hold; a file with a row here cannot be removed from disk."""

    def __init__(self) -> None:
        self._files: dict[int, dict[str, bool]] = {}

    def opened(self, ref: str, file: int) -> None:
        """Note that a client reads a file; a row that is here stays as it is."""
        self._files.setdefault(file, {}).setdefault(ref, False)

    def mark(self, file: int) -> list[str]:
        """Mark every open handle of a file to be closed; return the clients that were not marked before."""
        row = self._files.get(file, {})
        found = [ref for ref, marked in row.items() if not marked]
        for ref in found:
            row[ref] = True
        return found

    def close_marked(self, ref: str) -> None:
        for file in [file for file, row in self._files.items() if row.get(ref)]:
            self._close(ref, file)

    def close_all(self, ref: str) -> None:
        for file in [file for file, row in self._files.items() if ref in row]:
            self._close(ref, file)

    def _close(self, ref: str, file: int) -> None:
        row = self._files[file]
        del row[ref]
        if not row:
            del self._files[file]

    def is_open(self, file: int) -> bool:
        return file in self._files


@dataclass(slots=True)
class FileRow:
    """One store file.

    Args:
        number: its number; files are ordered by it.
        file_size: bytes of all records appended, those still buffered too.
        valid: bytes of the records with references.
        left, right: numbers of the neighbours, None at the ends.
        locked: garbage collection works on it.
    """

    number: int
    file_size: int = 0
    valid: int = 0
    left: int | None = None
    right: int | None = None
    locked: bool = False


class FileSummary:
    """All files of a store, in number order, with the sums over them."""

    def __init__(self) -> None:
        self._files: dict[int, FileRow] = {}
        self.current = 0
        self.sum_valid = 0
        self.sum_size = 0

    def __iter__(self) -> Iterator[FileRow]:
        return iter(self._files.values())

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: int) -> FileRow:
        return self._files[number]

    def open(self, number: int, file_size: int = 0, valid: int = 0) -> FileRow:
        """Add a file behind all others and make it the current one. `file_size`: bytes of its records.
        `valid`: bytes of its records with references.
        """
        row = FileRow(number, file_size, valid)
        if self._files:
            row.left = self.current
            self._files[self.current].right = number
        self._files[number] = row
        self.current = number
        self.sum_size += file_size
        self.sum_valid += valid
        return row

    def appended(self, size_bytes: int) -> None:
        """Count records with a reference appended to the current file (S143)."""
        row = self._files[self.current]
        row.file_size += size_bytes
        row.valid += size_bytes
        self.sum_size += size_bytes
        self.sum_valid += size_bytes

    def revalue(self, number: int, delta_bytes: int) -> None:
        """Change how many bytes of a file have references (S142, S147)."""
        self._files[number].valid += delta_bytes
        self.sum_valid += delta_bytes

    def combined(self, number: int, size_bytes: int) -> None:
        """Note that a file now holds nothing but `size_bytes` of live records; the sums are the caller's (S183)."""
        row = self._files[number]
        row.file_size = size_bytes
        row.valid = size_bytes

    def unlink(self, number: int) -> FileRow:
        """Take a file out of the list (S185); the sums are the caller's."""
        row = self._files.pop(number)
        if row.left is not None:
            self._files[row.left].right = row.right
        if row.right is not None:
            self._files[row.right].left = row.left
        return row

    def find_pair(self, limit_bytes: int, ignore: int | None = None) -> tuple[int, int] | None:
        """Return (source, destination) of the first two neighbours that fit one file (S181). `limit_bytes`:
        the most that both may hold together. `ignore`: number of a file that must not take part.
        """
        left: FileRow | None = None
        for row in self._files.values():
            if row.right is None:
                break
            if left is not None and ignore not in (row.number, left.number) and fits(left, row, limit_bytes):
                return row.number, left.number
            left = row
        return None


def fits(destination: FileRow, source: FileRow, limit_bytes: int) -> bool:
    """Return whether two neighbours may be combined; that the source is not the current file is the caller's (S181)."""
    return (
        destination.valid + source.valid <= limit_bytes
        and destination.valid > 0
        and source.valid > 0
        and not destination.locked
        and not source.locked
    )


def row_at(
    msg_no: int, count: int, file: int, low: int, record_bytes: Length, step: int, refs: int = 1
) -> StoreRow:
    """Return entries of records whose first byte is at `low`. `msg_no`: lowest message number. `low`: offset
    in bytes of the first record in the file. `step`: 1 when the lowest number comes first in the file, -1
    when the highest does.
    """
    if step > 0 or count == 1:
        return StoreRow(msg_no, count, refs, file, low, record_bytes, step)
    return StoreRow(msg_no, count, refs, file, 0, record_bytes, step).at(file, low)


class StoreIndexTable:
    """All rows, by message number. For each file it also keeps which stretch of message numbers its rows can
    lie in, so that the rows of one file are found without walking over those of all files.
    """

    def __init__(self) -> None:
        self.rows: Stretches[StoreRow] = Stretches()
        self._reach: dict[int, tuple[int, int]] = {}

    def insert(self, row: StoreRow) -> None:
        self.rows.insert(row)
        self._reaches((row,))

    def insert_all(self, rows: Sequence[StoreRow]) -> None:
        """Add entries of one file that are not here yet, ascending."""
        self.rows.insert_all(rows)
        self._reaches(rows)

    def replace_all(self, news: Sequence[StoreRow]) -> None:
        """Put entries of one file, ascending, where those of the same messages are."""
        self.rows.replace_all(news)
        self._reaches(news)

    def _reaches(self, rows: Sequence[StoreRow]) -> None:
        first, last = rows[0], rows[-1]
        low, high = self._reach.get(first.file, (first.start, 0))
        self._reach[first.file] = (min(low, first.start), max(high, last.start + last.count))

    def replace(self, new: StoreRow) -> None:
        """Put `new` where entries of the same messages are."""
        self.rows.replace(new)
        self._reaches((new,))

    def in_file(self, file: int) -> list[StoreRow]:
        """Return the rows of one file in the order of their records."""
        low, high = self._reach.get(file, (0, 0))
        found = [row for row in self.rows.overlapping(low, high - low) if row.file == file]
        found.sort(key=attrgetter("low"))
        return found

    def file_gone(self, file: int) -> None:
        """Note that no row lies in `file` any more."""
        self._reach.pop(file, None)


class JudgedFile(msgspec.Struct, frozen=True, gc=False):
    """Messages that a write or remove treats alike (S142, S150). `start`: first message number. `row`: their
    index entries, None when unknown. `masked`: the client is dying and this is younger than its death, or
    unknown.
    """

    start: int
    count: int
    row: StoreRow | None
    masked: bool


class StoreState:
    """Tables of one store (S130-S135), its current file's handle, and the few verbs that several parts need.
    `name`: "persistent" or "transient". `directory`: its directory inside `storage`. `storage`: where its
    files are.
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
        self.peers: dict[str, V1Peer] = {}
        self.refs: set[str] = set()
        """Names in the client table: registered now, or known from before a clean stop (S200)."""
        self.reset()

    def reset(self) -> None:
        """Forget everything but who registered as a client."""
        self.index = StoreIndexTable()
        self.files = FileSummary()
        self.cache = MessageTallies(keep_zero=True)
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
    def judge(self, peer: V1Peer, start: int, count: int, step: int) -> list[JudgedFile]:
        """Cut [start, start+count) into pieces that one decision covers, in the order of `step` (S150)."""
        death = self.dying.get(peer.ref)
        found: list[JudgedFile] = []
        for at, many, row in self.index.rows.pieces(start, count):
            if death is None:
                found.append(JudgedFile(at, many, row, False))
            elif row is None:
                found.append(JudgedFile(at, many, None, True))
            else:
                found.extend(_judge_row(row, death))
        if step < 0:
            found.reverse()
        return found

    def set_refs(self, rule: str, row: StoreRow, refs: int) -> None:
        """Give entries another reference count; valid sizes follow when it leaves or reaches 0 (S131)."""
        self.index.replace(row.with_refs(refs))
        if not row.refs or not refs:
            self.files.revalue(row.file, row.size_bytes if refs else -row.size_bytes)
        self.emit(RefCountChanged(rule, self.name, row.start, row.count, refs))

    def await_sync(self, peer: V1Peer, start: int, count: int) -> None:
        """Remember messages that the client is notified of after the next sync (S135)."""
        if peer.on_disk is not None:
            self.pending_confirms.setdefault(peer.ref, RangeSet()).add(start, count)

    def await_all(self, peer: V1Peer, rows: Iterable[StoreRow]) -> None:
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

    def report_cache(self, rule: str) -> None:
        """Emit the number of cache entries if it changed since the last time."""
        entries = self.cache.runs.total
        if entries != self._cache_reported:
            self._cache_reported = entries
            self.emit(CacheChanged(rule, self.name, entries))


def _judge_row(row: StoreRow, death: tuple[int, int]) -> list[JudgedFile]:
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
