"""Free disk space: the limit, the alarm, and the time until the next check (M10-M12)."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.report.transitions.base import Why

FAST_RATE_BYTES_PER_MS: Final = 250_000
"""How fast a disk is believed to fill at most (M11)."""
MIN_INTERVAL_MS: Final = 100
MAX_INTERVAL_MS: Final = 10_000


def next_check_ms(alarm: bool, free: int, limit: int) -> int:
    """Return after how many milliseconds to check again: half the time in which a fast disk could become full (M11)."""
    if alarm:
        return MAX_INTERVAL_MS
    return max(MIN_INTERVAL_MS, min(MAX_INTERVAL_MS, 2 * (free - limit) // FAST_RATE_BYTES_PER_MS))


class DiskMonitor(msgspec.Struct):
    """What the last check of the disk found. Between two checks a disk can fill unseen (M11)."""

    total: int = 0
    free: int = 0
    limit: int = 0
    alarm: bool = False
    checked_at_us: int = 0
    interval_ms: int = MAX_INTERVAL_MS

    def check(self, *, now_us: int, total: int, used: int, others: int, limit: int) -> bool:
        """Look at the disk; return whether the alarm changed (M10).

        Args:
            now_us: virtual time.
            total: bytes of the partition with the node's data directory.
            used: bytes of the node's files.
            others: bytes that everything else on the partition takes.
            limit: least bytes that are to be free.
        """
        self.total, self.limit, self.checked_at_us = total, limit, now_us
        self.free = max(0, total - others - used)
        before = self.alarm
        self.alarm = self.free < limit
        self.interval_ms = next_check_ms(self.alarm, self.free, limit)
        return self.alarm != before

    @property
    def next_check_us(self) -> int:
        """When the disk is looked at again (M11)."""
        return self.checked_at_us + 1000 * self.interval_ms

    def info_items(self) -> Why:
        """Return what is shown of it."""
        return {
            "total": self.total,
            "free": self.free,
            "limit": self.limit,
            "alarm": self.alarm,
            "checked_at_us": self.checked_at_us,
            "next_check_at_us": self.next_check_us,
        }
