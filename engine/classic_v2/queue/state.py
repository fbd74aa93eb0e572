"""The queue record: everything that one queue of version 2 keeps (W10-W19)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from engine.backing_queue.rates import Rates
from engine.classic_v2.formats.mc import McCodec
from engine.classic_v2.index import V2Index
from engine.classic_v2.queue.entries import BLANK, Deliveries, Tail
from engine.classic_v2.queue_store import QueueStore
from engine.classic_v2.settings import V2Settings
from engine.classic_v2.store import SharedClient
from engine.values.errors import InvariantBroken
from engine.values.extents import Extent
from engine.values.ranges import Range, RangeSet
from engine.values.stretches import Stretches

PENDING = ("ram_pending", "disk_pending")


class QueueState:
    """Fields of one queue and its collaborators; the verbs of this package work on it.

    Args:
        name: queue name, as transitions carry it.
        durable: whether the queue survives a restart.
        settings: constants and capabilities.
        codec: sizes of stored terms (W31).
        index, store: this queue's own files.
        persistent, transient: clients of the two shared stores.
        settle: lets the shared stores handle what was sent to them; called where a call of the broker's interface ends.
    """

    def __init__(
        self,
        *,
        name: str,
        durable: bool,
        settings: V2Settings,
        codec: McCodec,
        index: V2Index,
        store: QueueStore,
        persistent: SharedClient,
        transient: SharedClient,
        settle: Callable[[], None],
    ) -> None:
        self.name = name
        self.durable = durable
        self.settings = settings
        self.codec = codec
        self.index = index
        self.store = store
        self.persistent = persistent
        self.transient = transient
        self.settle = settle
        self.now_us = 0
        self.head: Stretches[Extent] = Stretches()
        self.tail: Tail = BLANK
        self.ram_pending: Stretches[Extent] = Stretches()
        self.disk_pending: Stretches[Extent] = Stretches()
        self.next_seq_id = 0
        self.redeliver_seq_id = 0
        """Below it everything counts as delivered: next_deliver_seq_id where releases have that (W19)."""
        self.deliveries: Stretches[Deliveries] = Stretches()
        self.transient_threshold = 0
        self.bytes = 0
        self.unacked_bytes = 0
        self.persistent_count = 0
        self.persistent_bytes = 0
        self.ram_msg_count = 0
        self.ram_bytes = 0
        self.tail_transient_bytes = 0
        self.disk_read_count = 0
        self.disk_write_count = 0
        self.rates = Rates()
        self.unconfirmed = RangeSet()
        self.unconfirmed_simple = RangeSet()
        self.confirmed = RangeSet()
        self.msgs_on_disk = RangeSet()
        self.msg_indices_on_disk = RangeSet()
        self.mailbox: deque[tuple[str, object]] = deque()
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
    def blocked(self) -> bool:
        """Whether the queue process is out of store credit (F3)."""
        return self.persistent.blocked or self.transient.blocked

    @property
    def pending_count(self) -> int:
        """Unacknowledged messages."""
        return self.ram_pending.total + self.disk_pending.total

    def client_of(self, extent: Extent) -> SharedClient:
        """Return the store client that an extent's body belongs to."""
        return self.persistent if extent.persistent else self.transient

    def pending_inside(self, start: int, count: int) -> list[Extent]:
        """Return what is pending inside [start, start+count), ascending."""
        found = self.ram_pending.overlapping(start, count) + self.disk_pending.overlapping(start, count)
        found.sort(key=lambda extent: extent.start)
        return found

    def keep_pending(self, extent: Extent) -> None:
        """Keep delivered messages until they are acknowledged (W43)."""
        (self.ram_pending if extent.in_ram else self.disk_pending).insert(extent)

    def take_pending(self, tags: Range) -> list[Extent]:
        """Take what is pending of these tags, ascending; unknown ones are ignored (W50)."""
        found = self.ram_pending.remove(tags.start, tags.count) + self.disk_pending.remove(
            tags.start, tags.count
        )
        found.sort(key=lambda extent: extent.start)
        return found

    def removed_early(self, messages: list[Range]) -> None:
        """Confirm messages whose write to a shared store was overtaken by their remove (W52)."""
        found = RangeSet()
        for each in messages:
            found.add(each.start, each.count)
        self.record_confirms(found)

    def record_confirms(self, messages: RangeSet) -> None:
        """Confirm messages, whatever they waited for (K7)."""
        for each in messages:
            for waiting in (self.msgs_on_disk, self.msg_indices_on_disk, self.unconfirmed):
                waiting.discard(each.start, each.count)
            self.confirmed.add(each.start, each.count)

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
