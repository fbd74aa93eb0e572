"""Turning a queue lazy and back (Q55-Q57)."""

from __future__ import annotations

from collections.abc import Callable

from engine.transitions import ModeChanged, TargetChanged
from engine.variable_queue.delta import load_delta
from engine.variable_queue.reduce import reduce
from engine.variable_queue.state import QueueState
from engine.variable_queue.target import set_target_count


def set_queue_mode(q: QueueState, mode: str, wait_for_credit: Callable[[], None]) -> None:
    """Convert the queue to `mode` ("default" or "lazy"); nothing happens when it has that mode (Q55-Q57).

    Args:
        wait_for_credit: blocks the process until one grant from a store has been applied (Q56).
    """
    if mode == q.mode:
        return
    if mode == "lazy":
        _page_everything(q, wait_for_credit)
        q.mode = "lazy"
        q.emit(ModeChanged("Q56", q.name, "lazy"))
    else:
        q.mode = "default"
        q.emit(ModeChanged("Q57", q.name, "default"))
        load_delta(q)


def _page_everything(q: QueueState, wait_for_credit: Callable[[], None]) -> None:
    remembered = q.target_ram_count
    batch = q.io_batch_size
    set_target_count(q, 0)
    while q.delta.count + q.q3.total != q.len:
        if q.blocked:
            wait_for_credit()
        q.io_batch_size = 0
        reduce(q)
    q.io_batch_size = batch
    if q.target_ram_count != remembered:
        q.emit(TargetChanged("Q56", q.name, remembered, {"old": q.target_ram_count, "restored": True}))
        q.target_ram_count = remembered
