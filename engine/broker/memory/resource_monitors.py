"""The monitors of memory and disk: the limits, what is over them, the alarms, and the times of the checks (M1-M12)."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from engine.broker.commands.base import free_limit_bytes, limit_bytes
from engine.broker.commands.settings import NodeSettings, Strategy
from engine.broker.memory.model import MemoryModel
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import ScheduledTimer, TimerScheduler
from engine.report.transitions.base import Why

ALLOCATED_BASE_PCT: Final = 69
ALLOCATED_PCT: Final = 103
"""Per cent of `erlang`'s bytes: for a node without messages, and for what messages add."""

RSS_BASE_PCT: Final = 213
RSS_HEAP_PCT: Final = 948
"""Per cent of the live bytes of process heaps: each larger heap is a new block, and earlier blocks stay."""
RSS_BINARY_PCT: Final = 89
RSS_HEAP_KEPT_PCT: Final = 78
RSS_BINARY_KEPT_PCT: Final = 28
"""Per cent of the maximum that is left eight seconds after all of it was freed."""


class HighWater(msgspec.Struct):
    """The largest heaps and binaries since the VM started, which `rss` depends on."""

    heaps: int = 0
    binaries: int = 0

    def reset(self) -> None:
        """Start again with the VM."""
        self.heaps = self.binaries = 0

    def note(self, memory: MemoryModel) -> None:
        self.heaps = max(self.heaps, _heaps(memory))
        self.binaries = max(self.binaries, _binaries(memory))


def counted(memory: MemoryModel, strategy: Strategy, high_water: HighWater) -> int:
    """Return the node's memory in bytes as a strategy counts it. `high_water`: must include this measurement
    and all earlier ones.
    """
    return _COUNTED[strategy](memory, high_water)


def _heaps(memory: MemoryModel) -> int:
    return memory.entries + memory.journal + memory.stores


def _binaries(memory: MemoryModel) -> int:
    return memory.bodies + memory.cached_bodies


def _erlang(memory: MemoryModel, _: HighWater) -> int:
    return memory.total


def _allocated(memory: MemoryModel, _: HighWater) -> int:
    return (memory.base * ALLOCATED_BASE_PCT + (memory.total - memory.base) * ALLOCATED_PCT) // 100


def _rss(memory: MemoryModel, high_water: HighWater) -> int:
    heaps = max(100 * _heaps(memory), high_water.heaps * RSS_HEAP_KEPT_PCT) * RSS_HEAP_PCT
    binaries = max(100 * _binaries(memory), high_water.binaries * RSS_BINARY_KEPT_PCT) * RSS_BINARY_PCT
    return (memory.base * RSS_BASE_PCT) // 100 + memory.connections + (heaps + binaries) // 10_000


_COUNTED: Final[dict[Strategy, Callable[[MemoryModel, HighWater], int]]] = {
    "erlang": _erlang,
    "legacy": _erlang,
    "allocated": _allocated,
    "rss": _rss,
}


SUM_INCREMENT: Final = 1.0
SUM_INCREMENT_BELOW: Final = 0.95
NEGLIGIBLE_SUM: Final = 1e-6


class RegisteredQueue(msgspec.Struct):
    """The duration that one queue reported, and the one that it got; None is infinity (M1)."""

    reported: float | None = None
    sent: float | None = None


def _less(left: float | None, right: float | None) -> bool:
    """Compare durations; None is infinity."""
    return left is not None and (right is None or left < right)


class MemoryMonitor(msgspec.Struct, eq=False):
    """Computes the target duration from the queues' reports and the memory in use (M1)."""

    queues: dict[str, RegisteredQueue] = {}
    sum: float = 0.0
    count: int = 0
    desired: float | None = None

    def register(self, queue: str) -> None:
        """Register a queue, with both durations infinite (M1)."""
        self.queues[queue] = RegisteredQueue()

    def deregister(self, queue: str) -> None:
        """Forget a queue whose process ended, and its report (M1)."""
        self.report(queue, None)
        del self.queues[queue]

    def report(self, queue: str, duration: float | None) -> float | None:
        """Note a queue's duration and return the target duration, as last computed (M2)."""
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
        """Compute the target duration again; return the queues to notify at once (M3, M4). While this node's
        disk alarm is set, nothing may be paged: the duration is infinite, and queues are notified at once of
        rises instead of falls.
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


class MemoryWatch:
    """The node's memory as last checked, and whether it is above the watermark."""

    __slots__ = (
        "monitor",
        "memory",
        "counted",
        "limit",
        "paging_at",
        "alarm",
        "high_water",
        "_differed",
        "_reported",
        "_bodies",
    )

    def __init__(self, monitor: MemoryMonitor) -> None:
        self.monitor = monitor
        self.memory = MemoryModel(0, 0, 0, 0, 0, 0, 0)
        self.counted = 0
        """The bytes that are compared with the watermark (M9)."""
        self.high_water = HighWater()
        self._differed = False
        """Whether a strategy ever counted something beyond the VM's own total."""
        self.limit = 0
        self.paging_at = 0
        self.alarm = False
        self._bodies: deque[tuple[int, int]] = deque()
        """Recent measurements of bodies: time and bytes, each larger than all later ones."""
        self._reported = self._items()
        """The last measurement as shown."""

    def check(self, memory: MemoryModel, settings: NodeSettings, now_us: int) -> bool:
        """Take a fresh measurement; return whether the alarm changed (M7, M8)."""
        lingers_us = 0 if settings.garbage_follows else settings.garbage_lingers_ms * 1000
        memory = msgspec.structs.replace(memory, bodies=self._uncollected(memory.bodies, now_us, lingers_us))
        self.memory = memory
        self.limit = limit_bytes(settings.vm_memory_high_watermark, settings.ram_bytes)
        self.paging_at = math.trunc(self.limit * settings.vm_memory_high_watermark_paging_ratio)
        self.high_water.note(memory)
        self.counted = counted(memory, settings.vm_memory_calculation_strategy, self.high_water)
        self._reported = self._items()
        alarm = self.counted > self.limit
        changed = alarm != self.alarm
        self.alarm = alarm
        return changed

    def restart(self) -> None:
        """Start again with the VM, without garbage and without earlier maxima."""
        self.high_water.reset()
        self._bodies.clear()

    def _uncollected(self, bodies: int, now_us: int, lingers_us: int) -> int:
        """Return the bytes of bodies, including those that left RAM but are not collected yet. `lingers_us`: how
        long each counts; 0 where garbage is modelled by process.
        """
        if not lingers_us:
            return bodies
        while self._bodies and self._bodies[-1][1] <= bodies:
            self._bodies.pop()
        self._bodies.append((now_us, bodies))
        while self._bodies[0][0] < now_us - lingers_us:
            self._bodies.popleft()
        return self._bodies[0][1]

    @property
    def is_settled(self) -> bool:
        """Whether a check of the same memory finds the same, however late it comes."""
        return len(self._bodies) < 2  # no body that is collected with time

    def recompute(self, settings: NodeSettings, disk_alarm: bool) -> list[str]:
        """Compute the desired duration from the last check; return the queues that must get it (M3, M4)."""
        ratio = settings.vm_memory_high_watermark_paging_ratio
        return self.monitor.recompute(self.counted, self.limit, ratio, disk_alarm)

    def _items(self) -> Why:
        memory = self.memory
        beyond = self.counted - memory.total
        self._differed = self._differed or beyond != 0
        return {
            **({"beyond_live_bytes": beyond} if self._differed else {}),
            "process_memory": self.counted,
            "limit": self.limit,
            "paging_at": self.paging_at,
            "base_bytes": memory.base,
            "connection_bytes": memory.connections + memory.buffers,
            "entry_bytes": memory.entries,
            "body_bytes": memory.bodies,
            "journal_bytes": memory.journal,
            "store_bytes": memory.stores,
            "cached_body_bytes": memory.cached_bodies,
        }

    def info_items(self) -> Why:
        """Return what is shown of it; bytes are modelled."""
        return {
            **self._reported,
            "reporting": self.monitor.count,
            "reported_sum": self.monitor.sum,
            "desired_duration": self.monitor.desired,
        }


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
