"""A queue of 3.10: its lanes are those of version 1, its files those of either version (W2, W18, W100)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from engine.backing_queue.arrivals import Arrival
from engine.backing_queue.message_places import VARIABLE_QUEUE, VARIABLE_QUEUE_V2
from engine.backing_queue.terms import CleanTerms
from engine.classic_v1.index import QueueIndex
from engine.classic_v1.index.port import IndexPort
from engine.classic_v1.index.recovery import RecoveredIndex
from engine.classic_v1.queue import QueueMeans, VariableQueue, lifecycle
from engine.classic_v2.index import V2Index
from engine.report.transitions.base import Transition
from engine.report.transitions.queue import QueueChanged
from engine.values.inherit import override
from engine.values.ranges import Range, RangeSet
from engine.version_choice import conversion
from engine.version_choice.bodies import DelayedBodies
from engine.version_choice.index import FilesIndex
from engine.version_choice.settings import BothSettings

NAMES = {1: VARIABLE_QUEUE, 2: VARIABLE_QUEUE_V2}


class MutableState:
    """Passes transitions on, except those of a conversion, whose end is reported as a whole."""

    def __init__(self, emit: Callable[[Transition], None]) -> None:
        self._emit = emit
        self.muted = False

    def __call__(self, t: Transition) -> None:
        """Pass one on."""
        if not self.muted:
            self._emit(t)


class VersionedQueue(VariableQueue):
    """One classic queue with files of version 1 or 2.

    Args:
        means: what it is made of; its settings are those of both versions.
        version: of its files, from its start on.
    """

    queue_version: int
    """The version of its files now."""

    def __init__(self, means: QueueMeans, version: int) -> None:
        self._means = means
        self._have(version)
        self._of_files = MutableState(means.emit)
        super().__init__(means)

    def _have(self, version: int) -> None:
        """Have files of a version from now on."""
        self.queue_version = version
        self.kind = NAMES[version]

    @override
    def alike(self, arrival: Arrival) -> int:
        if self.queue_version == 1:
            return super().alike(arrival)
        return arrival.count if isinstance(arrival.size_bytes, int) else 1

    @override
    def _index(self, means: QueueMeans) -> IndexPort:
        return self._index_2() if self.queue_version == 2 else self._index_1()

    def _index_1(self) -> QueueIndex:
        means = self._means
        return QueueIndex(
            queue=means.name,
            directory=means.directory,
            storage=means.storage,
            codec=means.codec,
            settings=means.settings,
            emit=self._of_files,
            on_index_written=partial(self._post, "index"),
            on_both_written=partial(self._post, "both"),
            resource=means.resource,
        )

    def _index_2(self) -> FilesIndex:
        means = self._means
        assert isinstance(means.settings, BothSettings)
        settings = means.settings.of_files()
        store = DelayedBodies(
            means.directory, means.storage, means.codec, settings, means.name, self._of_files
        ).begin(partial(self._post, "store"))
        called = means.name.encode() if means.resource is None else means.resource
        stub = b"VHOST: %s\nQUEUE: %s\nINDEX: v2\n" % (means.codec.vhost.encode(), called)
        files = V2Index(means.directory, means.storage, means.codec, settings, store, stub)
        return FilesIndex(files, store, partial(self._post, "index"))

    @override
    def store_references(self) -> list[Range]:
        """Return the messages in the persistent store that files of either version need (W99)."""
        found = self.state.index.store_references()
        if conversion.files_of_the_other(self._means.storage, self._means.directory, self.queue_version):
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
        self,
        terms: CleanTerms | None,
        store_clean: bool,
        contains: Callable[[Range], RangeSet],
        in_order: bool = False,
    ) -> None:
        clean = terms is not None and store_clean
        other = conversion.seen_at_start(
            self._means.storage, self._means.directory, self.queue_version, clean
        )
        self._say_version(was_other=other)
        if not other:
            super().recover(terms, store_clean, contains, in_order)
            return
        found = self._recover_other(terms, store_clean, contains)
        lifecycle.start_again(self.state, terms, found.count, found.size_bytes)
        self._done()

    def _recover_other(
        self, terms: CleanTerms | None, store_clean: bool, contains: Callable[[Range], RangeSet]
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
            conversion.entries_to_version_2(old, q.index)
        else:
            assert isinstance(q.index, QueueIndex)
            conversion.entries_to_version_1(old, q.index, contains)
        self._report_files(clean)
        count = sum(count for _segment, count in conversion.live_of(q.index))
        return RecoveredIndex(None, None) if clean else RecoveredIndex(count, size_bytes)

    def _report_files(self, clean: bool) -> None:
        """Report the files as a conversion left them."""
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
            conversion.entries_to_version_2(old, new)
            q.index = new
            q.emit(QueueChanged("W100", self.name, {"backing_queue": VARIABLE_QUEUE_V2}))
            conversion.lanes_to_version_2(q)
        else:
            assert isinstance(old, FilesIndex)
            assert isinstance(new, QueueIndex)
            new.start_new()
            conversion.read_for_version_1(q, old)
            conversion.entries_to_version_1(old, new, None)
            q.index = new
            q.emit(QueueChanged("W100", self.name, {"backing_queue": None}))
            conversion.lanes_to_version_1(q)
        q.reduced = None
        self._report_files(clean=True)
        self._done()
