"""Memory and disk of a cluster's other nodes: each is looked at by itself, and pages for itself (H80, H86)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engine.broker.memory import model
from engine.broker.memory.disk_watch import DiskWatch
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.node import BrokerNode
from engine.broker.queues.queue_process import MILLISECOND_US
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import TimerScheduler
from engine.broker.vhost.configuration import NodeConfiguration
from engine.storage.port import Storage


def used_at(storage: Storage, nodes: Mapping[str, BrokerNode], node: str | None = None) -> int:
    """Return the bytes of a node's files, of the first one's for None: its files lie beside the others' folders."""
    if node is not None:
        return storage.used_bytes(f"{node}/")
    return storage.used_bytes() - sum(storage.used_bytes(f"{each}/") for each in list(nodes)[1:])


class NodeMonitors:
    """Looks at every node's memory and disk but the first one's, which `Monitors` has.

    Args:
        actors: returns how many connections a node has.
        alarms_changed: called when an alarm was set or cleared.
    """

    def __init__(
        self,
        configuration: NodeConfiguration,
        clock: TimerScheduler,
        cluster: MirroredQueues,
        storage: Storage,
        processes: NodeProcesses,
        actors: Callable[[str], int],
        alarms_changed: Callable[[], None],
    ) -> None:
        self._configuration = configuration
        self._clock = clock
        self._cluster = cluster
        self._actors = actors
        self._alarms_changed = alarms_changed
        self._others: Mapping[str, BrokerNode] = dict(list(cluster.nodes.items())[1:])
        self._disks = {
            name: DiskWatch(
                clock,
                configuration.current,
                partial(used_at, storage, cluster.nodes, name),
                partial(self._disk_changed, name),
                processes,
            )
            for name in self._others
        }

    @property
    def alarm(self) -> bool:
        """Whether any of them has a memory alarm (H86)."""
        return any(node.watch.alarm for node in self._others.values())

    @property
    def disk_alarm(self) -> bool:
        """Whether any of them that runs has a disk alarm (H86)."""
        return any(node.up and bool(node.disk_alarm) for node in self._others.values())

    def watch_disks(self) -> None:
        """Look at each disk now, and again and again; only where anybody named a disk, as with a single node."""
        for name, disk in self._disks.items() if self._configuration.names_disk else ():
            if self._others[name].disk_alarm is None:
                self._others[name].disk_alarm = False
            disk.check_space()

    def _disk_changed(self, name: str) -> None:
        self._others[name].disk_alarm = self._disks[name].monitor.alarm
        self._alarms_changed()

    def start(self) -> None:
        """Look for the first time, and begin to wait for the next."""
        self.watch_disks()
        if self._others:
            self._check()
            self._wait()

    def _check(self) -> None:
        self.measure_memory()
        self._clock.after(self._configuration.node.memory_check_interval_ms * MILLISECOND_US, self._check)

    def measure_memory(self) -> None:
        """Measure the modelled memory of each node; set or clear its alarm (M7)."""
        settings, changed = self._configuration.node, False
        each_bytes = settings.connection_memory_bytes
        for node in self._others.values():
            queues = list(node.host.queues()) if node.up else []
            actors = self._actors(node.name)
            memory = model.measure(
                settings.base_memory_bytes + model.queues_bytes(queues, len(queues), each_bytes),
                actors * each_bytes,
                actors * settings.receive_buffer_bytes,
                queues,
                node.host.store_loads() if node.up else (),
            )
            changed = node.watch.check(memory, settings, self._clock.now_us) or changed
            if not node.up:
                node.watch.alarm = False
        if changed or any(node.disk_alarm for node in self._others.values()):
            self._alarms_changed()

    def _wait(self) -> None:
        self._clock.after(
            self._configuration.node.memory_monitor_interval_ms * MILLISECOND_US, self._recompute
        )

    def _recompute(self) -> None:
        """Compute each node's duration to aim for; send it to its members if that is urgent (M3, M4)."""
        for node in self._others.values():
            if node.up:
                for name in node.watch.recompute(self._configuration.node, bool(node.disk_alarm)):
                    process = self._cluster.process(name, node.name)
                    if process is not None:
                        process.wanted_duration(node.watch.monitor.desired)
        self._wait()
