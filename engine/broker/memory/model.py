"""The memory of the node, modelled: exact counts times measured bytes for each structure, heaps, and garbage."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, Protocol

import msgspec

from engine.backing_queue.heap import BODY_PER_BYTE, MEASURED_3_10, HeapFigures
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.stores import StoreLoad
from engine.broker.time.scheduler import RandomDraws
from engine.values.extents import IN_RAM, IN_STORE, INDEXED, Extent
from engine.values.sizes import BodyCost, Sizes
from engine.values.stretches import RangeSet

FIBONACCI_SIZES: Final = 23
"""Heaps grow as Fibonacci numbers up to this many sizes, later by a fifth."""
LARGEST_WORDS: Final = 1 << 34


def _sizes() -> tuple[int, ...]:
    found = [12, 38]
    while len(found) < FIBONACCI_SIZES:
        found.append(found[-1] + found[-2] + 1)
    while found[-1] < LARGEST_WORDS:
        found.append(found[-1] + found[-1] // 5)
    return tuple(found)


HEAP_WORDS: Final = _sizes()
"""The sizes that the VM gives heaps, in words."""
WORD_BYTES: Final = 8
OLD_SIZES: Final = 2
"""The old heap is so many sizes above a young one that is full."""
YOUNG_SHARE: Final = 8
"""A young heap is at least this part of the old one."""
CHANCES: Final = 1000


def fitting(words: int) -> int:
    """Return the number of the smallest size in `HEAP_WORDS` that has room for so many words."""
    return bisect_left(HEAP_WORDS, words)


class ProcessHeap(msgspec.Struct):
    """The heap of one process: after a large collection one heap, after a small one an old and a young heap."""

    size: int = 0
    """Number in `HEAP_WORDS` of its heap after a large collection."""
    small: bool = False
    """Whether the last collection was a small one."""

    def collect(self, live_words: int, chance: int) -> None:
        """Size the heap for what lives in it, and let the last collection have been a large or a small one.
        The two follow each other, and each lasts until the words that it left free are full of garbage.
        `live_words`: of terms that are in use. `chance`: drawn, below CHANCES.
        """
        before = -1
        while before != self.size:
            before, self.size = self.size, fitting(live_words + self._young_words)
        free_words = HEAP_WORDS[self.size] - live_words
        self.small = chance * (free_words + self._young_words) < CHANCES * self._young_words

    @property
    def _young_words(self) -> int:
        """Words of the young heap beside the old one."""
        return HEAP_WORDS[fitting(HEAP_WORDS[self.size + OLD_SIZES] // YOUNG_SHARE)]

    @property
    def words(self) -> int:
        return HEAP_WORDS[self.size + OLD_SIZES] + self._young_words if self.small else HEAP_WORDS[self.size]


COMING_WORDS: Final = 1_000
LEAVING_WORDS: Final = 700
PAGED_WORDS: Final = 140
"""Words that the process of a queue makes for a message that comes, for one that is delivered, settled or returned, and
for one that it pages out: traced on 3.10.8 (docs/calibration.md)."""
TAKEN_WORDS: Final = 30
READ_WORDS: Final = 160
"""Of these, words that survive a collection: for a message that is delivered, and for one that is read back first."""
LEAST_BODIES: Final = 46_422
"""Words of bodies that an old heap may refer to at least."""
GROWTH_PCT: Final = 1_618
"""By what this limit grows, in thousandths."""


def most_bodies(words: int, limit: int) -> int:
    """Return the words of bodies that the next old heap may refer to. `words`: of bodies that the young heap
    refers to as a large collection begins. `limit`: as it was.
    """
    if 4 * words < limit:
        return max(LEAST_BODIES, limit // 2)
    while 4 * words > 3 * limit:
        limit = limit * GROWTH_PCT // CHANCES
    return limit


class FollowedHeap:
    """The heap of a process whose work takes time: each of its collections is followed. A small collection
    moves what survived the last one to the old heap, where it stays when it is garbage, and bodies with it,
    until a large one: when the old heap is full or refers to more bodies than it may. `draws`: whether
    messages that waited made a heap overflow, so that its old one is two sizes larger, not one.
    """

    __slots__ = (
        "young",
        "old",
        "_draws",
        "_old_words",
        "_old_bodies",
        "_bodies",
        "_kept",
        "_mature",
        "_limit",
        "_room",
        "_seen",
    )

    def __init__(self, draws: RandomDraws) -> None:
        self._draws = draws
        self.young = HEAP_WORDS[0]
        self.old = self._old_words = self._old_bodies = self._bodies = self._kept = self._room = 0
        """Words of its blocks, and in use of the old one; words of bodies that each refers to; words left."""
        self._limit = LEAST_BODIES
        self._mature = self._seen = (0, 0)
        """Words and words of bodies that the last collection left in the young heap, and that live now."""

    @property
    def words(self) -> int:
        return self.young + self.old

    @property
    def body_words(self) -> int:
        """Words of bodies that it refers to, garbage included."""
        return self._old_bodies + self._bodies

    def work(self, made: int, came: int, kept: int, live: int, bodies: int) -> None:
        """Handle a message: make words, and collect each time the young heap is full.

        What lived before is referred to until the message is handled, so nothing of it is freed by then.

        Args:
            made: words that the process made, what it keeps included.
            came: words of bodies that it got or read.
            kept: words made that survive a collection, and are garbage later.
            live, bodies: words, and words of bodies, that are in use after it.
        """
        held, left = (max(self._seen[0], live), max(self._seen[1], bodies)), made
        while left > self._room:
            left -= self._room
            self._bodies += came * self._room // made
            self._kept += kept * self._room // made
            self._collect(*held)
        self._room -= left
        self._bodies += came * left // made if made else came
        self._kept += kept * left // made if made else kept
        self._seen = (live, bodies)

    def _collect(self, live: int, bodies: int) -> None:
        words, kept = self._mature
        if self.old and (self._old_bodies >= self._limit or words > self.old - self._old_words):
            self.collect_all(live, bodies)
            return
        if not self.old:
            self.old = HEAP_WORDS[fitting(self.young) + 1 + self._draws.below(OLD_SIZES)]
        self._old_words += words
        self._old_bodies += min(kept, bodies)
        needed = max(0, live - self._old_words) + self._kept
        self._mature = needed, max(0, bodies - self._old_bodies)
        self._bodies, self._kept = self._mature[1], 0
        least = HEAP_WORDS[fitting(max(3 * needed, self.old // YOUNG_SHARE))]
        self.young = min(self.young, least) if 4 * needed < self.young else max(self.young, least)
        self._room = max(COMING_WORDS, self.young - needed)

    def collect_all(self, live: int, bodies: int) -> None:
        """Collect large: what lives is in one heap afterwards."""
        self._limit = most_bodies(self._bodies, self._limit)
        size = fitting(max(live, self.young + self._old_words))
        self.young = HEAP_WORDS[fitting(2 * live) if 4 * live < HEAP_WORDS[size] else size]
        self.old = self._old_words = self._old_bodies = 0
        self._mature = self._seen = live, bodies
        self._bodies, self._kept = bodies, 0
        self._room = max(COMING_WORDS, self.young - live)


class QueueHeaps(msgspec.Struct):
    """The heap of a queue's process while it is awake, and that of channels which hold its messages."""

    collections: int = -1
    """How often the process had collected garbage when the memory was last looked at."""
    chances: tuple[int, int] | None = None
    """Drawn for both heaps if it has collected since."""
    own: ProcessHeap = msgspec.field(default_factory=ProcessHeap)
    channels: ProcessHeap = msgspec.field(default_factory=ProcessHeap)
    followed: FollowedHeap | None = None
    """That of the process where its work takes time; elsewhere which collection came last is drawn."""

    def beyond_bytes(self, own_bytes: int, held_bytes: int) -> int:
        """Return what the heaps take beyond what lives in them. `own_bytes`: live bytes in the queue's
        process. `held_bytes`: live bytes in channels.
        """
        live = [each // WORD_BYTES for each in (own_bytes, held_bytes)]
        heaps = (self.own, self.channels)
        if self.chances is not None:
            for heap, words, chance in zip(heaps, live, self.chances, strict=True):
                heap.collect(words, chance)
        sizes = [(self.followed or self.own).words, self.channels.words]
        return WORD_BYTES * sum(max(0, size - words) for size, words in zip(sizes, live, strict=True))


SMALL_BODY_BYTES: Final = 64
"""A body of at most this size is in the process heap; a larger one is outside (one binary, counted once)."""

BODY_BINARY: Final = 57_800
"""A body outside the heap, in addition to its own bytes."""
SEGMENT_HEAP: Final = 1_889_440
SEGMENT_ENTRIES: Final = 2048
"""One segment of the index, measured with this many entries; smaller segments count in proportion."""
JOURNAL_HEAP_EMBEDDED: Final = 364_000
JOURNAL_HEAP_STORE: Final = 316_000
"""Publish and deliver records of one message until they are flushed to a segment."""
JOURNAL_BUFFER_HEAP: Final = 160_000
"""What these records take in addition until the journal's buffer is written."""
JOURNAL_BINARY_EMBEDDED: Final = 282_190
JOURNAL_BINARY_PER_BYTE: Final = 995
"""Encoded copy of an embedded message, held until the flush."""
FILE_ROW: Final = 112_000
CONNECTION_BASE: Final = 34_305_000
"""A connection with one channel."""

RESIDUAL_PCT: Final[dict[str, float | None]] = {
    "base_bytes": None,
    "connection_bytes": None,
    "entry_bytes": 0.54,
    "body_bytes": 3.62,
    "journal_bytes": 2.86,
    "store_bytes": 4.63,
    "cached_body_bytes": 3.19,
}
"""Worst deviation of the fits behind each part of the modelled memory, in per cent; None for single measurements."""


HEAP_BYTES: Final = tuple(10_000 * each for each in (150, 225, 255, 294, 353, 425, 604, 743, 835))
"""Heap bytes of all processes beyond the live messages, while a queue is awake whose heaps were not traced.

Nine quantiles measured over six workloads on 3.10.8: low after a large collection, high after a small one.
"""
OWN_BYTE: Final = 1_000
"""A byte of a body alone: who publishes at a rate sends each message in reads of its own, with little framing."""


class HeapCollector(Protocol):
    """A queue process, seen as a producer of garbage."""

    name: str
    queue: BackingQueue
    awake: bool
    collections: int
    """How often it has collected its garbage."""
    followed: FollowedHeap | None
    """Its heap where its work takes time."""

    @property
    def garbage_bytes(self) -> int:
        """Bytes of bodies that left RAM and are not collected yet."""


class GarbageBytes(msgspec.Struct, frozen=True):
    """Memory of processes beyond live data.

    Args:
        heaps: of the processes of queues that are awake and were traced, by the queue's name.
        heap_bytes: on the heaps of the others.
        body_bytes: of bodies that left RAM and were not collected.
        shared_reads: whether bodies of unequal sizes came over one connection.
    """

    heaps: Mapping[str, QueueHeaps]
    heap_bytes: int
    body_bytes: int
    shared_reads: bool = False


class GarbageWatch:
    """Draws at random how much garbage there is when the node checks its memory. `seed`: all draws follow from it."""

    __slots__ = ("_draws", "_heaps", "_collections", "_heap_bytes")

    def __init__(self, seed: str) -> None:
        self._draws = RandomDraws(seed)
        self._heaps: dict[str, QueueHeaps] = {}
        self._collections = -1
        self._heap_bytes = 0
        """The last draw for heaps that were not traced, and the number of collections at that time."""

    def check(self, processes: Iterable[HeapCollector], shared_reads: bool = False) -> GarbageBytes:
        """Return the garbage of processes now; a body that left several queues at once counts once.
        `processes`: of the queues. `shared_reads`: whether bodies of unequal sizes came over one connection.
        """
        every = list(processes)
        traced = [each for each in every if each.queue.heap.traced]
        self._heaps = {each.name: self._heaps_of(each) for each in traced if each.awake}
        self._draw([each for each in every if not each.queue.heap.traced])
        garbage = max((each.garbage_bytes for each in every), default=0)
        return GarbageBytes(self._heaps, self._heap_bytes, garbage, shared_reads)

    def _draw(self, processes: Sequence[HeapCollector]) -> None:
        """Draw the heaps of processes that were not traced, if one of them has collected garbage."""
        collections = sum(each.collections for each in processes)
        if not any(each.awake for each in processes):
            self._heap_bytes = 0
        elif collections != self._collections:
            self._heap_bytes = HEAP_BYTES[self._draws.below(len(HEAP_BYTES))]
        self._collections = collections

    def _heaps_of(self, process: HeapCollector) -> QueueHeaps:
        """Return the heaps of a process that is awake, and draw whether a large or a small collection was the last."""
        heaps = self._heaps.get(process.name, QueueHeaps())
        collected = process.collections != heaps.collections
        heaps.chances = (self._draws.below(CHANCES), self._draws.below(CHANCES)) if collected else None
        heaps.collections = process.collections
        heaps.followed = process.followed
        return heaps


class SharedReads:
    """Bodies of unequal sizes that came in the same reads of a socket: each read stays until all of them are gone, so
    a store's cache, which has the large ones, keeps the small ones too.
    """

    __slots__ = ("_total", "_stored", "_in_ram")

    def __init__(self) -> None:
        self._total = self._stored = self._in_ram = 0

    def add(self, extent: Extent) -> None:
        """Count messages that a queue has."""
        self._total += extent.total_bytes
        if extent.flags & IN_STORE:
            self._stored += extent.total_bytes
        if extent.flags & IN_RAM:
            self._in_ram += extent.total_bytes

    def kept_by(self, cached: int) -> int:
        """Return the bytes that are in no queue's RAM any more, but in reads of which a cache has a part.
        `cached`: bytes of the store's cache; what came with them is as much more as what queues have of both.
        """
        return cached * self._total // self._stored - self._in_ram if self._stored else 0


class MemoryModel(msgspec.Struct, frozen=True):
    """Modelled bytes by structure.

    Args:
        base: the node and one empty queue.
        connections: publishers and consumers.
        buffers: receive buffers of their sockets, which the VM counts although they are not resident.
        entries: the queue's entries in RAM, and unacknowledged ones in the channels.
        bodies: message bodies outside the process heaps.
        journal: index records that no segment has yet, and the segments' own records.
        stores: rows of the store indexes, of the files, and of the current files' caches.
        cached_bodies: bodies that only a current file's cache keeps.
    """

    base: int
    connections: int
    entries: int
    bodies: int
    journal: int
    stores: int
    cached_bodies: int
    buffers: int = 0

    @property
    def total(self) -> int:
        """The modelled process memory (M9)."""
        return sum(msgspec.structs.astuple(self))


@lru_cache(maxsize=4096)
def _costs(heap: HeapFigures, flags: int, size_bytes: int, per_byte: int = BODY_PER_BYTE) -> tuple[int, int]:
    """Return what one message takes in the queue's heap, and its body outside, in thousandths of a byte.
    Cached, because each check of the memory asks for every run, and there are few kinds of messages.
    """
    if not flags & IN_RAM:
        return (heap.gamma if flags & INDEXED else heap.beta), 0
    if size_bytes <= SMALL_BODY_BYTES:
        return heap.alpha_small + 1000 * WORD_BYTES * -(-size_bytes // WORD_BYTES), 0
    return heap.alpha_large, BODY_BINARY + per_byte * size_bytes


@cache
def _in_ram(heap: HeapFigures, part: int, per_byte: int = BODY_PER_BYTE) -> BodyCost:
    return BodyCost(lambda size_bytes: _costs(heap, IN_RAM, size_bytes, per_byte)[part], SMALL_BODY_BYTES + 1)


def entries_bytes(heap: HeapFigures, extent: Extent) -> int:
    """Return thousandths of a byte that the entries take in the queue's heap."""
    sizes, flags = extent.size_bytes, extent.flags
    if isinstance(sizes, int) or not flags & IN_RAM:
        return extent.count * _costs(heap, flags, 0 if isinstance(sizes, Sizes) else sizes)[0]
    return sizes.total(extent.msg_no, extent.count, _in_ram(heap, 0))


def _bodies_bytes(heap: HeapFigures, extent: Extent, per_byte: int) -> int:
    """Return thousandths of a byte that bodies in RAM take outside the heap."""
    sizes = extent.size_bytes
    if isinstance(sizes, int):
        return extent.count * _costs(heap, extent.flags, sizes, per_byte)[1]
    return sizes.total(extent.msg_no, extent.count, _in_ram(heap, 1, per_byte))


def queues_bytes(queues: Sequence[BackingQueue], count: int, connection_bytes: int) -> int:
    """Return what queues add to a node with one empty queue, scaled like connections. `queues`: those that
    run, of one kind. `count`: how many queues there are. `connection_bytes`: what a connection with a channel
    costs at the scale of this node.
    """
    heap = queues[0].heap if queues else MEASURED_3_10
    return max(0, count - 1) * connection_bytes * heap.process // CONNECTION_BASE


def measure(
    base: int,
    connections: int,
    buffers: int,
    queues: Sequence[BackingQueue],
    stores: Iterable[StoreLoad],
    garbage: GarbageBytes | None = None,
) -> MemoryModel:
    """Add up the memory; the work depends on the number of runs.

    Args:
        base, connections, buffers: bytes of the node, of all connections, and of what their sockets receive into.
        queues: all queues; a body that lies in several of them is one binary.
        stores: load of each message store.
        garbage: of the queue processes; None counts only live data.
    """
    entries = bodies = in_ram_and_store = 0
    alone = garbage is not None and all(queue.heap.traced for queue in queues)
    per_byte = OWN_BYTE if alone else BODY_PER_BYTE
    reads = SharedReads()
    counted = RangeSet()
    for queue in queues:
        heap = queue.heap
        own = held = 0
        for place, extent in queue.entries():
            flags, count = extent.flags, extent.count
            own += entries_bytes(heap, extent)
            if place.unacked:
                own += count * heap.pending
                held += count * heap.channel_pending
            if garbage is not None and garbage.shared_reads:
                reads.add(extent)
            if flags & IN_RAM:
                news = [extent] if len(queues) == 1 else _not_counted(counted, extent)
                for new in news:
                    bodies += _bodies_bytes(heap, new, per_byte)
                    if flags & IN_STORE:
                        in_ram_and_store += new.total_bytes
        entries += own + held
        if garbage is not None and (heaps := garbage.heaps.get(queue.name)):
            entries += 1000 * heaps.beyond_bytes(own // 1000, held // 1000)
    stores_total, cached = _stores(stores, with_removed=garbage is not None)
    if garbage is not None:
        entries += 1000 * garbage.heap_bytes
        bodies += per_byte * garbage.body_bytes
        in_ram_and_store += garbage.body_bytes
    cached_bodies = max(0, cached - in_ram_and_store, reads.kept_by(cached))
    return MemoryModel(
        base=base,
        connections=connections,
        entries=entries // 1000,
        bodies=bodies // 1000,
        journal=sum(_journal(queue) for queue in queues) // 1000,
        stores=stores_total // 1000,
        cached_bodies=per_byte * cached_bodies // 1000,
        buffers=buffers,
    )


def _not_counted(counted: RangeSet, extent: Extent) -> list[Extent]:
    """Return the messages whose bodies are not counted yet, and mark them as counted."""
    pieces = counted.runs.pieces(extent.msg_no, extent.count)
    counted.add(extent.msg_no, extent.count)
    return [extent.part(at - extent.msg_no, count) for at, count, known in pieces if known is None]


def _journal(queue: BackingQueue) -> int:
    index = queue.index_load()
    total = index.more + index.segments * SEGMENT_HEAP * index.segment_entries // SEGMENT_ENTRIES
    for count, embedded, total_bytes in index.records:
        if embedded:
            total += count * (JOURNAL_HEAP_EMBEDDED + JOURNAL_BINARY_EMBEDDED)
            total += JOURNAL_BINARY_PER_BYTE * total_bytes
        else:
            total += count * JOURNAL_HEAP_STORE
        if index.buffered:
            total += count * JOURNAL_BUFFER_HEAP
    return total


def _stores(stores: Iterable[StoreLoad], with_removed: bool) -> tuple[int, int]:
    """Return thousandths of a byte for tables, and the bytes of records that the caches hold. `with_removed`:
    count records of removed messages as well, which the cache keeps until its file is full (S171.3).
    """
    total = cached = 0
    for store in stores:
        total += FILE_ROW * store.files
        total += store.heap.store_row * store.messages
        total += store.heap.cache_row * store.cached
        cached += store.cached_with_removed_bytes if with_removed else store.cached_bytes
    return total, cached
