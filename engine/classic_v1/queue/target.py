"""How many messages may keep their body in RAM (Q42, Q43)."""

from __future__ import annotations

from engine.classic_v1.queue.reduce import reduce
from engine.classic_v1.queue.state import QueueState
from engine.report.transitions.queue import TargetChanged


def ram_duration(q: QueueState) -> float | None:
    """Return how many seconds the messages in RAM would last at the present rates, None for infinity (Q42)."""
    q.rates.update(q.now_us)
    if q.rates.idle:
        return None
    in_ram = q.ram_msg_count + q.ram_pending.total + q.index_pending.total
    return in_ram / (4 * q.rates.sum)


def set_ram_duration_target(q: QueueState, duration_s: float | None) -> int | None:
    """Turn a wanted duration into target_ram_count and reduce if it shrank (Q43).

    Returns the new target, None for infinity.
    """
    target = None if duration_s is None else int(duration_s * q.rates.sum)
    _change(q, target, duration_s)
    return target


def set_target_count(q: QueueState, target: int | None) -> None:
    """Set the target itself, by the same rule about when to reduce (Q43)."""
    _change(q, target, None)


def _change(q: QueueState, target: int | None, duration_s: float | None) -> None:
    old = q.target_ram_count
    q.target_ram_count = target
    if target != old:
        q.emit(
            TargetChanged(
                "Q43",
                q.name,
                target,
                {"duration": duration_s, "rates": q.rates.sum, "old": old},
            )
        )
    if target is None or (old is not None and target >= old):
        return
    reduce(q)
