"""The one place where lengths and byte totals change (Q13)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from engine.classic_v1.queue.state import QueueState
from engine.values.each import Each
from engine.values.extents import IN_RAM, PERSISTENT, Extent


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
    """Apply one event to the totals that moves no body, as `account` does for each run (Q13).

    Args:
        extents: the messages; what is gone afterwards is not in RAM, and what stays is as it was.
        ready, unacked: -1, 0 or +1 for each message.
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
