"""Nodes stop, are lost and start, with the clients and members that they have (H70-H76)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from engine.amqp.policies import ALWAYS
from engine.backing_queue.generation import Later, StopKind
from engine.backing_queue.protocol import BackingQueue
from engine.broker.clients.channel import connection_of
from engine.broker.clients.connections import ChannelClosing
from engine.broker.commands.base import Command
from engine.broker.memory.resource_monitors import MemoryMonitor, MemoryWatch
from engine.broker.mirrors.membership import (
    Batch,
    LabelledRing,
    MirrorSynchronisation,
    NodeParts,
    PendingCalls,
    in_batches,
)
from engine.broker.mirrors.mirrored_queues import MemberFaults, MirroredQueues, MirrorPlaces, ShownMirrors
from engine.broker.queues.queues import BrokerNode
from engine.broker.vhost.configuration import NodeConfiguration
from engine.broker.vhost.message_kinds import MessageKinds
from engine.broker.vhost.virtual_hosts import VirtualHost, VirtualHosts
from engine.formats.message import MessageCodec
from engine.mirrored_queue import instructions as to_do
from engine.mirrored_queue.ring import FRAME_BYTES, QueueRecord, wanted
from engine.report.transitions.base import Transition
from engine.report.transitions.node import (
    ConnectionClosed,
    MirrorLeft,
    NodeStarted,
    NodeStopped,
    SyncEnded,
    SyncStarted,
)
from engine.storage.port import Storage
from engine.values.errors import CommandError
from engine.values.labels import bare

ALARM_CHECK_US = 100_000
"""How often a synchronisation that an alarm stopped checks whether the alarm is over (H57)."""


class RunningSyncs:
    """All synchronisations of a cluster."""

    def __init__(self, below: NodeParts) -> None:
        self._roll = below.roll
        self._nodes = below.nodes
        self._queues = below.queues
        self._clock = below.clock
        self._hop_us = below.configuration.node.ring_hop_us
        self._went_on = below.connections.credit_came
        self._emit = below.emit

    def alarm(self) -> bool:
        """Return whether any node's memory alarm is set (H57, H86)."""
        return any(node.watch.alarm for node in self._nodes.values())

    def maybe(self, name: str) -> None:
        """Synchronise if the policy says to do so automatically (H51)."""
        record = self._roll.records.get(name)
        if record is None or record.mirroring is None or not record.mirroring.automatic:
            return
        if any(node not in record.synchronised for node in record.mirrors):
            self.start(name)

    def start(self, name: str) -> bool:
        """Begin to fill the mirrors of a queue; return whether it has any mirroring at all."""
        record = self._roll.records[name]
        if record.mirroring is None:
            return False
        if not record.alive or name in self._roll.syncs:
            return True
        asked = [node for node in record.mirrors if (name, node) in self._roll.members]
        if not asked:
            return True
        self._queues[name].process.hold()
        sync = MirrorSynchronisation(
            asked, partial(self._read, name), self._later, self._sent, partial(self._over, name)
        )
        self._roll.syncs[name] = sync
        record.syncing = True
        self._emit(SyncStarted("H52", name, tuple(asked)))
        master = self._roll.masters[name]
        master.broadcast(to_do.SyncStartInstruction(tuple(asked)))
        sync.go_on()
        return True

    def cancel(self, name: str) -> None:
        """End a synchronisation between two batches, if there is one (H58)."""
        sync = self._roll.syncs.get(name)
        if sync is not None:
            sync.cancelled = True
            sync.go_on()

    def _read(self, name: str) -> list[Batch]:
        record = self._roll.records[name]
        size = record.mirroring.batch_size if record.mirroring is not None else 1
        self._queues[name].process.begin()
        return in_batches(self._roll.masters[name].inner.fold(), size)

    def _later(self, go_on: Callable[[], None]) -> bool:
        delay_us = ALARM_CHECK_US if self.alarm() else self._hop_us
        if delay_us:
            self._clock.after(delay_us, partial(self._next, go_on))
        return bool(delay_us)

    def _next(self, go_on: Callable[[], None]) -> None:
        if self.alarm():
            self._clock.after(ALARM_CHECK_US, partial(self._next, go_on))
        else:
            go_on()

    def _sent(self, batch: Batch, mirrors: int) -> None:
        body = sum(extent.total_bytes + extent.count * FRAME_BYTES for extent, _ in batch)
        self._roll.count_bytes(mirrors * body)

    def _over(self, name: str, how: str, count: int) -> None:
        """Let everybody do what waited (H56)."""
        self._roll.syncs.pop(name, None)
        if name in self._roll.records:
            self._roll.records[name].syncing = False
        self._emit(SyncEnded("H54" if how == "done" else "H58", name, how, {"sent": count}))
        self._roll.soon(partial(self._go_on, name))

    def _go_on(self, name: str) -> None:
        record = self._roll.records.get(name)
        for node in record.mirrors if record is not None else ():
            member = self._roll.members.get((name, node))
            if member is not None:
                member.go_on()
        live = self._queues.get(name)
        if live is not None and name not in self._roll.syncs:
            live.process.go_on()
            live.process.handled()
        self._went_on()


NODES: Final = ("n1", "n2", "n3")
"""Names of a cluster's nodes, in the order in which each lists those that run (H9)."""


def nodes_of(
    configuration: NodeConfiguration,
    codec: MessageCodec,
    storage: Storage,
    kinds: MessageKinds,
    label: Callable[[str, str], str],
    emit: Callable[[Transition], None],
    later: Later,
) -> dict[str, BrokerNode]:
    """Return the nodes of a cluster by name, each with its own files and memory. `label`: names a queue's
    member on a node. `later`: runs an action after this many microseconds.
    """
    names = NODES[: configuration.node.nodes]
    nodes: dict[str, BrokerNode] = {}
    for name in names:
        seen = emit if len(names) == 1 else LabelledRing(emit, name, name == NODES[0], label)
        make = partial(_virtual_host, name, configuration, codec, storage, seen, kinds, later)
        nodes[name] = BrokerNode(name, VirtualHosts(make, storage), MemoryWatch(MemoryMonitor()))
    return nodes


def _virtual_host(
    node: str,
    configuration: NodeConfiguration,
    codec: MessageCodec,
    storage: Storage,
    emit: Callable[[Transition], None],
    kinds: MessageKinds,
    later: Later,
    vhost: str,
) -> VirtualHost:
    """Make a virtual host of a node; no closure, as a checkpoint has to keep what makes it."""
    return VirtualHost(
        release=configuration.release,
        settings=configuration.queue,
        codec=codec if vhost == codec.vhost else codec.in_vhost(vhost),
        storage=storage,
        emit=emit,
        as_read=kinds.as_read,
        later=later,
        folder="" if node == NODES[0] else f"{node}/",
    )


def queues_of(nodes: Mapping[str, BrokerNode]) -> Iterator[BackingQueue]:
    for node in nodes.values():
        yield from node.host.queues()


class ClusterParts:
    """What one cluster consists of.

    Args:
        seed: the scenario's.
        syncs: fills mirrors.
        node_changed: called when a node came or went.
        redo: does a command that its client sent while its channel waited.
    """

    def __init__(
        self,
        below: NodeParts,
        cluster: MirroredQueues,
        syncs: RunningSyncs,
        closing: ChannelClosing,
        *,
        seed: int,
        node_changed: Callable[[str], None],
        redo: Callable[[Command], None],
        most_queues: int,
    ) -> None:
        self.most_queues = most_queues
        queues, connections, configuration = below.queues, below.connections, below.configuration
        self._nodes = below.nodes
        self.places = MirrorPlaces(cluster, configuration.current, seed)
        self.patience = PendingCalls(below.roll, below.consumers, closing, below.clock, redo)
        self.syncs = syncs
        self.nodes = ClusterNodes(below, cluster, closing, syncs.maybe, self.patience.went_down, node_changed)
        self.mishaps = MemberFaults(cluster, queues, connections)
        self.shown = ShownMirrors(cluster)
        self._connections = connections
        self._consumers = below.consumers

    def actors_at(self, node: str) -> int:
        """Return how many connections of publishers and consumers a node has."""
        names = [
            name for name in (*self._connections.publishers, *self._consumers.all) if bare(name) != "burst"
        ]
        if len(self._nodes) == 1:
            return len(names)
        return sum(self.nodes.node_of(name) == node for name in names)


FORCED_CODE: Final = 320
FORCED_TEXT: Final = "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'"


class ClusterNodes:
    """The nodes of a cluster as an operator handles them. `auto_sync`: fills a queue's mirrors, if its policy
    wants that without being asked (H51). `went_down`: called with a queue that lost its master when no mirror
    took over. `node_changed`: called when a node came or went, so that its memory is looked at.
    """

    def __init__(
        self,
        below: NodeParts,
        cluster: MirroredQueues,
        closing: ChannelClosing,
        auto_sync: Callable[[str], None],
        went_down: Callable[[str], None],
        node_changed: Callable[[str], None],
    ) -> None:
        self._cluster = cluster
        self._queues = below.queues
        self._definitions = below.definitions
        self._connections = below.connections
        self._consumers = below.consumers
        self._closing = closing
        self._clock = below.clock
        self._auto_sync = auto_sync
        self._went_down = went_down
        self._node_changed = node_changed
        self._emit = below.emit
        self._at: dict[str, str] = {}
        self.last: str | None = None
        """Which node stopped last, when none runs."""

    # --- clients -----------------------------------------------------------------------------------------------------
    def connect(self, connection: str, node: str) -> None:
        """Let a client's connection be to a node. Raises CommandError when the node does not run."""
        self.check_up(node)
        self._at[connection] = node

    def node_of(self, connection: str) -> str:
        """Return the node that a connection leads to: the first one that runs, unless another was named."""
        node = self._at.get(connection)
        if node is not None and self._cluster.nodes[node].up:
            return node
        return next(iter(self._cluster.running), next(iter(self._cluster.nodes)))

    def check_up(self, node: str) -> None:
        """Raise CommandError when there is no such node, or it does not run."""
        if node not in self._cluster.nodes:
            raise CommandError("no_node", name=node, known=", ".join(self._cluster.nodes))
        if not self._cluster.nodes[node].up:
            raise CommandError("node_down", name=node, known=", ".join(self._cluster.running) or "none")

    def _close_connections(self, node: str, orderly: bool) -> None:
        """Lose every connection to a node; what its consumers held is requeued if a master lives. `orderly`:
        whether the node notifies its clients.
        """
        if orderly:
            cut_off = {connection for connection, at in self._at.items() if at == node}
            for connection in sorted(cut_off):
                self._emit(ConnectionClosed("H71", connection, FORCED_CODE, FORCED_TEXT))
        for publisher in list(self._connections.publishers.values()):
            if self.node_of(publisher.name) == node:
                self._connections.lose(publisher)
        lost = [name for name in self._consumers.by_hand if self.node_of(connection_of(name)) == node]
        for name in lost:
            self._consumers.close_by_hand(self._consumers.by_hand[name])
            self._connections.confirms.forget(name)
        for consumer in list(self._consumers.all.values()):
            if self.node_of(consumer.connection) == node:
                consumer.rule = "D4"
                self._consumers.lose(consumer)
        dead = () if orderly else {each.name for each in self._cluster.records.values() if not each.alive}
        for connection in dict.fromkeys(connection_of(name) for name in lost):
            self._connections.unread.forget(connection)
            self._closing.drop_exclusive(connection, dead)

    # --- stops (H61, H71) --------------------------------------------------------------------------------------------
    def stop(self, node: str, kind: StopKind) -> None:
        """Stop a node in order, or lose it. Raises CommandError when it does not run."""
        self.check_up(node)
        if kind == "clean":
            self._queues.check_may_stop()
        cluster, there = self._cluster, self._cluster.nodes[node]
        mastered = [each for each in cluster.records.values() if each.master == node and each.alive]
        if kind == "clean":
            self._end_mirrors(mastered)
            cluster.settle()
        lost_at = [each for each in cluster.records.values() if (each.name, node) in cluster.members]
        for record in mastered:
            record.alive = False
            self._queues.lose(record.name)
            cluster.masters.pop(record.name, None)
        self._close_connections(node, kind == "clean")
        self._at = {name: at for name, at in self._at.items() if at != node}
        for record in lost_at:
            # an auto-delete queue goes with its last consumer (P18)
            if cluster.records.get(record.name) is record:
                cluster.lose_mirror(record, node, kind)
        there.host.stop(kind)
        there.watch.monitor = MemoryMonitor()
        there.up = False
        self._emit(NodeStopped("H71" if kind == "clean" else "H61", node, kind))
        for record in list(cluster.records.values()):
            if record in mastered:
                cluster.rings[record.name].leave(node)
                self._connections.confirms.member_gone(record.name, node)
                cluster.died(record, ())
            elif node in record.mirrors and (record.alive or record in lost_at):
                cluster.died(record, {node})
        cluster.settle()
        for record in mastered:
            if cluster.records.get(record.name) is record and not record.alive:
                record.stopped = kind == "clean" and record.mirroring is None
                record.down_sent, record.downs = True, record.downs + 1
                self._went_down(record.name)
        if not cluster.running:
            self.last = node
        self._node_changed(node)

    def _end_mirrors(self, mastered: list[QueueRecord]) -> None:
        """Before an orderly stop masters without a synchronised mirror end all of them (H71)."""
        for record in mastered:
            mirroring = record.mirroring
            if mirroring is None or record.synchronised or mirroring.promote_on_shutdown == ALWAYS:
                continue
            self._cluster.stop_mirrors(record, "shutdown")

    # --- starts (H17, H72-H74) ---------------------------------------------------------------------------------------
    def start(self, node: str) -> None:
        """Start a node on what it has. Raises CommandError when it runs, or when it must wait for the node
        that stopped last.
        """
        cluster = self._cluster
        if node not in cluster.nodes:
            raise CommandError("no_node", name=node, known=", ".join(cluster.nodes))
        there = cluster.nodes[node]
        if there.up:
            raise CommandError("node_runs", name=node)
        if not cluster.running and self.last not in (None, node):
            raise CommandError("node_waits", name=node, last=self.last)
        there.up = True
        self.last = None
        at_home = [
            each
            for each in cluster.records.values()
            # One that is not durable waits for the mirror that takes over (H73, H76).
            if each.master == node and not each.alive and self._definitions.queues[each.name].durable
        ]
        for name in there.host.names():
            if name not in {each.name for each in at_home}:
                there.host.of(name).wipe(name)
        there.host.start_again(self._clock.now_us)
        self._emit(NodeStarted("H72", node))
        for record in at_home:
            self._recover(record)
        for record in cluster.records.values():
            self._join(record, node)
        cluster.settle()
        self._node_changed(node)

    def _recover(self, record: QueueRecord) -> None:
        """Let a queue come back with its node, with what that has on disk; its mirrors start again (H64, H73)."""
        cluster, name, node = self._cluster, record.name, record.master
        for other in [each for each in record.mirrors if (name, each) in cluster.members]:
            cluster.drop(record, other, "replaced")  # its master came back from its files (H42, H64)
        for orphan in record.orphans:
            self._emit(MirrorLeft("H64", name, orphan, "replaced"))
        record.mirrors, record.synchronised, record.orphans = [], set(), set()
        record.alive, record.stopped = True, False
        cluster.new_ring(record)
        live = self._queues.take_over(name, cluster.nodes[node])
        live.copies = None
        if record.mirroring is not None:
            cluster.update(record)
        cluster.soon(partial(cluster.reapply, name))
        self._consumers.served_anew(name, cancels=not record.down_sent)
        record.down_sent = False
        cluster.soon(partial(cluster.roll.served, name))

    def _join(self, record: QueueRecord, node: str) -> None:
        """Start a mirror on a node that started, if the policy wants one there (H17)."""
        if not record.alive or record.mirroring is None or node in record.members:
            return
        running = [name for name in self._cluster.running if name == node or name in record.members]
        if node in wanted(record, running)[1]:
            self._cluster.join(record, node)
            self._cluster.soon(partial(self._auto_sync, record.name))
