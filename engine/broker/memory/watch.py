"""Looking at the memory: the alarm, and the recomputation of the duration to aim for (M1, M7-M9)."""

from __future__ import annotations

import math
from collections import deque

import msgspec

from engine.broker.commands.memory_limit import limit_bytes
from engine.broker.commands.settings import NodeSettings
from engine.broker.memory.model import MemoryModel
from engine.broker.memory.monitor import MemoryMonitor
from engine.broker.memory.strategies import HighWater, counted
from engine.report.transitions.base import Why


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
        self.limit = 0
        self.paging_at = 0
        self.alarm = False
        self._bodies: deque[tuple[int, int]] = deque()
        """When the bodies were measured, and their bytes: those of the last moments, each more than all after it."""
        self._reported = self._items()
        """What is shown of the last measurement."""

    def check(self, memory: MemoryModel, settings: NodeSettings, now_us: int) -> bool:
        """Take a fresh measurement; return whether the alarm changed (M7, M8)."""
        memory = msgspec.structs.replace(
            memory, bodies=self._uncollected(memory.bodies, now_us, _lingers_us(settings))
        )
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
        """Start again with the VM: it has neither garbage nor memory of what it once took."""
        self.high_water.reset()
        self._bodies.clear()

    def _uncollected(self, bodies: int, now_us: int, lingers_us: int) -> int:
        """Return the bytes of bodies with those that left a moment ago: no process has collected its garbage yet."""
        if not lingers_us:
            return bodies
        while self._bodies and self._bodies[-1][1] <= bodies:
            self._bodies.pop()
        self._bodies.append((now_us, bodies))
        while self._bodies[0][0] < now_us - lingers_us:
            self._bodies.popleft()
        return self._bodies[0][1]

    def recompute(self, settings: NodeSettings, disk_alarm: bool) -> list[str]:
        """Compute the desired duration from the last check; return the queues that must get it (M3, M4)."""
        ratio = settings.vm_memory_high_watermark_paging_ratio
        return self.monitor.recompute(self.counted, self.limit, ratio, disk_alarm)

    def _beyond(self) -> Why:
        """Return what the strategy counts beyond what lives in the VM, once it was another than erlang's."""
        if self.counted != self.memory.total:
            self._differed = True
        return {"beyond_live_bytes": self.counted - self.memory.total} if self._differed else {}

    def _items(self) -> Why:
        memory = self.memory
        return self._beyond() | {
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


def _lingers_us(settings: NodeSettings) -> int:
    """Return how long each body counts after it left; where processes collect garbage that follows from them."""
    return 0 if settings.garbage_follows else settings.garbage_lingers_ms * 1000
