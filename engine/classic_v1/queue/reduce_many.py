"""Runs of a log are paged out, many as one step: alphas sink, betas roll into delta (Q46, Q49)."""

from __future__ import annotations

from typing import Final

from engine.classic_v1.queue.accounting import account_rolled, sized
from engine.classic_v1.queue.arrivals import takes_classes
from engine.classic_v1.queue.state import QueueState
from engine.classic_v1.transitions.messages import AlphasPushed, BetasPushed
from engine.report.transitions.base import Why
from engine.values.extents import HOME_STORE, IN_RAM, IN_STORE, INDEXED, PERSISTENT, Extent

AT_ONCE: Final = 512
"""Runs of a log of which one transition tells, at most."""


def push_many(q: QueueState, source: str, to: str, quota: int, target: int) -> int:
    """Push runs of a log from q1's head or q4's tail, as far as quota, target and credit reach (Q46).

    Returns how many messages; 0 where a run has to go its own way.
    """
    if not takes_classes(q) or q.stores_alone:
        return 0
    runs = q.extents_of(source)
    upwards = source == "q1"
    if upwards:
        waiting = runs.pop_head(min(quota, runs.leading(AT_ONCE)))
    else:
        waiting = runs.pop_tail(min(quota, max(AT_ONCE, runs.last.count)))
        waiting.reverse()
    why: Why = {
        "ram_msg_count": q.ram_msg_count,
        "target": target,
        "quota": quota,
        "delta_count": q.delta.count,
    }
    above, credit = q.ram_msg_count - target, q.transient.credit_left
    after: list[Extent] = []
    sunk: list[Extent] = []
    fresh: list[Extent] = []
    moved = at = charged = 0
    for extent in waiting:
        if above <= 0 or credit <= charged or len(after) == AT_ONCE or not _usual(extent):
            break
        at += 1
        if not extent.flags & HOME_STORE:  # nothing is written, and the body stays
            after.append(extent)
            moved += extent.count
            continue
        new = not extent.flags & IN_STORE
        count = min(extent.count, above, credit - charged) if new else min(extent.count, above)
        rest = extent.count - count
        if rest:
            at -= 1
            waiting[at] = extent.part(count, rest) if upwards else extent.part(0, rest)
            extent = extent.part(0 if upwards else rest, count)  # noqa: PLW2901 - the part that goes
        if new:
            fresh.append(extent)
            charged += count
        above -= count
        moved += count
        sunk.append(extent)
        after.append(extent.with_flags(IN_STORE, IN_RAM))
        if rest:
            break
    _put_back(q, source, waiting[at:])
    if after:
        _sunk(q, source, to, after, sunk, fresh, charged, why)
    return moved


def _usual(extent: Extent) -> bool:
    """Return whether an alpha of a log is as alphas are: its body in RAM, and written where it is persistent."""
    flags = extent.flags
    if isinstance(extent.size_bytes, int) or not flags & IN_RAM:
        return False
    return not flags & PERSISTENT or (
        flags & INDEXED != 0 and (not flags & HOME_STORE or flags & IN_STORE != 0)
    )


def _put_back(q: QueueState, source: str, extents: list[Extent]) -> None:
    """Return what did not go to the end it came from; `extents` begin at that end."""
    if source == "q1":
        q.q1.put_before(extents)
    else:
        q.q4.insert_all(reversed(extents))


def _sunk(
    q: QueueState,
    source: str,
    to: str,
    after: list[Extent],
    sunk: list[Extent],
    fresh: list[Extent],
    charged: int,
    why: Why,
) -> None:
    """Let alphas arrive as betas.

    Args:
        after: all of them as betas, in the order in which they went.
        sunk: those that lose their bodies, as they were.
        fresh: those whose bodies are new to the store.
        charged: how many these are.
        why: the numbers that decided it.
    """
    if fresh:
        q.transient.charge(charged)
        q.disk_write_count += charged
        q.transient.write_new(fresh, one_by_one=False, descending=source == "q4")
    for extent, size in sized(sunk):
        q.ram_msg_count -= extent.count
        q.ram_bytes -= size
    if source == "q4":
        after.reverse()
        q.q3.put_before(after)
    else:
        q.extents_of(to).insert_all(after)
    q.emit(AlphasPushed("Q46", q.name, source, to, tuple(after), None, why))


def together_to_delta(q: QueueState, edge: Extent) -> bool:
    """Return whether entries from here on go into delta many runs at once: those of a log, in files of version 1."""
    return not isinstance(edge.size_bytes, int) and takes_classes(q)


def roll_q3_tail(q: QueueState, limit: int, quota: int) -> int:
    """Roll runs at q3's tail that lie behind a limit; return how many messages."""
    extents: list[Extent] = []
    left = quota
    while left > 0 and q.q3.total and len(extents) < AT_ONCE:
        tail = q.q3.last
        end = tail.start + tail.count
        if end <= limit:
            break
        extents.append(q.q3.take_last(min(left, end - limit)))
        left -= extents[-1].count
    return _roll(q, "q3", extents, {"limit": limit, "quota": quota})


def roll_q2_head(q: QueueState, quota: int) -> int:
    """Roll runs at q2's head; return how many messages."""
    return _roll(q, "q2", q.q2.pop_head(min(quota, q.q2.leading(AT_ONCE))), {"quota": quota})


def _roll(q: QueueState, source: str, extents: list[Extent], why: Why) -> int:
    """Hand runs to the index in this order and let delta count them; return how many messages."""
    fresh = [each for each in extents if not each.flags & INDEXED]
    if fresh:
        q.index.pre_publish_many(fresh, q.target_ram_count, source == "q3")
        q.disk_write_count += sum([each.count for each in fresh if not each.flags & HOME_STORE])
    transient = account_rolled(q, extents)
    first, last = (extents[-1], extents[0]) if source == "q3" else (extents[0], extents[-1])
    count = sum([each.count for each in extents])
    q.delta = q.delta.spanned(first.start, last.start + last.count, count, transient)
    after = [each.with_flags(INDEXED) for each in extents]
    if source == "q3":
        after.reverse()
    q.emit(BetasPushed("Q49", q.name, source, "delta", tuple(after), q.delta, why))
    return count
