"""Free disk space: the limit, the alarm, and the time of the next check (M10-M12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from engine.broker.commands.base import free_limit_bytes
from engine.broker.commands.settings import NodeSettings
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.report.transitions.base import Why

FAST_RATE_BYTES_PER_MS: Final = 250_000
"""The fastest rate at which the broker expects a disk to fill (M11)."""
MIN_INTERVAL_MS: Final = 100
MAX_INTERVAL_MS: Final = 10_000


def next_check_ms(alarm: bool, free: int, limit: int) -> int:
    """Return the milliseconds until the next check: half the time in which a fast disk could fill (M11)."""
    if alarm:
        return MAX_INTERVAL_MS
    return max(MIN_INTERVAL_MS, min(MAX_INTERVAL_MS, 2 * (free - limit) // FAST_RATE_BYTES_PER_MS))


class DiskMonitor(msgspec.Struct):
    """The result of the last disk check. Between two checks a disk can fill unnoticed (M11)."""

    total: int = 0
    free: int = 0
    limit: int = 0
    alarm: bool = False
    checked_at_us: int = 0
    interval_ms: int = MAX_INTERVAL_MS

    def check(self, *, now_us: int, total: int, used: int, others: int, limit: int) -> bool:
        """Check the disk; return whether the alarm changed (M10).

        Args:
            now_us: virtual time.
            total: bytes of the partition with the node's data directory.
            used: bytes of the node's files.
            others: bytes that everything else on the partition takes.
            limit: least free bytes before the alarm.
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


class DiskWatch:
    """The disk monitor's process.

    Args:
        settings: returns the node's settings, which may change while it runs.
        used: returns the bytes of the node's files.
        on_alarm: called when the alarm was set or cleared (M12).
        processes: those of the broker, the monitor among them.
    """

    def __init__(
        self,
        scheduler: TimerScheduler,
        settings: Callable[[], NodeSettings],
        used: Callable[[], int],
        on_alarm: Callable[[], None],
        processes: NodeProcesses,
    ) -> None:
        self.monitor = DiskMonitor()
        self._scheduler = scheduler
        self._settings = settings
        self._used = used
        self._on_alarm = on_alarm
        self._processes = processes
        self._timer: ScheduledTimer | None = None

    def check_space(self) -> None:
        """Check now, and again after the interval that follows from the result (M11)."""
        if self._timer is not None:
            self._timer.cancel()
        settings = self._settings()
        changed = self.monitor.check(
            now_us=self._scheduler.now_us,
            total=settings.disk_total_bytes,
            used=self._used(),
            others=settings.disk_free_bytes_other,
            limit=free_limit_bytes(settings.disk_free_limit, settings.ram_bytes),
        )
        self._timer = self._scheduler.at(self.monitor.next_check_us, self._due)
        if changed:
            self._on_alarm()

    def _due(self) -> None:
        self._processes.in_monitor("disk", self.check_space)

    def restart(self) -> None:
        """Start again with the node, and forget the earlier alarm (M10)."""
        self.monitor = DiskMonitor()
        self.check_space()
