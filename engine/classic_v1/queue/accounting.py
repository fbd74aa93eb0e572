"""The one place where lengths and byte totals change (Q13)."""

from __future__ import annotations

from engine.classic_v1.queue.state import QueueState
from engine.values.extents import PERSISTENT, Extent


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
