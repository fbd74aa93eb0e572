"""Garbage collection on the server's side: what to collect, what waits, and the results (S148, S180-S190)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from engine.classic_v1.store.requests import CombinedFiles, DeletedFile, Result, StoreMailbox
from engine.classic_v1.store.state import StoreState, fits
from engine.classic_v1.transitions import CombineStarted, CombineStepped, FilesCombined, FileUnlinked
from engine.report.transitions.queue import FileDeleted, FileLocked, RowsForgotten, RowsMoved
from engine.values.errors import InvariantBroken
from engine.values.extents import StoreRow
from engine.values.stretches import Range, RangeSet


def delete(state: StoreState, file: int, done: Callable[[int], None]) -> Iterator[None]:
    """Delete a locked file without live records (S184). `file`: number of the file. `done`: called with it at
    the end.
    """
    if _vacuum(state, file, "S184"):
        raise InvariantBroken(f"file {file} is deleted but holds live records (S184)")
    done(file)
    yield from ()


def combine(
    state: StoreState, source: int, destination: int, done: Callable[[int, int, int], None]
) -> Iterator[None]:
    """Bring the live records of two locked neighbours together in the left one (S183). `source`: number of
    the right file, which is removed. `destination`: number of the left file. `done`: called with source,
    destination and the bytes of the result.
    """
    storage = state.storage
    into, out_of, tmp = state.path(destination), state.path(source), state.path(destination, "rdt")

    def stepped(step: str, size_bytes: int) -> None:
        state.emit(CombineStepped("S183", state.name, source, destination, step, size_bytes))

    kept = state.files[destination].valid
    total = kept + state.files[source].valid
    live = _live(state, destination)
    stepped("destination_scanned", state.files[destination].file_size)
    yield
    top, moving = _contiguous(live)
    if moving:
        storage.create(tmp)
        for low, size in _blocks(moving):
            storage.copy(into, low, size, tmp)
        storage.fsync(tmp)
        _move(state, moving, destination, top)
        stepped("tmp_written", kept - top)
        yield
    storage.truncate(into, top)
    storage.truncate(into, total)
    stepped("truncated", total)
    yield
    if moving:
        storage.overwrite(into, top, tmp, kept - top)
        storage.fsync(into)
        stepped("copied_back", kept - top)
        yield
        storage.delete(tmp)
        stepped("tmp_deleted", kept - top)
        yield
    live = _live(state, source)
    stepped("source_scanned", state.files[source].file_size)
    yield
    # Appending behind the cut gives the same bytes as overwriting the zeros.
    storage.truncate(into, kept)
    for low, size in _blocks(live):
        storage.copy(out_of, low, size, into)
    _move(state, live, destination, kept)
    stepped("source_copied", total - kept)
    yield
    storage.fsync(into)
    stepped("synced", total)
    yield
    done(source, destination, total)


def _live(state: StoreState, file: int) -> list[StoreRow]:
    """Return the rows of live records in file order, after forgetting those without references."""
    live = _vacuum(state, file, "S183")
    size = sum(row.size_bytes for row in live)
    if size != state.files[file].valid:
        raise InvariantBroken(
            f"file {file} holds {size} live bytes; its summary says {state.files[file].valid} (S183)"
        )
    return live


def _vacuum(state: StoreState, file: int, rule: str) -> list[StoreRow]:
    """Forget the entries of a file that have no reference; return the others in the order of their records."""
    rows = state.index.in_file(file)
    garbage = RangeSet(Range(row.start, row.count) for row in rows if not row.refs)
    if garbage:
        for each in garbage:
            state.index.rows.remove(each.start, each.count)
        state.emit(RowsForgotten(rule, state.name, tuple(garbage)))
    return [row for row in rows if row.refs]


def _contiguous(live: list[StoreRow]) -> tuple[int, list[StoreRow]]:
    """Return the bytes at the file's beginning that are live without a gap, and the rows behind the first gap."""
    top = 0
    for at, row in enumerate(live):
        if row.low != top:
            return top, live[at:]
        top += row.size_bytes
    return top, []


def _blocks(live: Iterable[StoreRow]) -> Iterator[tuple[int, int]]:
    """Yield (offset, bytes) of the stretches without a gap."""
    low = size = 0
    for row in live:
        if size and row.low != low + size:
            yield low, size
            size = 0
        if not size:
            low = row.low
        size += row.size_bytes
    if size:
        yield low, size


def _move(state: StoreState, live: list[StoreRow], file: int, low: int) -> None:
    """Give records their new place, packed from `low`; their reference counts may have changed meanwhile (S183)."""
    moved: list[tuple[int, int, int, int]] = []
    for row in live:
        for each in state.index.rows.overlapping(row.start, row.count):
            skip = each.start - row.start
            new = row.at(file, low).part(skip, each.count).with_refs(each.refs)
            state.index.replace(new)
            moved.append((new.start, new.count, new.file, new.offset))
        low += row.size_bytes
    state.emit(RowsMoved("S183", state.name, tuple(moved)))


GARBAGE_FRACTION = 0.5
MOST_FILES_PENDING = 4


class GarbageCollector:
    """Decides what is collected and works through it one step at a time. `state`: the store's tables.
    `mailbox`: where results go.
    """

    def __init__(self, state: StoreState, mailbox: StoreMailbox) -> None:
        self._state = state
        self._mailbox = mailbox
        self.reset()

    def reset(self) -> None:
        """Forget everything; the process ended."""
        self._waiting: dict[int, list[Callable[[], None]]] = {}
        self.waiting: deque[Callable[[], Iterator[None]]] = deque()
        self.work: Iterator[None] | None = None
        self._not_unlinked: list[int] = []

    # --- deciding ----------------------------------------------------------------------------------------------------
    @property
    def busy(self) -> bool:
        return self.work is not None or bool(self.waiting)

    @property
    def requests(self) -> int:
        """Number of files or pairs that wait to be worked on, the one that is included."""
        return len(self.waiting) + (self.work is not None)

    def pending(self, file: int) -> bool:
        """Return whether operations on a file wait for the collector (S190)."""
        return file in self._waiting

    def defer(self, file: int, replay: Callable[[], None]) -> None:
        """Let an operation wait until the collector is done with a file (S190)."""
        self._waiting[file].append(replay)

    def delete_if_empty(self, file: int) -> None:
        """Ask for the deletion of a file without live records, unless it is the current one (S148)."""
        state = self._state
        row = state.files[file]
        if file == state.files.current or row.valid:
            return
        row.locked = True
        self._waiting[file] = []
        self.waiting.append(partial(delete, state, file, self._deleted))
        state.emit(FileLocked("S148", state.name, file, True))

    def maybe_compact(self) -> None:
        """Request one combination if there is enough garbage and a pair that fits one file (S180)."""
        state, files = self._state, self._state.files
        limit = state.settings.msg_store_file_size_limit
        if not self._may_start(files.sum_valid):
            return
        pair = files.find_pair(limit)
        if pair is None:
            return
        source, destination = pair
        fraction = (files.sum_size - files.sum_valid) / files.sum_size
        state.emit(
            CombineStarted(
                "S180",
                state.name,
                source,
                destination,
                {"total": files.sum_size, "valid": files.sum_valid, "limit": limit, "fraction": fraction},
            )
        )
        for file in (destination, source):
            self._waiting[file] = []
            files[file].locked = True
            state.emit(FileLocked("S182", state.name, file, True))
        self.waiting.append(partial(combine, state, source, destination, self._combined))

    def _may_start(self, sum_valid: int) -> bool:
        """Return whether all conditions for a combination but the pair hold (S180.1-3)."""
        files = self._state.files
        return (
            files.sum_size > 2 * self._state.settings.msg_store_file_size_limit
            and (files.sum_size - sum_valid) / files.sum_size > GARBAGE_FRACTION
            and len(self._waiting) < MOST_FILES_PENDING
        )

    @property
    def room(self) -> int:
        """Bytes that may become garbage before all conditions for a combination but the pair hold."""
        files = self._state.files
        if (
            len(self._waiting) >= MOST_FILES_PENDING
            or files.sum_size <= 2 * self._state.settings.msg_store_file_size_limit
        ):
            return files.sum_size
        return (files.sum_size - 2 * (files.sum_size - files.sum_valid)) // 2

    def until_start(self, row: StoreRow | None, step: int, most: int) -> int:
        """Return after how many of `most` single removes a combination would start; `most` if after none.
        `row`: the records that become garbage one by one, None when nothing does. `step`: 1 when the lowest
        message number goes first, -1 when the highest does. `most`: number of removes.
        """
        files = self._state.files
        if most <= 1 or len(self._waiting) >= MOST_FILES_PENDING:
            return most
        first, freed = 1, 0
        if row is not None:
            # The first n with (garbage + bytes of n) / size > 1/2, found in integers.
            short = files.sum_size - 2 * (files.sum_size - files.sum_valid)
            first = row.until(short // 2 + 1, step)
            freed = row.first_bytes(first, step)
        if first >= most or not self._may_start(files.sum_valid - freed):
            return most
        limit = self._state.settings.msg_store_file_size_limit
        if files.find_pair(limit, ignore=None if row is None else row.file) is not None:
            return first
        return most if row is None else self._until_fits(row, step, first, most)

    def _until_fits(self, records: StoreRow, step: int, first: int, most: int) -> int:
        """Return after how many removes, from `first` on, the file fits together with a neighbour."""
        files = self._state.files
        limit = self._state.settings.msg_store_file_size_limit
        file = records.file
        row = files[file]
        found = most
        for destination, source in ((row.left, file), (file, row.right)):
            if destination is None or source is None or source == files.current:
                continue
            other = files[destination if source == file else source]
            excess = row.valid + other.valid - limit
            count = max(first, records.until(excess, step))
            freed = records.first_bytes(count, step)
            if count < found and row.valid > freed:
                row.valid -= freed
                if fits(files[destination], files[source], limit):
                    found = count
                row.valid += freed
        return found

    # --- working -----------------------------------------------------------------------------------------------------
    def step(self) -> bool:
        """Do the next step of the collector's work (S183, S184); return False when there is none."""
        if self.work is None:
            if not self.waiting:
                return False
            self.work = self.waiting.popleft()()
        try:
            next(self.work)
        except StopIteration:
            self.work = None
        return True

    def _deleted(self, file: int) -> None:
        self._mailbox.results.append(DeletedFile(file, self._state.files[file].file_size))
        self._try_unlink(file)

    def _combined(self, source: int, destination: int, size_bytes: int) -> None:
        files = self._state.files
        reclaimed = files[source].file_size + files[destination].file_size - size_bytes
        self._mailbox.results.append(CombinedFiles(source, destination, size_bytes, reclaimed))
        self._try_unlink(source)

    def _try_unlink(self, file: int) -> None:
        """Remove a file from disk, and older ones, unless a client has it open (S186)."""
        state = self._state
        left: list[int] = []
        for number in [file, *self._not_unlinked]:
            if state.open_handles.is_open(number):
                left.append(number)
                continue
            size = state.storage.size(state.path(number)) or 0
            state.storage.delete(state.path(number))
            state.orphans.pop(number, None)
            state.emit(FileUnlinked("S186", state.name, number, size))
        self._not_unlinked = left

    # --- results -----------------------------------------------------------------------------------------------------
    def handle(self, result: Result) -> None:
        """Handle what the collector reported (S185)."""
        state, files = self._state, self._state.files
        if isinstance(result, DeletedFile):
            left_on_disk = self._file_gone(result.file)
            files.sum_size -= result.reclaimed_bytes
            state.emit(FileDeleted("S185", state.name, result.file, result.reclaimed_bytes, left_on_disk))
            self._replay(result.file)
        else:
            source, destination = result.source, result.destination
            left_on_disk = self._file_gone(source)
            state.open_handles.mark(destination)
            files.combined(destination, result.size_bytes)
            files[destination].locked = False
            files.sum_size -= result.reclaimed_bytes
            state.emit(
                FilesCombined(
                    "S185",
                    state.name,
                    source,
                    destination,
                    result.size_bytes,
                    result.reclaimed_bytes,
                    left_on_disk,
                )
            )
            state.emit(FileLocked("S185", state.name, destination, False))
            self._replay(source)
            self._replay(destination)
        self.maybe_compact()

    def _file_gone(self, file: int) -> int:
        """Take a file out of the tables; return the bytes that stay on disk because a client has it open."""
        state = self._state
        for ref in state.open_handles.mark(file):
            on_close = state.peers[ref].on_close if ref in state.peers else None
            if on_close is not None:
                on_close()
        state.files.unlink(file)
        state.index.file_gone(file)
        size = state.storage.size(state.path(file)) or 0
        if size:
            state.orphans[file] = size
        return size

    def _replay(self, file: int) -> None:
        for operation in self._waiting.pop(file):
            operation()
