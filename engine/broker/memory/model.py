"""The memory of the node, modelled: exact counts times measured bytes for each structure (see calibration)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import msgspec

from engine.backing_queue.heap import BODY_PER_BYTE, MEASURED_3_10, HeapFigures
from engine.backing_queue.protocol import BackingQueue
from engine.backing_queue.stores import StoreLoad
from engine.broker.memory import calibration as cal
from engine.broker.memory.garbage import GarbageBytes
from engine.values.body_cost import BodyCost
from engine.values.extents import IN_RAM, IN_STORE, INDEXED, Extent
from engine.values.ranges import RangeSet
from engine.values.sizes import Sizes


class MemoryModel(msgspec.Struct, frozen=True):
    """Modelled bytes by structure.

    Args:
        base: the node and one empty queue.
        connections: publishers and consumers.
        buffers: receive buffers of their sockets, which the VM counts though nothing of them is resident.
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


def _round_up_to_8(size: int) -> int:
    return -(-size // 8) * 8


@lru_cache(maxsize=4096)
def _costs(heap: HeapFigures, flags: int, size_bytes: int) -> tuple[int, int]:
    """Return thousandths of a byte that one message takes in the queue's heap, and that its body takes outside.

    Every look at the memory asks it of every run, and there are few kinds of messages.
    """
    if not flags & IN_RAM:
        return (heap.gamma if flags & INDEXED else heap.beta), 0
    if size_bytes <= cal.SMALL_BODY_BYTES:
        return heap.alpha_small + 1000 * _round_up_to_8(size_bytes), 0
    return heap.alpha_large, cal.BODY_BINARY + BODY_PER_BYTE * size_bytes


@cache
def _in_ram(heap: HeapFigures, part: int) -> BodyCost:
    """Return one of the two costs of a message in RAM by its body; the same each time."""
    return BodyCost(lambda size_bytes: _costs(heap, IN_RAM, size_bytes)[part], cal.SMALL_BODY_BYTES + 1)


def entries_bytes(heap: HeapFigures, extent: Extent) -> int:
    """Return thousandths of a byte that the entries take in the queue's heap."""
    sizes, flags = extent.size_bytes, extent.flags
    if isinstance(sizes, int) or not flags & IN_RAM:
        return extent.count * _costs(heap, flags, 0 if isinstance(sizes, Sizes) else sizes)[0]
    return sizes.total(extent.msg_no, extent.count, _in_ram(heap, 0))


def _bodies_bytes(heap: HeapFigures, extent: Extent) -> int:
    """Return thousandths of a byte that bodies in RAM take outside the heap."""
    sizes = extent.size_bytes
    if isinstance(sizes, int):
        return extent.count * _costs(heap, extent.flags, sizes)[1]
    return sizes.total(extent.msg_no, extent.count, _in_ram(heap, 1))


def queues_bytes(queues: Sequence[BackingQueue], count: int, connection_bytes: int) -> int:
    """Return what queues add to a node with one empty queue, in the same proportion to connections as measured.

    Args:
        queues: those that run, of one kind.
        count: how many queues there are.
        connection_bytes: what a connection with a channel costs at the scale of this node.
    """
    heap = queues[0].heap if queues else MEASURED_3_10
    return max(0, count - 1) * connection_bytes * heap.process // cal.CONNECTION_BASE


def measure(
    base: int,
    connections: int,
    buffers: int,
    queues: Sequence[BackingQueue],
    stores: Iterable[StoreLoad],
    garbage: GarbageBytes | None = None,
) -> MemoryModel:
    """Add up the memory; the cost follows the number of runs.

    Args:
        base, connections, buffers: bytes of the node, of all connections, and of what their sockets receive into.
        queues: all queues; a body that lies in several of them is one binary.
        stores: what counts of each message store.
        garbage: of the queue processes; None counts what lives alone.
    """
    entries = bodies = in_ram_and_store = 0
    counted = RangeSet()
    for queue in queues:
        heap = queue.heap
        pending_bytes = heap.pending + heap.channel_pending
        for place, extent in queue.entries():
            flags, count = extent.flags, extent.count
            entries += entries_bytes(heap, extent) + (count * pending_bytes if place.unacked else 0)
            if flags & IN_RAM:
                news = [extent] if len(queues) == 1 else _not_counted(counted, extent)
                for new in news:
                    bodies += _bodies_bytes(heap, new)
                    if flags & IN_STORE:
                        in_ram_and_store += new.total_bytes
    stores_total, cached = _stores(stores, with_removed=garbage is not None)
    if garbage is not None:
        entries += 1000 * garbage.heap_bytes
        bodies += BODY_PER_BYTE * garbage.body_bytes
        in_ram_and_store += garbage.body_bytes
    cached_bodies = max(0, cached - in_ram_and_store)
    return MemoryModel(
        base=base,
        connections=connections,
        entries=entries // 1000,
        bodies=bodies // 1000,
        journal=sum(_journal(queue) for queue in queues) // 1000,
        stores=stores_total // 1000,
        cached_bodies=BODY_PER_BYTE * cached_bodies // 1000,
        buffers=buffers,
    )


def _not_counted(counted: RangeSet, extent: Extent) -> list[Extent]:
    """Return the messages whose bodies no other queue had in RAM, and count them now."""
    new: list[Extent] = []
    at = 0
    for known in counted.inside(extent.msg_no, extent.count):
        before = known.start - extent.msg_no
        if before > at:
            new.append(extent.part(at, before - at))
        at = before + known.count
    if at < extent.count:
        new.append(extent.part(at, extent.count - at))
    counted.add(extent.msg_no, extent.count)
    return new


def _journal(queue: BackingQueue) -> int:
    index = queue.index_load()
    total = index.more + index.segments * cal.SEGMENT_HEAP * index.segment_entries // cal.SEGMENT_ENTRIES
    for count, embedded, total_bytes in index.records:
        if embedded:
            total += count * (cal.JOURNAL_HEAP_EMBEDDED + cal.JOURNAL_BINARY_EMBEDDED)
            total += cal.JOURNAL_BINARY_PER_BYTE * total_bytes
        else:
            total += count * cal.JOURNAL_HEAP_STORE
        if index.buffered:
            total += count * cal.JOURNAL_BUFFER_HEAP
    return total


def _stores(stores: Iterable[StoreLoad], with_removed: bool) -> tuple[int, int]:
    """Return thousandths of a byte for tables, and the bytes of records that the caches hold.

    Args:
        with_removed: count records of removed messages as well, which the cache keeps until its file is full (S171.3).
    """
    total = cached = 0
    for store in stores:
        total += cal.FILE_ROW * store.files
        total += store.heap.store_row * store.messages
        total += store.heap.cache_row * store.cached
        cached += store.cached_with_removed_bytes if with_removed else store.cached_bytes
    return total, cached
