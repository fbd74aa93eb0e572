"""The node's monitors at work: memory, disk, and the duration that queues aim for (M1-M12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.node.memory import model as memory_model
from engine.node.memory.disk_watch import DiskWatch
from engine.node.queues.queue_process import MILLISECOND_US
from engine.node.time.scheduler import Scheduler
from engine.transitions import Why

if TYPE_CHECKING:
    from engine.node.node import Node


class Monitors:
    """Looks at one node's memory and disk at their intervals."""

    def __init__(self, node: Node, clock: Scheduler) -> None:
        self.used_bytes = 0
        """Bytes of all files when the memory was last looked at."""
        self.disk = DiskWatch(
            clock, node.current_settings, node.storage, self._disk_alarm_changed, node.processes
        )
        self._node = node
        self._clock = clock

    def start(self) -> None:
        """Look for the first time, and begin to wait for the next."""
        self.disk.look()
        self._check_memory()
        self._wait_for_recomputation()

    def restart(self) -> None:
        """Look again: the node stopped and started."""
        self.disk.restart()
        self.look_at_memory()
        self._tell_connections()

    # --- memory ------------------------------------------------------------------------------------------------------

    def _check_memory(self) -> None:
        """Look at the memory now and again after the interval (M7)."""
        self._node.processes.in_monitor("vm_memory", self.look_at_memory)
        interval_us = self._node.settings.memory_check_interval_ms * MILLISECOND_US
        self._clock.after(interval_us, self._check_memory)

    def look_at_memory(self) -> None:
        """Measure the modelled memory; set or clear the alarm (M7)."""
        node = self._node
        actors = len(node.connections.publishers) - 1 + len(node.consumers.all)
        each_bytes = node.settings.connection_memory_bytes
        memory = memory_model.measure(
            node.settings.base_memory_bytes + memory_model.queues_bytes(len(node.queues), each_bytes),
            actors * each_bytes,
            list(node.host.queues()),
            node.host.snapshots().values(),
        )
        changed = node.watch.check(memory, node.settings)
        self.used_bytes = node.storage.used_bytes()
        self._tell_memory("M7")
        if changed:
            why: Why = {"process_memory": memory.total, "limit": node.watch.limit}
            node.board.tell("alarms", "M7", node.alarm_facts(), why)
            self._tell_connections()

    def _tell_memory(self, rule: str) -> None:
        self._node.board.tell("memory", rule, self._node.watch.facts())

    def _wait_for_recomputation(self) -> None:
        interval_us = self._node.settings.memory_monitor_interval_ms * MILLISECOND_US
        self._clock.after(interval_us, self._recompute)

    def _recompute(self) -> None:
        """Compute the duration to aim for, and again after the interval (M1)."""
        self._node.processes.in_monitor("memory", self._tell_desired)
        self._wait_for_recomputation()

    def _tell_desired(self) -> None:
        """Compute the duration to aim for and tell it to queues if that is urgent (M3, M4)."""
        node = self._node
        told = node.watch.recompute(node.settings, self.disk.monitor.alarm)
        self._tell_memory("M3")
        for name in told:
            node.queues[name].process.wanted_duration(node.watch.monitor.desired)

    # --- disk and alarms ---------------------------------------------------------------------------------------------

    def _disk_alarm_changed(self) -> None:
        """Block or let go the publishers, and switch paging off or on (M1, M12)."""
        node, monitor = self._node, self.disk.monitor
        node.board.tell("disk", "M10", node.disk_facts())
        why: Why = {"free": monitor.free, "limit": monitor.limit}
        node.board.tell("alarms", "M10", node.alarm_facts(), why)
        self._tell_connections()
        self._tell_desired()

    def _tell_connections(self) -> None:
        """Tell every connection which alarms are set (A1)."""
        alarms = (("memory", self._node.watch.alarm), ("disk", self.disk.monitor.alarm))
        self._node.connections.set_alarms(frozenset(name for name, alarm in alarms if alarm))
