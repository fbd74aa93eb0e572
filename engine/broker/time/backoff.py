"""How long an idle process waits before it hibernates: gen_server2's backoff (P4)."""

from __future__ import annotations

from engine.broker.time.draws import RandomDraws


class HibernateBackoff:
    """The wait of one process; it grows when the process is woken soon after it fell asleep.

    Args:
        seed: all draws follow from it.
        minimum_ms: the shortest wait, and the first.
        desired_ms: a process that was left alone for longer than this waits half as long the next time.
    """

    __slots__ = ("wait_ms", "_minimum_ms", "_desired_ms", "_draws")

    def __init__(self, seed: str, minimum_ms: int, desired_ms: int) -> None:
        self.wait_ms = minimum_ms
        self._minimum_ms = minimum_ms
        self._desired_ms = desired_ms
        self._draws = RandomDraws(seed)

    def wake(self, slept_us: int) -> None:
        """Draw the next wait: between once and twice the last one, or half of it after a long rest.

        Args:
            slept_us: for how long the process hibernated, in microseconds.
        """
        gap_us = slept_us + 1000 * self.wait_ms
        base = self.wait_ms
        if gap_us > 1000 * (self._minimum_ms + self._desired_ms):
            base = max(self._minimum_ms, self.wait_ms // 2)
        self.wait_ms = base + self._draws.below(base) + 1
