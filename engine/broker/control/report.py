"""The report at the end of each event, and the snapshot, which equals the fold of all transitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.backing_queue.protocol import BackingQueue
from engine.broker.clients.actors import Consumer, Publisher
from engine.broker.clients.manual_channels import ManualChannel
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.node_lifecycle import NodeLifecycle
from engine.broker.control.verb_parts import CostProfile, ShownSettings
from engine.broker.mirrors.membership import NodeParts
from engine.broker.mirrors.mirrored_queues import RULES, ShownMirrors
from engine.broker.queues.queues import RULES as QUEUE_RULES
from engine.folding import rows_of
from engine.values.extents import DeltaExtent, Extent
from engine.values.labels import bare, host_of

Rates = tuple[float, float, float, float]
"""Messages per second: in, out, acks in, acks out (Q26)."""


class LiveValues(msgspec.Struct, frozen=True):
    """Facts about a node that no snapshot contains. `subscribed`: names of the consumers that their queues
    list; None for all consumers.
    """

    rates: Mapping[str, Rates] = {}
    subscribed: frozenset[str] | None = None

    def of_host(self, vhost: str) -> LiveValues:
        rates = {bare(name): each for name, each in self.rates.items() if host_of(name) == vhost}
        if self.subscribed is None:
            return LiveValues(rates)
        return LiveValues(rates, frozenset(bare(name) for name in self.subscribed if host_of(name) == vhost))


class ChangeReport:
    """Reads all parts of one node and changes none."""

    def __init__(
        self,
        below: NodeParts,
        *,
        settings: ShownSettings,
        machine: CostProfile,
        life: NodeLifecycle,
        monitors: MemoryMonitors,
        shown: ShownMirrors,
    ) -> None:
        self._shown = shown
        self._nodes = below.nodes
        self._mirrored = len(below.nodes) > 1
        self._board = below.board
        self._settings = settings
        self._machine = machine
        self._life = life
        self._watch = below.first.watch
        self._monitors = monitors
        self._processes = below.processes
        self._definitions = below.definitions
        self._queues = below.queues
        self._connections = below.connections
        self._consumers = below.consumers

    def actors(self) -> dict[str, Publisher | Consumer | ManualChannel]:
        return {**self._connections.publishers, **self._consumers.all, **self._consumers.by_hand}

    def report_changes(self) -> None:
        """Report changes of an event that have no transition of their own."""
        board = self._board
        for name, actor in self.actors().items():
            board.report_actor(name, actor.rule, actor.info_items())
            actor.rule = actor.usual_rule
        if self._life.ever_stopped:
            board.report_part("app", "D2", self._life.info_items())
        board.report_part("memory", "M2", self._watch.info_items())
        board.report_part("disk", "M10", self._monitors.disk_items())
        board.report_part("alarms", "M7", self._monitors.alarm_items())
        if self._mirrored:
            board.report_part("cluster", "H1", self._shown.nodes())
        self._queues.report_queues()
        if self._mirrored:
            for label, member in self._shown.mirrors():
                board.report_queue(label, {**QUEUE_RULES, **RULES}, self._shown.of_mirror(member))
        board.report_part("clock", "P5", self._queues.timer_items())
        if self._processes.changed:
            self._processes.report_processes()

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state, read from the working structures."""
        mirrors = {
            name: self._queue(member.mirror.queue) | self._shown.of_mirror(member)
            for name, member in self._shown.mirrors()
        }
        return {
            "queues": dict(sorted(self._queues_and_parts())) | mirrors,
            "stores": self._stores(),
            "node": {
                "settings": self._settings.info_items(),
                "memory": self._watch.info_items(),
                "disk": self._monitors.disk_items(),
                "alarms": self._monitors.alarm_items(),
                "clock": self._queues.timer_items(),
                "work": self._machine.info_items(),
                "app": self._life.info_items(),
                "cluster": self._shown.nodes(),
                "bodies": self._connections.bodies,
                "processes": self._processes.info_items(),
                "actors": {name: actor.info_items() for name, actor in self.actors().items()},
                **self._definitions.snapshot(),
            },
        }

    def _queues_and_parts(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, live in self._queues.items():
            queue = live.process.queue
            yield name, self._queue(queue) | self._queues.info_items(name)
            for part, items in self._queues.items_of_parts(name).items():
                yield part, self._queue(queue.parts[part]) | items

    def _stores(self) -> dict[str, Any]:
        """Return the stores of all nodes; names of other nodes' stores contain the node."""
        found: dict[str, Any] = {}
        for number, (node, there) in enumerate(self._nodes.items()):
            for name, store in there.host.snapshots().items():
                found[f"{name}@{node}" if number else name] = store
        return found

    def _queue(self, backing_queue: BackingQueue) -> dict[str, Any]:
        queue = backing_queue.snapshot()
        lanes: dict[str, list[Extent]] = queue["lanes"]
        counted: dict[str, DeltaExtent] = queue["counted"]
        return {
            "mode": queue["mode"],
            "durable": queue["durable"],
            "lanes": {place: [rows_of(extent) for extent in lanes[place]] for place in sorted(lanes)},
            "counted": {place: rows_of(record) for place, record in counted.items()},
            "counters": queue["counters"],
            "own": queue["own"],
        }

    def _backing_queues(self) -> Iterator[tuple[str, BackingQueue]]:
        for name, live in self._queues.items():
            yield name, live.process.queue
            yield from live.process.queue.parts.items()

    def live(self) -> LiveValues:
        """Return what a snapshot does not contain: rates, and who is subscribed."""
        return LiveValues(
            {name: queue.rates for name, queue in self._backing_queues()},
            frozenset(consumer.name for each in self._queues.values() for consumer in each.consumers),
        )
