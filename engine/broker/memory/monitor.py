"""How long messages may stay in RAM: the duration that every queue should aim for (M1-M6)."""

from __future__ import annotations

from typing import Final

import msgspec

SUM_INCREMENT: Final = 1.0
SUM_INCREMENT_BELOW: Final = 0.95
NEGLIGIBLE_SUM: Final = 1e-6


class RegisteredQueue(msgspec.Struct):
    """The duration that one queue reported, and the one that it was given; None is infinity (M1)."""

    reported: float | None = None
    sent: float | None = None


def _less(left: float | None, right: float | None) -> bool:
    """Compare durations; None is infinity."""
    return left is not None and (right is None or left < right)


class MemoryMonitor:
    """Reported durations, and the desired one that is computed from them and the memory in use (M1)."""

    __slots__ = ("queues", "sum", "count", "desired")

    def __init__(self) -> None:
        self.queues: dict[str, RegisteredQueue] = {}
        self.sum = 0.0
        self.count = 0
        self.desired: float | None = None

    def register(self, queue: str) -> None:
        """Make a queue known, with both durations infinite (M1)."""
        self.queues[queue] = RegisteredQueue()

    def deregister(self, queue: str) -> None:
        """Forget a queue whose process ended; its report counts no longer (M1)."""
        self.report(queue, None)
        del self.queues[queue]

    def report(self, queue: str, duration: float | None) -> float | None:
        """Note a queue's duration and return the one it should aim for, as last computed (M2)."""
        known = self.queues[queue]
        if known.reported is not None:
            self.sum -= known.reported
            self.count -= 1
        if duration is not None:
            self.sum += duration
            self.count += 1
        if self.sum < NEGLIGIBLE_SUM:
            self.sum = 0.0
        known.reported = duration
        known.sent = self.desired
        return self.desired

    def recompute(
        self, process_memory: int, limit: int, paging_ratio: float, disk_alarm: bool = False
    ) -> list[str]:
        """Compute the desired duration again; return the queues that must be notified at once (M3, M4).

        While this node's disk alarm is set nothing is to be paged: the duration is infinite, and instead of falls it
        is rises that queues are notified of at once.
        """
        before = self.desired
        self.desired = None if disk_alarm else self._desired(process_memory, limit, paging_ratio)

        def urgent(than: float | None) -> bool:
            return _less(than, self.desired) if disk_alarm else _less(self.desired, than)

        if not urgent(before):
            return []
        changed: list[str] = []
        for name, known in self.queues.items():
            if urgent(known.sent) and urgent(known.reported):
                known.sent = self.desired
                changed.append(name)
        return changed

    def _desired(self, process_memory: int, limit: int, paging_ratio: float) -> float | None:
        if limit <= 0:
            return 0.0
        ratio = process_memory / limit
        if ratio < paging_ratio or self.count == 0:
            return None
        total = self.sum + SUM_INCREMENT if ratio < SUM_INCREMENT_BELOW else self.sum
        return total / self.count / ratio if ratio else None
