"""What the commands about nodes and mirrors do (H51, H58, H71-H75, H87)."""

from __future__ import annotations

from engine.broker.commands import cluster_commands as cmd
from engine.broker.control.verbs import Handlers
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.parts import ClusterParts
from engine.broker.queues.queues import NodeQueues
from engine.mirrored_queue.record import QueueRecord
from engine.values.errors import CommandError


class ClusterVerbs:
    """An operator of a cluster at work."""

    def __init__(self, cluster: MirroredQueues, parts: ClusterParts, queues: NodeQueues) -> None:
        self._cluster = cluster
        self._nodes = parts.nodes
        self._syncs = parts.syncs
        self._mishaps = parts.mishaps
        self._queues = queues

    def handlers(self) -> Handlers:
        """Return what does each of these commands."""
        return {
            cmd.Connect: self._connect,
            cmd.KillNode: self._kill_node,
            cmd.StopNode: self._stop_node,
            cmd.StartNode: self._start_node,
            cmd.Synchronise: self._synchronise,
            cmd.CancelSync: self._cancel_sync,
            cmd.Move: self._move,
            cmd.Freeze: self._freeze,
            cmd.Thaw: self._thaw,
        }

    def _connect(self, command: cmd.Connect) -> None:
        self._nodes.connect(command.name, command.node)

    def _kill_node(self, command: cmd.KillNode) -> None:
        self._nodes.stop(command.node, "kill")

    def _stop_node(self, command: cmd.StopNode) -> None:
        self._nodes.stop(command.node, "clean")

    def _start_node(self, command: cmd.StartNode) -> None:
        self._nodes.start(command.node)

    def _record(self, queue: str) -> QueueRecord:
        record = self._cluster.records.get(queue)
        if record is None or not record.alive:
            known = ", ".join(self._queues) or "none"
            raise CommandError("no_queue", name=queue, known=known)
        return record

    def _synchronise(self, command: cmd.Synchronise) -> None:
        self._record(command.queue)
        if not self._syncs.start(command.queue):
            raise CommandError("not_mirrored", name=command.queue)
        self._cluster.settle()

    def _cancel_sync(self, command: cmd.CancelSync) -> None:
        self._record(command.queue)
        self._syncs.cancel(command.queue)
        self._cluster.settle()

    def _move(self, command: cmd.Move) -> None:
        record = self._record(command.queue)
        if record.mirroring is None:
            raise CommandError("not_mirrored", name=command.queue)
        self._nodes.check_up(command.node)
        if command.node != record.master:
            self._mishaps.transfer(record, command.node)
            self._cluster.settle()

    def _freeze(self, command: cmd.Freeze) -> None:
        self._mishaps.freeze(self._record(command.queue), command.node, command.what)

    def _thaw(self, command: cmd.Thaw) -> None:
        record = self._cluster.records.get(command.queue)
        if record is not None:
            self._mishaps.thaw(record, command.node)
            self._cluster.settle()
