"""What a variable queue is made of, and the queue record: everything that it keeps (Q5)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from engine.backing_queue.generation import QueueMeans
from engine.backing_queue.protocol import Arrival
from engine.backing_queue.queue_numbers import QueueNumbers
from engine.classic_v1.index.port import IndexPort, SmallBodies
from engine.classic_v1.settings import QueueSettings
from engine.classic_v1.store.store import MsgStore, StoreClient
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Why
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
from engine.values.marks import override
from engine.values.sizes import Each, sides
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
"""Counters of a snapshot, named after the broker's record; sets are shown as counts."""


V1Means = QueueMeans[QueueSettings, MessageCodec, MsgStore]
"""Everything from which a blank queue is made."""


class QueueState(QueueNumbers[StoreClient]):
    """Fields of one queue and its collaborators; the verbs of this package work on it. `means`: what the
    queue is made of. `index`: this queue's index.
    """

    counter_names = COUNTERS
    lanes = LANES + PENDING

    def __init__(
        self, means: V1Means, index: IndexPort, persistent: StoreClient, transient: StoreClient
    ) -> None:
        super().__init__(means.name, means.durable, means.emit, means.settle, persistent, transient)
        self.settings = means.settings
        self.codec = means.codec
        self.index = index
        self.as_read = means.as_read
        self.mode = "default"
        self.io_batch_size = means.settings.msg_store_io_batch_size
        self.q1: Stretches[Extent] = Stretches()
        self.q2: Stretches[Extent] = Stretches()
        self.q3: Stretches[Extent] = Stretches()
        self.q4: Stretches[Extent] = Stretches()
        self.delta: DeltaExtent = BLANK
        self.index_pending: Stretches[Extent] = Stretches()
        self.next_deliver_seq_id = 0
        self.len = 0
        self.delta_transient_bytes = 0
        self.target_ram_count: int | None = None
        self.reduce_run_count = 0
        self.waiting_bump = False
        self.reduced: Why | None = None
        """The numbers that decided the latest reduction."""

    @property
    def bodies(self) -> SmallBodies | None:
        """Where small bodies are, None for the index itself (W18)."""
        return self.index.bodies

    @override
    def counted(self) -> tuple[Any, ...]:
        """Return the values of the counters; asked after every verb, it calls nothing."""
        persistent, transient = self.persistent.account.left, self.transient.account.left
        return (
            self.next_seq_id,
            self.next_deliver_seq_id,
            self.transient_threshold,
            self.len,
            self.bytes,
            self.unacked_bytes,
            self.persistent_count,
            self.persistent_bytes,
            self.ram_msg_count,
            self.ram_bytes,
            self.delta_transient_bytes,
            self.target_ram_count,
            self.disk_read_count,
            self.disk_write_count,
            self.reduce_run_count,
            self.waiting_bump,
            self.unconfirmed.runs.total,
            self.confirmed.runs.total,
            self.msgs_on_disk.runs.total,
            self.msg_indices_on_disk.runs.total,
            persistent,
            transient,
            (persistent is not None and persistent <= 0) or (transient is not None and transient <= 0),
        )


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
    verb, so no call is made for what holds. `counters`: the record's numbers, as `counted` returns them.
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
