"""The queue record: everything one variable queue keeps (Q5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from engine.backing_queue.rates import QueueRates
from engine.classic_v1.index.bodies import SmallBodies
from engine.classic_v1.index.port import IndexPort
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.client import StoreClient
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition, Why
from engine.values.extents import BLANK, DeltaExtent, Extent
from engine.values.ranges import RangeSet
from engine.values.stretches import Stretches

LANES = ("q1", "q2", "q3", "q4")
PENDING = ("ram_pending", "disk_pending", "index_pending")
COUNTERS = (
    "next_seq_id",
    "next_deliver_seq_id",
    "transient_threshold",
    "len",
    "bytes",
    "unacked_bytes",
    "persistent_count",
    "persistent_bytes",
    "ram_msg_count",
    "ram_bytes",
    "delta_transient_bytes",
    "target_ram_count",
    "disk_read_count",
    "disk_write_count",
    "reduce_run_count",
    "waiting_bump",
    "unconfirmed_count",  # messages whose confirm waits for a disk write (K3)
    "confirmed_count",  # messages whose confirm may be sent (K7)
    "msgs_on_disk_count",  # unconfirmed messages whose body is safe (K7)
    "msg_indices_on_disk_count",  # unconfirmed messages whose index record is safe (K7)
    "credit_persistent",
    "credit_transient",
    "blocked",
)
"""What a snapshot shows beside lanes and delta; named after the broker's record, counts for its sets."""


def as_it_is(extent: Extent) -> Sequence[Extent]:
    """Return messages of which nothing is known but what is in the index."""
    return (extent,)


class QueueState:
    """Fields of one queue and its collaborators; the verbs of this package work on it.

    Args:
        name: queue name, as transitions carry it.
        durable: whether the queue survives a restart (Q1).
        settings: configuration captured at init.
        codec: sizes of stored terms (Q12).
        index: this queue's index.
        persistent, transient: clients of the two message stores.
        emit: receives every transition.
        settle: lets the stores handle what was sent to them; called where one call of the broker's interface ends.
        as_read: what messages are once their bodies were read from a file, which has more than the index record.
    """

    def __init__(
        self,
        *,
        name: str,
        durable: bool,
        settings: QueueSettings,
        codec: MessageCodec,
        index: IndexPort,
        persistent: StoreClient,
        transient: StoreClient,
        emit: Callable[[Transition], None],
        settle: Callable[[], None],
        as_read: Callable[[Extent], Sequence[Extent]],
    ) -> None:
        self.name = name
        self.durable = durable
        self.settings = settings
        self.codec = codec
        self.index = index
        self.persistent = persistent
        self.transient = transient
        self.emit = emit
        self._settle = settle
        self.stores_alone = False
        """Whether the stores go on at their own pace: no call of the queue lets them finish."""
        self.as_read = as_read
        self.now_us = 0
        self.mode = "default"
        self.io_batch_size = settings.msg_store_io_batch_size
        self.q1: Stretches[Extent] = Stretches()
        self.q2: Stretches[Extent] = Stretches()
        self.q3: Stretches[Extent] = Stretches()
        self.q4: Stretches[Extent] = Stretches()
        self.delta: DeltaExtent = BLANK
        self.ram_pending: Stretches[Extent] = Stretches()
        self.disk_pending: Stretches[Extent] = Stretches()
        self.index_pending: Stretches[Extent] = Stretches()
        self.next_seq_id = 0
        self.next_deliver_seq_id = 0
        self.transient_threshold = 0
        self.len = 0
        self.bytes = 0
        self.unacked_bytes = 0
        self.persistent_count = 0
        self.persistent_bytes = 0
        self.ram_msg_count = 0
        self.ram_bytes = 0
        self.delta_transient_bytes = 0
        self.target_ram_count: int | None = None
        self.disk_read_count = 0
        self.disk_write_count = 0
        self.reduce_run_count = 0
        self.waiting_bump = False
        self.rates = QueueRates()
        self.unconfirmed = RangeSet()
        self.confirmed = RangeSet()
        self.msgs_on_disk = RangeSet()
        self.msg_indices_on_disk = RangeSet()
        self.mailbox: deque[tuple[str, object]] = deque()
        self.last_counters: tuple[Any, ...] = ()
        """The values that were reported last, in the order of COUNTERS."""
        self.reduced: Why | None = None
        """The numbers of the latest reduction's decision."""

    def settle(self) -> None:
        """Let the stores handle what was sent to them, where a call of the broker's interface ends."""
        if not self.stores_alone:
            self._settle()

    @property
    def bodies(self) -> SmallBodies | None:
        """Where small bodies are, None for the index itself (W18)."""
        return self.index.bodies

    @property
    def blocked(self) -> bool:
        """Whether the queue process is out of store credit (F3)."""
        persistent, transient = self.persistent.account.left, self.transient.account.left
        return (persistent is not None and persistent <= 0) or (transient is not None and transient <= 0)

    @property
    def pending_count(self) -> int:
        """Unacknowledged messages in all three maps."""
        return self.ram_pending.total + self.disk_pending.total + self.index_pending.total

    def oldest_message(self) -> int | None:
        """Return the lowest message number of those that RAM has entries of, None without any."""
        places = [self.extents_of(place) for place in LANES + PENDING]
        return min((extent.msg_no for runs in places for extent in runs), default=None)

    def extents_of(self, place: str) -> Stretches[Extent]:
        """Return the runs of a sub-queue or pending map by its name."""
        runs: Stretches[Extent] = getattr(self, place)
        return runs

    def client(self, side: str) -> StoreClient:
        """Return the client of the "persistent" or the "transient" store."""
        return self.persistent if side == "persistent" else self.transient

    def client_of(self, extent: Extent) -> StoreClient:
        """Return the store client that an extent's body belongs to."""
        return self.persistent if extent.persistent else self.transient

    def counters(self) -> Why:
        """Return every number of the record (see COUNTERS)."""
        return dict(zip(COUNTERS, counters_of(self), strict=True))

    def lanes_snapshot(self) -> dict[str, list[Extent]]:
        """Return sub-queues and pending maps as lists of extents."""
        return {place: list(self.extents_of(place)) for place in LANES + PENDING}


def counters_of(q: QueueState) -> tuple[Any, ...]:
    """Return the values of a queue's counters, in the order of COUNTERS; asked after every verb, it calls nothing."""
    persistent, transient = q.persistent.account.left, q.transient.account.left
    return (
        q.next_seq_id,
        q.next_deliver_seq_id,
        q.transient_threshold,
        q.len,
        q.bytes,
        q.unacked_bytes,
        q.persistent_count,
        q.persistent_bytes,
        q.ram_msg_count,
        q.ram_bytes,
        q.delta_transient_bytes,
        q.target_ram_count,
        q.disk_read_count,
        q.disk_write_count,
        q.reduce_run_count,
        q.waiting_bump,
        q.unconfirmed.runs.total,
        q.confirmed.runs.total,
        q.msgs_on_disk.runs.total,
        q.msg_indices_on_disk.runs.total,
        persistent,
        transient,
        (persistent is not None and persistent <= 0) or (transient is not None and transient <= 0),
    )


def differing(now: tuple[Any, ...], before: tuple[Any, ...]) -> Why:
    """Return the counters that changed, by name.

    It is asked after every verb, so it goes by places: `zip` would make a tuple of each counter.

    Args:
        now, before: as `counters_of` returned them.
    """
    found: Why = {}
    for at in range(len(COUNTERS)):
        value = now[at]
        if value != before[at]:
            found[COUNTERS[at]] = value
    return found
