"""Reducing memory: alphas sink, betas roll into delta (Q44-Q54)."""

from __future__ import annotations

from collections.abc import Callable

from engine.classic_v1.queue.pending import flush_cache, trim, write, write_index
from engine.classic_v1.queue.state import QueueState, account, account_rolled, sized, takes_classes
from engine.classic_v1.queue.taking import load_delta
from engine.classic_v1.transitions import AlphasPushed, BetasPushed, ConversionStuck, PendingPaged, Reduced
from engine.report.transitions.base import Why
from engine.report.transitions.queue import ModeChanged, TargetChanged
from engine.values.extents import AT_ONCE, HOME_STORE, IN_RAM, IN_STORE, INDEXED, PERSISTENT, Extent


def push_many(q: QueueState, source: str, to: str, quota: int, target: int) -> int:
    """Push runs of a log from q1's head or q4's tail, as far as quota, target and credit allow (Q46). Returns
    how many messages; 0 if a run must go alone.
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
    above, credit = q.ram_msg_count - target, q.transient.account.room
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
    """Return whether an alpha of a log is an ordinary one: its body in RAM, and written if persistent."""
    flags = extent.flags
    if isinstance(extent.size_bytes, int) or not flags & IN_RAM:
        return False
    return not flags & PERSISTENT or (
        flags & INDEXED != 0 and (not flags & HOME_STORE or flags & IN_STORE != 0)
    )


def _put_back(q: QueueState, source: str, extents: list[Extent]) -> None:
    """Return the messages that were not moved to the end that they came from; `extents` begin at that end."""
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
        q.transient.account.spend(charged)
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
    """Return whether several runs may go into delta at once: runs of a log, in files of version 1."""
    return not isinstance(edge.size_bytes, int) and takes_classes(q)


def roll_q3_tail(q: QueueState, limit: int, quota: int) -> int:
    """Roll runs at q3's tail that are past a limit; return how many messages."""
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
    return _roll(q, "q2", q.q2.pop_head(min(quota, q.q2.leading(AT_ONCE))), {"quota": quota})


def _roll(q: QueueState, source: str, extents: list[Extent], why: Why) -> int:
    """Hand runs to the index in this order and let delta count them; return how many messages."""
    fresh = [each for each in extents if not each.flags & INDEXED]
    if fresh:
        q.index.pre_publish(fresh, q.target_ram_count, descending=source == "q3")
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


BUMP = ("bump", None)
UNLIMITED = 1 << 62


def until_reduction(q: QueueState) -> int:
    """Return how many more counted runs there are up to and including the one that reduces (Q44). With an
    infinite target a reduction does nothing (Q45), so any number may be counted at once.
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
                count = min(count, q.client_of(edge).account.room)
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
    """Roll entries into delta: q3 from its tail down to its head's segment, then q2 from its head (Q49). In
    lazy mode only q3, down to nothing (Q53). Returns how many moved.
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


def ram_duration(q: QueueState) -> float | None:
    """Return how many seconds the messages in RAM would last at the current rates, None for infinity (Q42)."""
    q.rates.update(q.now_us)
    if q.rates.idle:
        return None
    in_ram = q.ram_msg_count + q.ram_pending.total + q.index_pending.total
    return in_ram / (4 * q.rates.sum)


def set_ram_duration_target(q: QueueState, duration_s: float | None) -> int | None:
    """Turn a duration into target_ram_count, and reduce if it shrank (Q43). Returns the new target, None for
    infinity.
    """
    target = None if duration_s is None else int(duration_s * q.rates.sum)
    _change(q, target, duration_s)
    return target


def _change(q: QueueState, target: int | None, duration_s: float | None) -> None:
    old = q.target_ram_count
    q.target_ram_count = target
    if target != old:
        q.emit(
            TargetChanged("Q43", q.name, target, {"duration": duration_s, "rates": q.rates.sum, "old": old})
        )
    if target is None or (old is not None and target >= old):
        return
    reduce(q)


def set_queue_mode(q: QueueState, mode: str, wait_for_credit: Callable[[], None]) -> bool:
    """Convert the queue to `mode` ("default" or "lazy"); nothing happens when it has that mode (Q55-Q57).
    Returns whether that ever ends: a 3.8 may go round for ever on the way to "lazy", with a target of 0 (V5).
    `wait_for_credit`: blocks the process until one grant from a store has been applied (Q56).
    """
    if mode == q.mode:
        return True
    if mode == "lazy":
        if not _page_everything(q, wait_for_credit):
            return False
        q.mode = "lazy"
        q.emit(ModeChanged("Q56", q.name, "lazy"))
    else:
        q.mode = "default"
        q.emit(ModeChanged("Q57", q.name, "default"))
        load_delta(q)
    return True


def _page_everything(q: QueueState, wait_for_credit: Callable[[], None]) -> bool:
    """Move all to q3 and delta; return whether that ever ends (Q56, V5)."""
    remembered = q.target_ram_count
    batch = q.io_batch_size
    _change(q, 0, None)
    while q.delta.count + q.q3.total != q.len:
        if q.blocked:
            wait_for_credit()
        before = _where_all_is(q)
        if q.settings.pages_the_rest:
            q.io_batch_size = 0
        reduce(q)
        if _where_all_is(q) == before and not q.blocked:
            # Only the rule of 3.8 comes here: what is left is less than a batch, and no pass moves it.
            permitted = permitted_betas(q) or 0
            why: Why = {
                "left": q.len - q.delta.count - q.q3.total,
                "q2": q.q2.total,
                "q3": q.q3.total,
                "permitted": permitted,
                "surplus": q.q2.total + q.q3.total - permitted,
                "io_batch_size": batch,
            }
            q.emit(ConversionStuck("V5", q.name, why))
            return False
    q.io_batch_size = batch
    if q.target_ram_count != remembered:
        q.emit(TargetChanged("Q56", q.name, remembered, {"old": q.target_ram_count, "restored": True}))
        q.target_ram_count = remembered
    return True


def _where_all_is(q: QueueState) -> tuple[int, ...]:
    return (q.q1.total, q.q2.total, q.delta.count, q.q3.total, q.q4.total, q.ram_pending.total)
