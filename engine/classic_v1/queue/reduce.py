"""Reducing memory: alphas sink, betas roll into delta (Q44-Q54)."""

from __future__ import annotations

from engine.classic_v1.queue.accounting import account
from engine.classic_v1.queue.disk import flush_cache, trim, write, write_index
from engine.classic_v1.queue.reduce_many import push_many, roll_q2_head, roll_q3_tail, together_to_delta
from engine.classic_v1.queue.state import QueueState
from engine.classic_v1.transitions.messages import AlphasPushed, BetasPushed, PendingPaged
from engine.classic_v1.transitions.queue import Reduced
from engine.report.transitions.base import Why
from engine.values.extents import HOME_STORE, IN_RAM, IN_STORE, PERSISTENT, Extent

BUMP = ("bump", None)
UNLIMITED = 1 << 62


def until_reduction(q: QueueState) -> int:
    """Return how many more counted runs there are up to and including the one that reduces (Q44).

    With an infinite target a reduction does nothing (Q45), so any number may be counted at once.
    """
    if q.target_ram_count is None:
        return UNLIMITED
    return max(1, q.settings.explicit_gc_run_operation_threshold - q.reduce_run_count + 1)


def count_towards_reduction(q: QueueState, runs: int) -> None:
    """Count `runs` publishes or requeues, at most up to the next reduction, and reduce when due (Q44)."""
    if q.target_ram_count is None:
        q.reduce_run_count = (q.reduce_run_count + runs) % (
            q.settings.explicit_gc_run_operation_threshold + 1
        )
        return
    left = until_reduction(q)
    if runs < left:
        q.reduce_run_count += runs
        return
    reduce(q)
    q.reduce_run_count = 0


def resume(q: QueueState) -> None:
    """Reduce now: credit came back or a bump arrived (Q54)."""
    reduce(q)


def reduce(q: QueueState) -> None:
    """Bring the queue down to its target, one bounded step (Q45, Q53)."""
    if q.target_ram_count is None:
        return
    why = _reduce_lazy(q) if q.mode == "lazy" else _reduce_default(q)
    q.reduced = why
    q.emit(Reduced("Q53" if q.mode == "lazy" else "Q45", q.name, why))


def _reduce_default(q: QueueState) -> Why:
    target = q.target_ram_count or 0
    cap = 2 * q.settings.msg_store_credit_disc_bound[0]
    why: Why = {
        "ram_msg_count": q.ram_msg_count,
        "ram_pending": q.ram_pending.total,
        "target": target,
        "q1_moved": 0,
        "q4_moved": 0,
        "pending_paged": 0,
    }
    surplus = max(0, q.ram_msg_count + q.ram_pending.total - target)
    quota = min(surplus, cap)
    left = quota
    acks_first = q.rates.acks_grow_faster
    why.update(surplus=surplus, quota=quota, cap=cap, order="acks_first" if acks_first else "alphas_first")
    if surplus > 0:
        for step in (limit_acks, push_alphas) if acks_first else (push_alphas, limit_acks):
            left = step(q, left, why)
    more = left == 0 and surplus > quota
    betas = q.q2.total + q.q3.total
    permitted = permitted_betas(q)
    beta_surplus = 0 if permitted is None or permitted >= betas else betas - permitted
    moved = 0
    if beta_surplus >= q.io_batch_size:
        moved = push_betas(q, min(beta_surplus, cap), why)
        more = more or beta_surplus > cap
    if q.settings.reduction_flushes:  # V4
        q.index.flush()
    bump = more and not q.blocked and not q.waiting_bump
    if bump:
        q.waiting_bump = True
        q.mailbox.append(BUMP)
    why.update(
        betas=betas,
        permitted=permitted,
        beta_surplus=beta_surplus,
        io_batch_size=q.io_batch_size,
        betas_moved=moved,
        blocked=q.blocked,
        bump=bump,
    )
    return why


def _reduce_lazy(q: QueueState) -> Why:
    target = q.target_ram_count or 0
    surplus = max(0, q.ram_msg_count + q.ram_pending.total - target)
    why: Why = {
        "ram_msg_count": q.ram_msg_count,
        "ram_pending": q.ram_pending.total,
        "target": target,
        "surplus": surplus,
        "pending_paged": 0,
    }
    if surplus > 0:
        limit_acks(q, surplus, why)
    permitted = permitted_betas(q)
    beta_surplus = 0 if permitted is None else max(0, q.q3.total - permitted)
    moved = 0
    if beta_surplus or q.settings.reduction_flushes:
        moved = push_betas(q, beta_surplus, why)
    if q.settings.reduction_flushes:  # V4
        q.index.flush()
    why.update(betas=q.q3.total, permitted=permitted, beta_surplus=beta_surplus, betas_moved=moved)
    return why


def push_alphas(q: QueueState, quota: int, why: Why) -> int:
    """Move alphas towards disk: q1 from its head, then q4 from its tail (Q46). Return the quota left."""
    beyond = "q3" if q.delta.count == 0 and q.delta.transient == 0 else "q2"
    left = _push_alphas_from(q, "q1", beyond, quota)
    why["q1_moved"] = quota - left
    after = _push_alphas_from(q, "q4", "q3", left)
    why["q4_moved"] = left - after
    return after


def _push_alphas_from(q: QueueState, source: str, to: str, quota: int) -> int:
    runs, beyond, bodies = q.extents_of(source), q.extents_of(to), q.bodies
    target = q.target_ram_count
    while quota > 0 and runs.total:
        if target is None or target >= q.ram_msg_count or q.blocked:
            break
        count = quota
        edge = runs.first if source == "q1" else runs.last
        if not isinstance(edge.size_bytes, int):
            moved = push_many(q, source, to, quota, target)
            if moved:
                quota -= moved
                continue
        home_store = edge.flags & HOME_STORE
        if home_store or bodies:
            count = min(count, q.ram_msg_count - target)
            if home_store and not edge.flags & IN_STORE:
                count = min(count, q.client_of(edge).credit_left)
        before = runs.take_first(count) if source == "q1" else runs.take_last(count)
        numbers: Why = {
            "ram_msg_count": q.ram_msg_count,
            "target": target,
            "quota": quota,
            "delta_count": q.delta.count,
        }
        after = trim(q, write(q, True, False, before, batch=True, descending=source == "q4"))
        account(q, before, paged=True, before=before.flags & IN_RAM != 0, after=after.flags & IN_RAM != 0)
        beyond.insert(after)
        q.emit(AlphasPushed("Q46", q.name, source, to, (after,), None, numbers))
        quota -= before.count
    flush_cache(q)
    return quota


def limit_acks(q: QueueState, quota: int, why: Why) -> int:
    """Drop the bodies of pending acks, newest first (Q47). Return the quota left."""
    started = quota
    while quota > 0 and q.ram_pending:
        before = q.ram_pending.last
        [before] = q.ram_pending.pop_tail(min(quota, before.count))
        after = trim(q, write(q, True, False, before, batch=True, descending=True))
        account(q, before, before=before.in_ram, after=after.in_ram)
        q.disk_pending.insert(after)
        numbers: Why = {"ram_pending": q.ram_pending.total + before.count, "quota": quota}
        q.emit(PendingPaged("Q47", q.name, "ram_pending", "disk_pending", (after,), None, numbers))
        quota -= before.count
    flush_cache(q)
    why["pending_paged"] = started - quota
    return quota


def permitted_betas(q: QueueState) -> int | None:
    """Return how many betas may stay in q2 and q3, None for any number (Q48)."""
    if q.len == 0:
        return None
    target = q.target_ram_count or 0
    if q.mode == "lazy":
        return target
    segment = q.index.size
    if target == 0:
        return min(q.q3.total, segment)
    beyond = q.len - q.q1.total - q.q4.total
    return max(segment, beyond - (beyond * beyond) // (beyond + target))


def push_betas(q: QueueState, quota: int, why: Why) -> int:
    """Roll entries into delta: q3 from its tail down to its head's segment, then q2 from its head (Q49).

    In lazy mode only q3, down to nothing (Q53). Returns how many moved.
    """
    started = quota
    if q.q3:
        head = q.q3.first.start
        limit = head if q.mode == "lazy" else q.index.next_segment_boundary(head)
        if q.q3.end - 1 >= limit:
            quota = _push_q3_tail(q, limit, quota)
    why["q3_to_delta"] = started - quota
    if q.mode != "lazy" and q.q2:
        before = quota
        quota = _push_q2_head(q, quota)
        why["q2_to_delta"] = before - quota
    return started - quota


def _push_q3_tail(q: QueueState, limit: int, quota: int) -> int:
    while quota > 0 and q.q3.total:
        tail = q.q3.last
        end = tail.start + tail.count
        if end <= limit:
            break
        if together_to_delta(q, tail):
            quota -= roll_q3_tail(q, limit, quota)
            continue
        count = min(quota, end - limit, q.index.cache_room)
        extent = q.q3.take_last(count)
        _into_delta(q, "q3", extent, {"limit": limit, "quota": quota}, descending=True)
        quota -= extent.count
    flush_cache(q)
    return quota


def _push_q2_head(q: QueueState, quota: int) -> int:
    while quota > 0 and q.q2.total:
        if together_to_delta(q, q.q2.first):
            quota -= roll_q2_head(q, quota)
            continue
        room = q.index.cache_room
        extent = q.q2.take_first(quota if quota < room else room)
        _into_delta(q, "q2", extent, {"quota": quota})
        quota -= extent.count
    flush_cache(q)
    return quota


def _into_delta(q: QueueState, source: str, before: Extent, why: Why, descending: bool = False) -> None:
    after = write_index(q, True, before, batch=True, descending=descending)
    account(q, before, paged=True, before=before.flags & IN_RAM != 0, after=False, delta=1)
    count = before.count
    q.delta = q.delta.extended(before.start, count, 0 if before.flags & PERSISTENT else count)
    q.emit(BetasPushed("Q49", q.name, source, "delta", (after,), q.delta, why))
