"""Nodes stop, are lost and start, with the clients and members that they have (H70-H76)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from engine.amqp.policies import ALWAYS
from engine.backing_queue.host_files import StopKind
from engine.broker.clients.channel import connection_of
from engine.broker.clients.closing import ChannelClosing
from engine.broker.memory.memory_monitor import MemoryMonitor
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.node_parts import NodeParts
from engine.mirrored_queue.record import QueueRecord, wanted
from engine.report.transitions.amqp import ConnectionClosed
from engine.report.transitions.node import MirrorLeft, NodeStarted, NodeStopped
from engine.values.errors import CommandError

FORCED_CODE: Final = 320
FORCED_TEXT: Final = "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'"


class ClusterNodes:
    """The nodes of a cluster as an operator handles them.

    Args:
        below: what the cluster stands on.
        auto_sync: fills a queue's mirrors, if its policy wants that without being asked (H51).
        went_down: called with a queue that lost its master when no mirror took over.
        node_changed: called when a node came or went, so that its memory is looked at.
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
        """Let a client's connection be to a node.

        Raises CommandError when the node does not run.
        """
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
        """Every connection to a node is lost; what its consumers held goes back where a master lives.

        Args:
            orderly: whether the node notifies its clients.
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
        for connection in dict.fromkeys(connection_of(name) for name in lost):
            self._connections.unread.forget(connection)
            self._closing.drop_exclusive(connection)

    # --- stops (H61, H71) --------------------------------------------------------------------------------------------

    def stop(self, node: str, kind: StopKind) -> None:
        """Stop a node in order, or lose it.

        Raises CommandError when it does not run.
        """
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
            if (
                cluster.records.get(record.name) is record
            ):  # an auto-delete queue goes with its last consumer (P18)
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
        """Start a node on what it has.

        Raises CommandError when it runs, or when it must wait for the node that stopped last.
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
        at_home = [each for each in cluster.records.values() if each.master == node and not each.alive]
        for name in there.host.names():
            if name not in {each.name for each in at_home}:
                there.host.wipe(name)
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
            cluster.replace_mirror(record, other)
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
        """Begin a mirror on a node that started, if the policy wants one there (H17)."""
        if not record.alive or record.mirroring is None or node in record.members:
            return
        running = [name for name in self._cluster.running if name == node or name in record.members]
        if node in wanted(record, running)[1]:
            self._cluster.join(record, node)
            self._cluster.soon(partial(self._auto_sync, record.name))
