"""What a variable queue is made of, and the queue record: everything that it keeps (Q5)."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable
from typing import Any

from engine.backing_queue.generation import QueueMeans
from engine.backing_queue.protocol import Arrival
from engine.backing_queue.rates import QueueRates
from engine.classic_v1.index.port import IndexPort, SmallBodies
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store import MsgStore
from engine.classic_v1.store.client import StoreClient
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Why
from engine.report.transitions.queue import ConfirmsDue
from engine.values.errors import InvariantBroken
from engine.values.extents import (
    BLANK,
    HOME_STORE,
    IN_RAM,
    PERSISTENT,
    RAW_PERSISTENT,
    WANTS_CONFIRM,
    DeltaExtent,
    Extent,
)
from engine.values.sizes import Each, sides
from engine.values.stretches import Range, RangeSet, Stretches

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
"""Counters of a snapshot, named after the broker's record; sets are shown as counts."""


V1Means = QueueMeans[QueueSettings, MessageCodec, MsgStore]
"""Everything from which a blank queue is made."""


class QueueState:
    """Fields of one queue and its collaborators; the verbs of this package work on it. `means`: what the
    queue is made of. `index`: this queue's index. `persistent`, `transient`: clients of the two message
    stores.
    """

    def __init__(
        self, means: V1Means, index: IndexPort, persistent: StoreClient, transient: StoreClient
    ) -> None:
        settings = means.settings
        self.name = means.name
        self.durable = means.durable
        self.settings = settings
        self.codec = means.codec
        self.index = index
        self.persistent = persistent
        self.transient = transient
        self.emit = means.emit
        self._settle = means.settle
        self.stores_alone = False
        """Whether the stores run at their own pace, so that no call of the queue lets them finish."""
        self.as_read = means.as_read
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
        """The numbers that decided the latest reduction."""

    def settle(self) -> None:
        """Let the stores handle their mailboxes at the end of a call of the broker's interface."""
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
        return self.persistent if side == "persistent" else self.transient

    def client_of(self, extent: Extent) -> StoreClient:
        return self.persistent if extent.persistent else self.transient

    def counters(self) -> Why:
        """Return every number of the record (see COUNTERS)."""
        return dict(zip(COUNTERS, counters_of(self), strict=True))

    def lanes_snapshot(self) -> dict[str, list[Extent]]:
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
    """Return the counters that changed, by name. Called after every verb, so it uses indexes; `zip` would
    make a tuple for each counter. `now`, `before`: as `counters_of` returned them.
    """
    found: Why = {}
    for at in range(len(COUNTERS)):
        value = now[at]
        if value != before[at]:
            found[COUNTERS[at]] = value
    return found


def account(
    q: QueueState,
    extent: Extent,
    *,
    ready: int = 0,
    unacked: int = 0,
    paged: bool = False,
    before: bool = False,
    after: bool = False,
    delta: int = 0,
) -> None:
    """Apply one event to the totals, once for each message of `extent` (Q13).

    Args:
        extent: the messages as they were before the change.
        ready, unacked, delta: +1, 0 or -1 for each message.
        paged: the messages stay ready but their body enters or leaves RAM.
        before, after: whether the body is in RAM before and after.
    """
    count = extent.count
    each = extent.size_bytes
    size = each * count if isinstance(each, int) else each.total(extent.msg_no, count)
    ram = after - before
    if ready == 1:
        q.ram_msg_count += count if after else 0
    elif ready == -1:
        q.ram_msg_count -= count if before else 0
    elif paged:
        q.ram_msg_count += ram * count
    q.len += ready * count
    q.bytes += ready * size
    q.unacked_bytes += unacked * size
    q.ram_bytes += ram * size
    if extent.flags & PERSISTENT:
        q.persistent_count += (ready + unacked) * count
        q.persistent_bytes += (ready + unacked) * size
    else:
        q.delta_transient_bytes += delta * size


def sized(extents: Iterable[Extent]) -> list[tuple[Extent, int]]:
    """Return messages with the bytes of their bodies; of a column that many share, the sums are fetched once."""
    found: list[tuple[Extent, int]] = []
    column: Each | None = None
    sums: array[int] | None = None
    first = 0
    for extent in extents:
        each = extent.size_bytes
        if each is not column:
            column, sums = each, None
            if not isinstance(each, int):
                sums, first = each.sums(), each.first
        if sums is None:
            found.append((extent, extent.total_bytes))
        else:
            at = extent.msg_no - first
            found.append((extent, sums[at + extent.count] - sums[at]))
    return found


def account_many(q: QueueState, extents: Iterable[Extent], *, ready: int = 0, unacked: int = 0) -> None:
    """Apply one event to the totals that moves no body, as `account` does for each run (Q13). `extents`: the
    messages; what is gone afterwards is not in RAM, and what stays is as it was. `ready`, `unacked`: -1, 0 or
    +1 for each message.
    """
    count = size = ram_count = ram_bytes = persistent_count = persistent_bytes = 0
    for extent, bytes_ in sized(extents):
        many, flags = extent.count, extent.flags
        count += many
        size += bytes_
        if flags & IN_RAM:
            ram_count += many
            ram_bytes += bytes_
        if flags & PERSISTENT:
            persistent_count += many
            persistent_bytes += bytes_
    q.len += ready * count
    q.bytes += ready * size
    q.unacked_bytes += unacked * size
    q.ram_msg_count += ready * ram_count
    change = ready + unacked
    q.ram_bytes += change * ram_bytes
    q.persistent_count += change * persistent_count
    q.persistent_bytes += change * persistent_bytes


def account_rolled(q: QueueState, extents: Iterable[Extent]) -> int:
    """Apply to the totals that entries left RAM for delta (Q13, Q49); return how many were transient."""
    transient = 0
    for extent, size in sized(extents):
        many, flags = extent.count, extent.flags
        if flags & IN_RAM:
            q.ram_msg_count -= many
            q.ram_bytes -= size
        if not flags & PERSISTENT:
            transient += many
            q.delta_transient_bytes += size
    return transient


AMOUNTS = slice(COUNTERS.index("len"), COUNTERS.index("ram_bytes") + 1)
"""Those of the counters that are never negative."""


def _broken(q: QueueState, what: str) -> InvariantBroken:
    """Return the error of a record that contradicts itself."""
    lengths = f"q1={q.q1.total} q2={q.q2.total} delta={q.delta} q3={q.q3.total} q4={q.q4.total}"
    return InvariantBroken(f"{what} ({q.name}: len={q.len} {lengths})")


def check(q: QueueState, counters: tuple[Any, ...]) -> None:
    """Raise InvariantBroken when the queue's record contradicts itself (Q6, Q7, Q8). It is asked after every
    verb, so no call is made for what holds. `counters`: the record's numbers, as `counters_of` returns them.
    """
    q1, q2, delta, q3, q4 = q.q1.total, q.q2.total, q.delta.count, q.q3.total, q.q4.total
    if q.mode == "default":
        if q1 and not q3:
            raise _broken(q, "Q6: q1 holds messages while q3 is empty")
        if q2 and not delta > 0:
            raise _broken(q, "Q6: q2 holds messages while delta is empty")
        if delta != 0 and not q3:
            raise _broken(q, "Q6: delta holds messages while q3 is empty")
        if (q.len == 0) != (not q3 and not q4):
            raise _broken(q, "Q6: len disagrees with q3 and q4")
    else:
        if q1 or q2 or q4:
            raise _broken(q, "Q7: a lazy queue uses q1, q2 or q4")
        if delta + q3 != q.len:
            raise _broken(q, "Q7: len differs from delta and q3")
    amounts = counters[AMOUNTS]
    if min(amounts) < 0:
        raise _broken(q, f"Q8: {COUNTERS[AMOUNTS][amounts.index(min(amounts))]} is negative")
    if q.ram_msg_count > q.len:
        raise _broken(q, "Q8: more bodies in RAM than messages")
    if q.ram_bytes > q.bytes + q.unacked_bytes:
        raise _broken(q, "Q8: more bytes in RAM than there are")
    if q1 + q2 + q3 + q4 + delta != q.len:
        raise _broken(q, "Q5: len differs from the sub-queues' sum")


def index_written(q: QueueState, messages: RangeSet) -> None:
    """Callback A: index records of store-homed messages are safe (K7)."""
    done = messages.intersection(q.msgs_on_disk)
    q.msg_indices_on_disk.update(q.unconfirmed.intersection(messages))
    _finish(q, done, "index")


def messages_written(q: QueueState, messages: RangeSet) -> None:
    """Callback W: bodies are safe in the persistent store (K7)."""
    done = messages.intersection(q.msg_indices_on_disk)
    q.msgs_on_disk.update(q.unconfirmed.intersection(messages))
    _finish(q, done, "store")


def both_written(q: QueueState, messages: RangeSet, by: str) -> None:
    """Callback B: no further wait is needed (K7). `by`: both or ignored."""
    _finish(q, messages, by)


def _finish(q: QueueState, done: RangeSet, by: str) -> None:
    if not done:
        return
    ranges = list(done)
    q.msgs_on_disk.subtract(ranges)
    q.msg_indices_on_disk.subtract(ranges)
    q.unconfirmed.subtract(ranges)
    q.confirmed.update(ranges)
    q.emit(ConfirmsDue("K7", q.name, by, tuple(ranges)))


def drain_confirmed(q: QueueState) -> list[Range]:
    """Hand over the messages whose confirms may be sent, and forget them (K8)."""
    if not q.confirmed.runs.total:
        return []
    ranges = list(q.confirmed)
    q.confirmed.clear()
    return ranges


def takes_classes(q: QueueState) -> bool:
    """Return whether messages of several homes and modes go one way at once: in files of version 1, by late rules."""
    return q.mode == "default" and q.index.bodies is None and not q.settings.flags_deliveries


def new_extents(q: QueueState, batch: Iterable[Arrival]) -> list[Extent]:
    """Return newly arrived messages as the queue meets them: runs of one home, and nothing written (Q1, Q12)."""
    found: list[Extent] = []
    start = q.next_seq_id
    below = q.settings.queue_index_embed_msgs_below
    for arrival in batch:
        flags = IN_RAM
        if arrival.raw_persistent:
            flags |= RAW_PERSISTENT | PERSISTENT if q.durable else RAW_PERSISTENT
        if arrival.wants_confirm:
            flags |= WANTS_CONFIRM
        template, number, count, size = arrival.template, arrival.msg_no, arrival.count, arrival.size_bytes
        border = below - q.codec.estimated_bytes(template)
        if type(size) is int:  # no call is made for equal messages
            own = flags | HOME_STORE if size >= border else flags
            found.append(Extent(start, count, number, size, own, arrival.expiry_us, template))
        else:
            for skip, many, stored in sides(size, number, count, border):
                own = flags | HOME_STORE if stored else flags
                found.append(
                    Extent(start + skip, many, number + skip, size, own, arrival.expiry_us, template)
                )
        start += count
    if q.index.bodies is not None:  # files of version 2 know no columns here (W18)
        return [one for each in found for one in each.equal_parts()]
    return found
