"""The monitors of all nodes: memory, disk, and the queues' target duration (M1-M12, H80, H86)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engine.broker.commands.operator_commands import FIRST_NODE
from engine.broker.memory import model
from engine.broker.memory.model import GarbageBytes, GarbageWatch
from engine.broker.memory.resource_monitors import DiskWatch
from engine.broker.mirrors.membership import NodeParts
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.queues import BrokerNode
from engine.broker.time.processes import NodeProcesses
from engine.broker.time.scheduler import MILLISECOND_US, TimerScheduler
from engine.broker.vhost.configuration import NodeConfiguration
from engine.report.transitions.base import Why
from engine.storage.port import Storage


def used_at(storage: Storage, nodes: Mapping[str, BrokerNode], node: str | None = None) -> int:
    """Return the bytes of a node's files; None means the first node, whose files are beside the others' folders."""
    if node is not None:
        return storage.used_bytes(f"{node}/")
    return storage.used_bytes() - sum(storage.used_bytes(f"{each}/") for each in list(nodes)[1:])


MOST_UNSEEN = 50
"""Checks that a host may leave for later, which then cost little."""
FAR_US = 1 << 62
"""Later than any timer."""


class NodeMonitors:
    """Monitors memory and disk of every node but the first, which MemoryMonitors has. `actors`: returns how
    many connections a node has. `alarms_changed`: called when an alarm was set or cleared.
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
        """Check each disk now and repeatedly; only if somebody set a disk, as with a single node."""
        for name, disk in self._disks.items() if self._configuration.names_disk else ():
            if self._others[name].disk_alarm is None:
                self._others[name].disk_alarm = False
            disk.check_space()

    def _disk_changed(self, name: str) -> None:
        self._others[name].disk_alarm = self._disks[name].monitor.alarm
        self._alarms_changed()

    def start(self) -> None:
        """Check for the first time, and start the timer."""
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
        """Compute each node's target duration; send it to its members if that is urgent (M3, M4)."""
        for node in self._others.values():
            if node.up:
                for name in node.watch.recompute(self._configuration.node, bool(node.disk_alarm)):
                    process = self._cluster.process(name, node.name)
                    if process is not None:
                        process.wanted_duration(node.watch.monitor.desired)
        self._wait()


class MemoryMonitors:
    """Checks one node's memory and disk at their intervals. `below`: the rooms of the node, of which it watches the
    first. `actors`: returns how many connections a node has. `cluster`: with the processes of a queue's members.
    """

    def __init__(self, below: NodeParts, actors: Callable[[str], int], cluster: MirroredQueues) -> None:
        configuration, clock, processes = below.configuration, below.clock, below.processes
        self.used_bytes = 0
        """Bytes of all files when the memory was last looked at."""
        self.only_looked = False
        """Whether the current event only checked the memory, so that nothing but its reports changed."""
        self._checked_at = self._settled_at = -1
        """How much had happened when the memory was checked, and when the duration was computed from that check."""
        self._happened: Callable[[], int] = int
        self._alone_us = 0
        """When the first timer comes that is none of the checks'."""
        self.disk = DiskWatch(
            clock,
            configuration.current,
            partial(used_at, below.storage, cluster.nodes),
            self._disk_alarm_changed,
            processes,
        )
        self._configuration = configuration
        self._clock = clock
        self._storage = below.storage
        self._processes = processes
        self._watch = below.first.watch
        self._board = below.board
        self._host = below.first.host
        self._queues = below.queues
        self._garbage_watch = GarbageWatch(f"memory/{configuration.node.running_since_ms}")
        self._connections = below.connections
        self._consumers = below.consumers
        self._cluster = cluster
        self._actors = actors
        self.others = NodeMonitors(
            configuration, clock, cluster, below.storage, processes, actors, self._send_alarms
        )

    def start(self, happened: Callable[[], int]) -> None:
        """Check for the first time, and start the timer. `happened`: returns how many transitions and
        commands there were.
        """
        self._happened = happened
        self.disk.check_space()
        node = self._configuration.node
        self._processes.in_monitor("vm_memory", self.measure_memory)
        self._clock.after(self._rest_of(node.memory_check_interval_ms), self._check_memory)
        self.others.start()
        monitor_us = (node.memory_monitor_after_ms or 0) * MILLISECOND_US
        self._clock.after(monitor_us or self._rest_of(node.memory_monitor_interval_ms), self._recompute)

    def settled_us(self) -> int | None:
        """Return until when the checks find only what they found; None if the next one may find something else.

        That is the time of the first other timer, if there was neither a transition nor a command since.
        """
        now_us = self._clock.now_us
        if self._settled_at != self._happened() or now_us >= self._alone_us:
            return None
        interval_us = self._configuration.node.memory_check_interval_ms * MILLISECOND_US
        return min(self._alone_us, now_us + MOST_UNSEEN * interval_us)

    def _look_ahead(self) -> None:
        """Note how much had happened by this check; if no more than by the last one, also when another timer comes."""
        happened = self._happened()
        self._alone_us = 0
        if self._checked_at == happened:
            others_us = self._clock.next_us((self._check_memory, self._recompute))
            self._alone_us = FAR_US if others_us is None else others_us
        self._checked_at = happened

    @property
    def _is_settled(self) -> bool:
        """Whether the check that was just used finds the same again, as long as no other timer comes."""
        alone = len(self._cluster.nodes) == 1 and not self._processes.timed
        return alone and self._watch.is_settled and self._clock.now_us < self._alone_us

    def _rest_of(self, interval_ms: int) -> int:
        """Return how long a timer still waits on a node that has run for a while, in microseconds."""
        return (interval_ms - self._configuration.node.running_since_ms % interval_ms) * MILLISECOND_US

    def restart(self) -> None:
        """Check again after the node stopped and started."""
        self.disk.restart()
        self.measure_memory()
        self._send_alarms()

    # --- memory ------------------------------------------------------------------------------------------------------
    def _check_memory(self) -> None:
        """Check the memory now and again after the interval (M7)."""
        self.only_looked = len(self._cluster.nodes) == 1 and not self._processes.timed
        self._processes.in_monitor("vm_memory", self.measure_memory)
        if self.only_looked:
            self._board.report_part("disk", "M10", self.disk_items())
        self._look_ahead()
        interval_us = self._configuration.node.memory_check_interval_ms * MILLISECOND_US
        self._clock.after(interval_us, self._check_memory)

    def measure_memory(self) -> None:
        """Measure the modelled memory; set or clear the alarm (M7)."""
        settings = self._configuration.node
        each_bytes = settings.connection_memory_bytes
        queues = list(self._host.queues())
        actors = self._actors(FIRST_NODE)
        # A single node counts all its queues, even while its broker is stopped.
        count = len(self._queues) if len(self._cluster.nodes) == 1 else len(queues)
        garbage = self._garbage() if settings.garbage_follows else None
        memory = model.measure(
            settings.base_memory_bytes + model.queues_bytes(queues, count, each_bytes),
            actors * each_bytes,
            (actors if garbage is None else self._read(actors)) * settings.receive_buffer_bytes,
            queues,
            self._host.store_loads(),
            garbage,
        )
        changed = self._watch.check(memory, settings, self._clock.now_us)
        self.used_bytes = self._storage.used_bytes()
        self._report_memory("M7")
        if changed:
            self.only_looked = False
            why: Why = {"process_memory": self._watch.counted, "limit": self._watch.limit}
            self._board.report_part("alarms", "M7", self.alarm_items(), why)
            self._send_alarms()

    def _garbage(self) -> GarbageBytes:
        processes = (live.process for _, live in self._queues.items())
        return self._garbage_watch.check(processes, self._connections.logged)

    def _read(self, actors: int) -> int:
        """Return how many connections the node reads: each has a receive buffer, one that is blocked has none."""
        blocked = sum(each.blocked for each in self._connections.publishers.values())
        return actors + self._connections.has_burst - blocked

    def _report_memory(self, rule: str) -> None:
        self._board.report_part("memory", rule, self._watch.info_items())

    def _recompute(self) -> None:
        """Compute the target duration, and again after the interval (M1)."""
        self._processes.in_monitor("memory", self._send_desired)
        self._settled_at = (
            self._happened() if self._checked_at == self._happened() and self._is_settled else -1
        )
        interval_us = self._configuration.node.memory_monitor_interval_ms * MILLISECOND_US
        self._clock.after(interval_us, self._recompute)

    def _send_desired(self) -> None:
        """Compute the target duration and send it to the queues if that is urgent (M3, M4)."""
        changed_queues = self._watch.recompute(self._configuration.node, self.disk.monitor.alarm)
        self._report_memory("M3")
        for name in changed_queues:
            process = self._cluster.process(name, FIRST_NODE)
            if process is not None:
                process.wanted_duration(self._watch.monitor.desired)

    # --- disk and alarms ---------------------------------------------------------------------------------------------
    def _disk_alarm_changed(self) -> None:
        """Block or unblock publishers, and switch paging off or on (M1, M12)."""
        monitor = self.disk.monitor
        self._board.report_part("disk", "M10", self.disk_items())
        why: Why = {"free": monitor.free, "limit": monitor.limit}
        self._board.report_part("alarms", "M10", self.alarm_items(), why)
        self._send_alarms()
        self._send_desired()

    def _send_alarms(self) -> None:
        """Tell every connection which alarms are set (A1)."""
        memory = self._watch.alarm or self.others.alarm
        alarms = (("memory", memory), ("disk", self.disk.monitor.alarm or self.others.disk_alarm))
        self._connections.set_alarms(frozenset(name for name, alarm in alarms if alarm))

    # --- what is shown -----------------------------------------------------------------------------------------------
    def disk_items(self) -> Why:
        found: Why = {"used_bytes": self.used_bytes}
        return found | self.disk.monitor.info_items() if self._configuration.names_disk else found

    def alarm_items(self) -> Why:
        found: Why = {"memory": self._watch.alarm}
        return found | {"disk": self.disk.monitor.alarm} if self._configuration.names_disk else found
