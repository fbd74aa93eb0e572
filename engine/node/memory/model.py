"""The memory of the node, modelled: exact counts times measured bytes for each structure (see calibration)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from engine.backing_queue.protocol import BackingQueue
from engine.extents import Extent
from engine.msg_store import StoreLoad
from engine.node.memory import calibration as cal
from engine.ranges import RangeSet


class Memory(msgspec.Struct, frozen=True):
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


def body_bytes(size: int) -> int:
    """Return thousandths of a byte that a body takes outside the heap."""
    return 0 if size <= cal.SMALL_BODY_BYTES else cal.BODY_BINARY + cal.BODY_BINARY_PER_BYTE * size


def entry_bytes(extent: Extent) -> int:
    """Return thousandths of a byte that one entry takes in the queue's heap."""
    if not extent.in_ram:
        return cal.GAMMA_HEAP if extent.indexed else cal.BETA_HEAP
    if extent.size_bytes <= cal.SMALL_BODY_BYTES:
        return cal.ALPHA_HEAP_SMALL + 1000 * _round_up_to_8(extent.size_bytes)
    return cal.ALPHA_HEAP_LARGE


def queues_bytes(count: int, connection_bytes: int) -> int:
    """Return what queues add to a node with one empty queue, in the same proportion to connections as measured.

    Args:
        count: how many queues there are.
        connection_bytes: what a connection with a channel costs at the scale of this node.
    """
    return max(0, count - 1) * connection_bytes * cal.QUEUE_BASE // cal.CONNECTION_BASE


def measure(
    base: int,
    connections: int,
    buffers: int,
    queues: Sequence[BackingQueue],
    stores: Iterable[StoreLoad],
) -> Memory:
    """Add up the memory; the cost follows the number of runs.

    Args:
        base, connections, buffers: bytes of the node, of all connections, and of what their sockets receive into.
        queues: all queues; a body that lies in several of them is one binary.
        stores: what counts of each message store.
    """
    entries = bodies = in_ram_and_store = 0
    counted = RangeSet()
    for queue in queues:
        for place, extent in queue.entries():
            pending = cal.PENDING_HEAP + cal.CHANNEL_PENDING_HEAP if place.unacked else 0
            entries += extent.count * (entry_bytes(extent) + pending)
            if extent.in_ram:
                count = extent.count if len(queues) == 1 else _not_counted(counted, extent)
                bodies += count * body_bytes(extent.size_bytes)
                if extent.in_store:
                    in_ram_and_store += count * extent.size_bytes
    stores_total, cached = _stores(stores)
    cached_bodies = max(0, cached - in_ram_and_store)
    return Memory(
        base=base,
        connections=connections,
        entries=entries // 1000,
        bodies=bodies // 1000,
        journal=sum(_journal(queue) for queue in queues) // 1000,
        stores=stores_total // 1000,
        cached_bodies=cal.BODY_BINARY_PER_BYTE * cached_bodies // 1000,
        buffers=buffers,
    )


def _not_counted(counted: RangeSet, extent: Extent) -> int:
    """Return how many of the bodies no other queue had in RAM, and count them now."""
    known = sum(each.count for each in counted.inside(extent.msg_no, extent.count))
    counted.add(extent.msg_no, extent.count)
    return extent.count - known


def _journal(queue: BackingQueue) -> int:
    index = queue.index_load()
    total = index.segments * cal.SEGMENT_HEAP * index.segment_entries // cal.SEGMENT_ENTRIES
    for count, embedded, size_bytes in index.records:
        if embedded:
            binary = cal.JOURNAL_BINARY_EMBEDDED + cal.JOURNAL_BINARY_PER_BYTE * size_bytes
            total += count * (cal.JOURNAL_HEAP_EMBEDDED + binary)
        else:
            total += count * cal.JOURNAL_HEAP_STORE
        if index.buffered:
            total += count * cal.JOURNAL_BUFFER_HEAP
    return total


def _stores(stores: Iterable[StoreLoad]) -> tuple[int, int]:
    """Return thousandths of a byte for tables, and the bytes of records that the caches hold."""
    total = cached = 0
    for store in stores:
        total += cal.FILE_ROW * store.files
        total += cal.STORE_ROW * store.messages
        total += cal.CACHE_ROW * store.cached
        cached += store.cached_bytes
    return total, cached
