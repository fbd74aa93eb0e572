"""Looking at the disk again and again: sooner the less is free (M10, M11)."""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.commands.memory_limit import free_limit_bytes
from engine.broker.commands.settings import NodeSettings
from engine.broker.memory.disk_monitor import DiskMonitor
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler


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
        """Check now, and again after the interval that the finding asks for (M11)."""
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
        """Start again with the node: the alarm of before is forgotten (M10)."""
        self.monitor = DiskMonitor()
        self.check_space()
