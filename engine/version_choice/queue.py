"""A queue of 3.10: its lanes are those of version 1, its files those of either version (W2, W18, W100)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

from engine.backing_queue.message_places import VARIABLE_QUEUE, VARIABLE_QUEUE_V2
from engine.backing_queue.protocol import CleanTerms, Contains
from engine.classic_v1.index.index import QueueIndex
from engine.classic_v1.index.port import IndexPort
from engine.classic_v1.index.recovery import RecoveredIndex
from engine.classic_v1.queue.queue import VariableQueue, start_again
from engine.classic_v1.queue.state import LANES, PENDING, QueueState, V1Means
from engine.classic_v1.settings import QueueSettings
from engine.classic_v2.index.index import V2Index
from engine.classic_v2.settings import V2Settings
from engine.formats.names import queue_name_text
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import QueueChanged
from engine.storage.port import Storage
from engine.values.extents import IN_RAM, IN_STORE, WANTS_CONFIRM, Extent
from engine.values.marks import override
from engine.values.settings import GIBIBYTE
from engine.values.stretches import Range, RangeSet
from engine.version_choice.index import DelayedBodies, FilesIndex
from engine.version_choice.transitions import FilesConverted


class BothSettings(QueueSettings, frozen=True, kw_only=True):
    """What version 1 reads, and what files of version 2 need besides (W1); names without `classic_queue_`.
    `index_v2_segment_entry_count`: slots of one `.qi` file; 0 for twice what version 1 has, as by default
    (4096). `store_max_cache_size`: bytes of bodies that stay in the cache of `.qs` (W121). `check_crc32`:
    entries of `.qs` get a checksum, and it is looked at.
    """

    bounds = {
        **QueueSettings.bounds,
        "index_v2_segment_entry_count": (0, 32768),
        "store_max_cache_size": (1, GIBIBYTE),
    }

    index_v2_segment_entry_count: int = 0
    store_max_cache_size: int = 512_000
    check_crc32: bool = True

    def shown(self) -> dict[str, Any]:
        """Return the values under their names; of those for version 2 the ones that were chosen."""
        values = super().shown()
        own = {name: values.pop(name) for name in _USUAL}
        return values | {name: value for name, value in own.items() if value != _USUAL[name]}

    def of_files(self) -> V2Settings:
        return V2Settings(
            segment_entry_count=self.index_v2_segment_entry_count or 2 * self.segment_entry_count,
            store_max_cache_size=self.store_max_cache_size,
            check_crc32=self.check_crc32,
            queue_index_embed_msgs_below=self.queue_index_embed_msgs_below,
            starts_empty_at_next=False,
        )


_USUAL: Final = {"index_v2_segment_entry_count": 0, "store_max_cache_size": 512_000}


OF_VERSION = {1: (".idx", ".jif"), 2: (".qi", ".qs")}


def files_of_the_other(storage: Storage, directory: str, version: int) -> bool:
    return any(name.endswith(OF_VERSION[3 - version]) for name in storage.list(directory))


def seen_at_start(storage: Storage, directory: str, version: int, clean: bool) -> bool:
    """Return whether a start sees files of the other version; after a crash a journal alone is none (W100)."""
    if clean or version == 1:
        return files_of_the_other(storage, directory, version)
    return any(name.endswith(".idx") for name in storage.list(directory))


def live_of(index: QueueIndex | FilesIndex | object) -> Iterable[tuple[int, int]]:
    if isinstance(index, FilesIndex):
        return sorted(index.files.segments.items())
    assert isinstance(index, QueueIndex)
    return sorted(index.segments.unacked.items())


# --- index entries and bodies in files -------------------------------------------------------------------------------
def entries_to_version_2(old: QueueIndex, new: FilesIndex) -> None:
    """Move every entry; small bodies go to `.qs`, large ones stay in the shared store. Each `.idx` file is
    deleted once its messages are written, the journal last.
    """
    for entries in by_segment(old):
        for entry in entries:
            extent = entry.with_flags(clear=WANTS_CONFIRM | IN_RAM)
            for part in without(extent, new.files.entries.overlapping(extent.start, extent.count)):
                if not part.home_store:
                    new.store.write([part])
                    part = part.with_flags(IN_STORE)  # noqa: PLW2901 - it is the same message
                new.publish([part], None)
        new.flush()
    old.forget_journal()


def by_segment(old: QueueIndex | FilesIndex) -> Iterator[list[Extent]]:
    """Yield the live entries of each segment, whose files are deleted after that."""
    low, high = old.bounds()
    while low < high:
        up = min(old.next_segment_boundary(low), high)
        yield old.read(low, up)
        old.forget_segment(low)
        low = up


def without(extent: Extent, known: Iterable[Extent]) -> list[Extent]:
    """Return the messages that an earlier conversion has not moved yet."""
    left = RangeSet([Range(extent.start, extent.count)]).subtract(known)
    return [extent.part(each.start - extent.start, each.count) for each in left]


def entries_to_version_1(old: FilesIndex, new: QueueIndex, contains: Contains | None) -> None:
    """Move every entry; bodies in `.qs` go into the index, and all are marked as delivered. Each `.qi` file
    is deleted with its `.qs` file once its messages are written. `old`, `new`: the indexes. `contains`: of
    the persistent store, where a start resumes a conversion that was interrupted; None otherwise.
    """
    if contains is not None:
        new.recover(None, False, contains, refuse=False)
    known = bool(new.segments.unacked)
    for entries in by_segment(old):
        for extent in entries:
            if not extent.home_store and extent.in_store:
                old.store.read(extent.start, extent.count)
            for part in without(extent, new.read(extent.start, extent.end) if known else ()):
                new.publish([part.with_flags(clear=WANTS_CONFIRM)], None)
        new.flush()


# --- entries in RAM --------------------------------------------------------------------------------------------------
def lanes_to_version_2(q: QueueState) -> None:
    """Let small unacked messages be where version 2 expects them: they may be paged out from now on."""
    moved = tuple(q.index_pending)
    if moved:
        q.index_pending.clear()
        for extent in moved:
            q.ram_pending.insert(extent)
        q.emit(FilesConverted("W100", q.name, "index_pending", "ram_pending", moved))


def read_for_version_1(q: QueueState, old: FilesIndex) -> None:
    """Read every body in `.qs` that is not in RAM: version 1 keeps small bodies there."""
    for place in (*LANES, *PENDING):
        for extent in q.extents_of(place):
            if extent.in_store and not extent.home_store:
                old.store.read(extent.start, extent.count)


def lanes_to_version_1(q: QueueState) -> None:
    """Let messages whose body is in `.qs` have it in RAM alone; small unacked ones have a map of their own."""
    for lane in LANES:
        _change(q, lane, lane, ready=True)
    _change(q, "disk_pending", "disk_pending", ready=False)
    _change(q, "ram_pending", "index_pending", ready=False)


def _change(q: QueueState, source: str, to: str, ready: bool) -> None:
    before = [extent for extent in q.extents_of(source) if not extent.home_store]
    after: list[Extent] = []
    for extent in before:
        q.extents_of(source).remove(extent.start, extent.count)
        if extent.in_store and not extent.in_ram:
            q.ram_bytes += extent.total_bytes
            q.ram_msg_count += extent.count if ready else 0
        after.append(
            extent.with_flags(IN_RAM if extent.in_store else 0, IN_STORE) if extent.in_store else extent
        )
    changed = [each for each, old in zip(after, before, strict=True) if each != old or source != to]
    for extent in after:
        q.extents_of(to).insert(extent)
    if changed:
        q.emit(FilesConverted("W100", q.name, source, to, tuple(changed)))


NAMES = {1: VARIABLE_QUEUE, 2: VARIABLE_QUEUE_V2}


class MutableState:
    """Passes transitions on, except those of a conversion, whose end is reported as a whole."""

    def __init__(self, emit: Callable[[Transition], None]) -> None:
        self._emit = emit
        self.muted = False

    def __call__(self, t: Transition) -> None:
        """Pass a transition on."""
        if not self.muted:
            self._emit(t)


class VersionedQueue(VariableQueue):
    """One classic queue with files of version 1 or 2. `means`: what it is made of; its settings are those of
    both versions. `version`: of its files, from its start on.
    """

    queue_version: int
    """The version of its files now."""

    def __init__(self, means: V1Means, version: int) -> None:
        self._means = means
        self._have(version)
        self._of_files = MutableState(means.emit)
        super().__init__(means)

    def _have(self, version: int) -> None:
        self.queue_version = version
        self.kind = NAMES[version]

    @override
    def _index(self, means: V1Means) -> IndexPort:
        return self._index_2() if self.queue_version == 2 else self._index_1()

    def _index_1(self) -> QueueIndex:
        return self._own_index(self._means, self._of_files)

    def _index_2(self) -> FilesIndex:
        means = self._means
        assert isinstance(means.settings, BothSettings)
        settings = means.settings.of_files()
        store = DelayedBodies(
            means.directory, means.storage, means.codec, settings, means.name, self._of_files
        ).begin(partial(self._post, "store"))
        stub = queue_name_text(means.codec.vhost, means.resource or means.name.encode(), version=2)
        files = V2Index(means.directory, means.storage, means.codec, settings, store, stub)
        return FilesIndex(files, store, partial(self._post, "index"))

    @override
    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that files of either version need (W99)."""
        found = self.state.index.store_references()
        if files_of_the_other(self._means.storage, self._means.directory, self.queue_version):
            found += (self._index_1() if self.queue_version == 2 else self._index_2()).store_references()
        return found

    # --- beginning and end -------------------------------------------------------------------------------------------
    def _say_version(self, was_other: bool = False) -> None:
        """Report which files it has; nothing is said of version 1, which queues have unless asked."""
        if self.queue_version == 1 and was_other:
            self.state.emit(QueueChanged("W2", self.name, {"backing_queue": None}))
        elif self.queue_version == 2:
            self.state.emit(QueueChanged("W2", self.name, {"backing_queue": VARIABLE_QUEUE_V2}))

    @override
    def start_new(self) -> None:
        self._say_version()
        super().start_new()

    @override
    def recover(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains, in_order: bool = False
    ) -> None:
        clean = terms is not None and store_clean
        other = seen_at_start(self._means.storage, self._means.directory, self.queue_version, clean)
        self._say_version(was_other=other)
        if not other:
            super().recover(terms, store_clean, contains, in_order)
            return
        found = self._recover_other(terms, store_clean, contains)
        start_again(self.state, terms, found.count, found.size_bytes)
        self._done(None)

    def _recover_other(
        self, terms: CleanTerms | None, store_clean: bool, contains: Contains
    ) -> RecoveredIndex:
        """Begin on files of the other version, which are converted on the way (W100, W209)."""
        q = self.state
        clean = terms is not None and store_clean
        old = self._index_1() if self.queue_version == 2 else self._index_2()
        segments = None if terms is None else terms.segments
        self._of_files.muted = True
        size_bytes = old.recover(segments, store_clean, contains, self.durable).size_bytes
        if isinstance(old, QueueIndex):
            assert isinstance(q.index, FilesIndex)
            q.index.files.recover(contains)  # what an earlier conversion left, if it was interrupted
            entries_to_version_2(old, q.index)
        else:
            assert isinstance(q.index, QueueIndex)
            entries_to_version_1(old, q.index, contains)
        self._report_files(clean)
        count = sum(count for _segment, count in live_of(q.index))
        return RecoveredIndex(None, None) if clean else RecoveredIndex(count, size_bytes)

    def _report_files(self, clean: bool) -> None:
        self._of_files.muted = False
        index = self.state.index
        if isinstance(index, FilesIndex):
            index.files.report_files("W100", clean)
        elif isinstance(index, QueueIndex):
            index.report_recovered("W100", clean)

    # --- another version while it runs -------------------------------------------------------------------------------
    @override
    def set_queue_version(self, version: int) -> None:
        q = self.state
        if version == self.queue_version:
            return
        self._have(version)
        self._of_files.muted = True
        old = q.index
        new: FilesIndex | QueueIndex = self._index_2() if version == 2 else self._index_1()
        if isinstance(old, QueueIndex):
            assert isinstance(new, FilesIndex)
            new.files.begin()
            entries_to_version_2(old, new)
            q.index = new
            q.emit(QueueChanged("W100", self.name, {"backing_queue": VARIABLE_QUEUE_V2}))
            lanes_to_version_2(q)
        else:
            assert isinstance(old, FilesIndex)
            assert isinstance(new, QueueIndex)
            new.start_new()
            read_for_version_1(q, old)
            entries_to_version_1(old, new, None)
            q.index = new
            q.emit(QueueChanged("W100", self.name, {"backing_queue": None}))
            lanes_to_version_1(q)
        q.reduced = None
        self._report_files(clean=True)
        self._done(None)
