"""What a queue of version 2 is made of, and the queue record: everything that it keeps (W10-W19)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from engine.backing_queue.generation import QueueMeans
from engine.backing_queue.queue_numbers import UPDATE_ABOVE, QueueNumbers
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.index.index import V2Index
from engine.classic_v2.queue_store import QueueStore
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store.server import SharedClient, SharedStore
from engine.values.errors import InvariantBroken
from engine.values.extents import (
    BLANK,
    DELIVERED,
    HOME_STORE,
    IN_RAM,
    IN_STORE,
    INDEXED,
    PERSISTENT,
    RAW_PERSISTENT,
    DeltaExtent,
    Extent,
)
from engine.values.marks import override
from engine.values.stretches import Range, RangeSet, Stretches, StretchRecord

UNTAKEN: Final = 512
"""Loaded from the tail and not taken since: the delivery decides whether it is redelivered (W41)."""
IN_INDEX: Final = PERSISTENT | RAW_PERSISTENT | HOME_STORE | IN_STORE | INDEXED
"""The flags that the index keeps of an entry."""


def in_index(extent: Extent) -> Extent:
    """Return messages as the index keeps them."""
    return extent.with_flags(clear=extent.flags & ~IN_INDEX)


def marked(extent: Extent, delivered: bool) -> Extent:
    """Return messages with the delivered mark that a take gives them (W41)."""
    return extent.with_flags(DELIVERED if delivered else 0, UNTAKEN | (0 if delivered else DELIVERED))


class DeliveryCounts(StretchRecord, frozen=True, array_like=True, gc=False):
    """Consecutive positions that were delivered equally often (W42)."""

    times: int


PENDING = ("ram_pending", "disk_pending")
LANES = ("head", *PENDING)
"""Places that have an entry for each message."""
COUNTERS = (
    "next_seq_id",
    "next_deliver_seq_id",  # redeliver_seq_id where releases have that (W19)
    "transient_threshold",
    "len",
    "bytes",
    "unacked_bytes",
    "persistent_count",
    "persistent_bytes",
    "ram_msg_count",
    "ram_bytes",
    "delta_transient_bytes",  # of the tail
    "disk_read_count",
    "disk_write_count",
    "window",  # how many messages the head lane takes at the tail (W32)
    "egress_per_1000_s",  # the rate that the window follows, in whole messages of 1,000 seconds (W32, W36)
    "unconfirmed_count",  # messages whose confirm waits for a disk write
    "confirmed_count",  # messages whose confirm may be sent
    "msgs_on_disk_count",  # unconfirmed messages whose body is safe in the shared store
    "msg_indices_on_disk_count",  # unconfirmed messages whose slot is written
    "credit_persistent",
    "credit_transient",
    "blocked",
)
"""What a snapshot shows besides lanes and tail; names are those of version 1 where the meaning is the same."""


def by_place(extents: Iterable[Extent]) -> dict[str, list[Extent]]:
    """Divide entries among the pending maps that they belong to (W43)."""
    found: dict[str, list[Extent]] = {}
    for extent in extents:
        found.setdefault("ram_pending" if extent.flags & IN_RAM else "disk_pending", []).append(extent)
    return found


V2Means = QueueMeans[V2Settings, McCodec, SharedStore]
"""Everything from which a blank queue is made."""


class V2QueueState(QueueNumbers[SharedClient]):
    """Fields of one queue and its collaborators; the verbs of this package work on it. `means`: what the
    queue is made of. `index`, `store`: this queue's own files.
    """

    counter_names = COUNTERS
    lanes = LANES

    def __init__(
        self,
        means: V2Means,
        *,
        index: V2Index,
        store: QueueStore,
        persistent: SharedClient,
        transient: SharedClient,
    ) -> None:
        super().__init__(means.name, means.durable, means.emit, means.settle, persistent, transient)
        self.settings = means.settings
        self.codec = means.codec
        self.index = index
        self.store = store
        self.head: Stretches[Extent] = Stretches()
        self.tail: DeltaExtent = BLANK
        self.redeliver_seq_id = 0
        """Below it everything counts as delivered: next_deliver_seq_id where releases have that (W19)."""
        self.deliveries: Stretches[DeliveryCounts] = Stretches()
        self.tail_transient_bytes = 0
        self.unconfirmed_simple = RangeSet()
        self.index_crashed = False
        """Whether the index crashed at the stop (W200)."""
        self.purged = False
        """Whether a purge gave the queue a directory under which the next start does not find its terms (W201)."""

    @property
    def len(self) -> int:
        """Ready messages (W13)."""
        return self.head.total + self.tail.count

    @property
    def window(self) -> int:
        """How many messages the head lane takes at the tail, and a load asks for (W32)."""
        return min(1 + int(2 * self.rates.out), self.settings.window_cap)

    @property
    def egress_per_1000_s(self) -> int:
        """The rate at which messages leave, as measured last: whole thousandths still give the same window (W32)."""
        return int(1000 * self.rates.out)

    def steady(self, count: int, spacing_us: int) -> int:
        """Return how many of `count` events may pass before the rates, and so the window, can be others (W36)."""
        if self.rates.frozen or (not spacing_us and self.rates.timestamp_us == self.now_us):
            return count
        return min(count, max(1, UPDATE_ABOVE + 1 - self.rates.counters[0] - self.rates.counters[1]))

    @override
    def counted(self) -> tuple[Any, ...]:
        return (
            self.next_seq_id,
            self.redeliver_seq_id,
            self.transient_threshold,
            self.len,
            self.bytes,
            self.unacked_bytes,
            self.persistent_count,
            self.persistent_bytes,
            self.ram_msg_count,
            self.ram_bytes,
            self.tail_transient_bytes,
            self.disk_read_count,
            self.disk_write_count,
            self.window,
            self.egress_per_1000_s,
            len(self.unconfirmed) + len(self.unconfirmed_simple),
            len(self.confirmed),
            len(self.msgs_on_disk),
            len(self.msg_indices_on_disk),
            self.persistent.account.left,
            self.transient.account.left,
            self.blocked,
        )

    def pending_inside(self, start: int, count: int) -> list[Extent]:
        found = self.ram_pending.overlapping(start, count) + self.disk_pending.overlapping(start, count)
        found.sort(key=lambda extent: extent.start)
        return found

    def take_pending(self, tags: Range) -> list[Extent]:
        """Take what is pending of these tags, ascending; unknown ones are ignored (W50)."""
        found = self.ram_pending.remove(tags.start, tags.count) + self.disk_pending.remove(
            tags.start, tags.count
        )
        found.sort(key=lambda extent: extent.start)
        return found

    def check(self) -> None:
        """Assert what the broker asserts after every verb (W13)."""
        counters = (
            self.bytes,
            self.unacked_bytes,
            self.persistent_count,
            self.persistent_bytes,
            self.ram_msg_count,
            self.ram_bytes,
        )
        if min(counters) < 0 or self.ram_bytes > self.bytes + self.unacked_bytes:
            raise InvariantBroken(f"{self.name}: counters {counters} (W13)")
        if self.ram_msg_count > self.len:
            raise InvariantBroken(f"{self.name}: {self.ram_msg_count} bodies of {self.len} messages (W13)")


def sync(q: V2QueueState) -> None:
    """Write the index buffer, then the `.qs` buffer, and confirm what waited for that (W62)."""
    indexed = q.index.sync()
    q.store.flush()
    simple, q.unconfirmed_simple = q.unconfirmed_simple, RangeSet()
    q.confirm("W62", "both", simple)
    q.index_written("W62", indexed)
