"""Turning a queue lazy and back (Q55-Q57)."""

from __future__ import annotations

from collections.abc import Callable

from engine.classic_v1.queue.delta import load_delta
from engine.classic_v1.queue.reduce import permitted_betas, reduce
from engine.classic_v1.queue.state import QueueState
from engine.classic_v1.queue.target import set_target_count
from engine.classic_v1.transitions.queue import ConversionStuck
from engine.report.transitions.base import Why
from engine.report.transitions.queue import ModeChanged, TargetChanged


def set_queue_mode(q: QueueState, mode: str, wait_for_credit: Callable[[], None]) -> bool:
    """Convert the queue to `mode` ("default" or "lazy"); nothing happens when it has that mode (Q55-Q57).

    Returns whether that ever ends: a 3.8 may go round for ever on the way to "lazy", with a target of 0 (V5).

    Args:
        wait_for_credit: blocks the process until one grant from a store has been applied (Q56).
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
    set_target_count(q, 0)
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
