"""The verbs of operators' commands on nodes, mirrors (H51, H58, H71-H75, H87) and virtual hosts (S1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from engine.broker.clients.channel import connection_of
from engine.broker.clients.connections import ChannelClosing
from engine.broker.commands import operator_commands as cmd
from engine.broker.commands.base import HAND, Command
from engine.broker.commands.commands import parse, value_of
from engine.broker.commands.scenario import MAX_VHOSTS
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.node_lifecycle import Handlers, NodeLifecycle
from engine.broker.control.report import LiveValues
from engine.broker.control.verb_parts import QueueEnds, ShownSettings, VerbParts
from engine.broker.mirrors.membership import NodeParts, PendingCalls
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.nodes import FORCED_CODE, ClusterParts
from engine.broker.queues.queue_process import QueueProcess
from engine.broker.queues.queues import BrokerNode, NodeQueues
from engine.broker.time.scheduler import MILLISECOND_US
from engine.mirrored_queue.ring import QueueRecord
from engine.values.errors import CommandError
from engine.values.labels import FIRST_HOST, host_of, in_host


class ClusterVerbs:
    """Verbs of an operator of a cluster."""

    def __init__(self, cluster: MirroredQueues, parts: ClusterParts, queues: NodeQueues) -> None:
        self._cluster = cluster
        self._nodes = parts.nodes
        self._syncs = parts.syncs
        self._mishaps = parts.mishaps
        self._queues = queues

    def handlers(self) -> Handlers:
        """Return the function for each of these commands."""
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


class VhostVerbs(VerbParts):
    """Verbs that add and delete virtual hosts."""

    def __init__(
        self, below: NodeParts, closing: ChannelClosing, patience: PendingCalls, ends: QueueEnds
    ) -> None:
        super().__init__(below, closing, patience)
        self._ends = ends
        self._nodes = below.nodes
        self._processes = below.processes
        self._board = below.board

    def handlers(self) -> Handlers:
        return {cmd.AddVhost: self._add, cmd.DeleteVhost: self._delete}

    def _add(self, command: cmd.AddVhost) -> None:
        vhost = command.vhost
        if vhost in self._definitions.hosts:
            return
        if len(self._definitions.hosts) >= MAX_VHOSTS:
            raise CommandError("too_many_vhosts", most=MAX_VHOSTS)
        self._definitions.add_host(vhost)
        self._connections.add_host(vhost)
        self._consumers.channel(in_host(vhost, HAND))
        for node in self._nodes.values():
            node.host.add_host(vhost)
        if self._processes.timed:
            first = next(iter(self._nodes.values())).host
            own = {name: each for name, each in first.stores.items() if host_of(name) == vhost}
            self._processes.of_stores(own, self._queues.sweep)

    def _delete(self, command: cmd.DeleteVhost) -> None:
        vhost = command.vhost
        if vhost not in self._definitions.hosts:
            known = ", ".join(self._definitions.hosts)
            raise CommandError("no_vhost", name=vhost, known=known)
        if vhost == FIRST_HOST:
            raise CommandError("first_vhost", name=vhost)
        self._close_connections(vhost)
        for name in [each for each in self._definitions.queues if host_of(each) == vhost]:
            self._ends.delete(name, "S1", "vhost_deleted")
        for node in self._nodes.values():
            for name in [each for each in node.host.stores if host_of(each) == vhost]:
                self._processes.end(f"store:{name}")
                self._processes.end(f"gc:{name}")
            node.host.forget_host(vhost)
        self._definitions.remove_host(vhost)

    def _close_connections(self, vhost: str) -> None:
        """Close every connection to the virtual host, with the broker's words."""
        text = f"CONNECTION_FORCED - vhost '{vhost}' is deleted"
        publishers, consumers = self._connections.publishers, self._consumers.all
        hands = self._consumers.by_hand
        burst, hand = in_host(vhost, "burst"), in_host(vhost, HAND)
        for name in [each for each in (*publishers, *consumers) if host_of(each) == vhost and each != burst]:
            self._closing.close_connection(name, "S1", FORCED_CODE, text)
            if name in publishers:
                self._connections.remove(publishers[name])
            else:
                self._consumers.remove(consumers[name])
            self._board.forget_actor(name, "S1")
        for connection in dict.fromkeys(connection_of(each) for each in hands if host_of(each) == vhost):
            used = next(each for each in hands if connection_of(each) == connection)
            self._closing.close_connection(used, "S1", FORCED_CODE, text)
        if hand in hands:
            del hands[hand]
            self._board.forget_actor(hand, "S1")
        self._connections.remove(publishers[burst])
        self._board.forget_actor(burst, "S1")


Console = Callable[[str, Mapping[str, Any], LiveValues], dict[str, Any]]
"""Returns the command that a line of rabbitmqctl stands for, from the node's snapshot and live values. Raises
CommandError when rabbitmqctl would refuse the line.
"""


def no_console(line: str, state: Mapping[str, Any], live: LiveValues) -> dict[str, Any]:
    """Fail on a command `ctl`, because this node has no console. Raises RuntimeError."""
    raise RuntimeError(f"a node without a console cannot do {line}; engine.ctl.console makes one that has it")


class OperatorVerbs:
    """Verbs of a single node's operator. `change_machine`: applies the current work profile. `console`:
    understands lines of rabbitmqctl, given what the node reports.
    """

    def __init__(
        self,
        below: NodeParts,
        *,
        settings: ShownSettings,
        monitors: MemoryMonitors,
        life: NodeLifecycle,
        change_machine: Callable[[], None],
        console: Callable[[str], dict[str, Any]],
        do: Callable[[Command], None],
        cluster: MirroredQueues,
    ) -> None:
        self._clock = below.clock
        self._configuration = below.configuration
        self._settings = settings
        self._queues = below.queues
        self._monitors = monitors
        self._life = life
        self._change_machine = change_machine
        self._console = console
        self._do = do
        self._cluster = cluster

    def handlers(self) -> Handlers:
        return {
            cmd.Set: self._set,
            cmd.AskQueues: self._ask_queues,
            cmd.Ctl: self._ctl,
            cmd.StopApp: self._stop_app,
            cmd.StartApp: self._start_app,
            cmd.Restart: self._restart,
        }

    def _process(self, name: str) -> QueueProcess:
        queue = self._queues.get(name)
        if queue is None:
            known = ", ".join(self._queues) or "none"
            raise CommandError("no_queue", name=name, known=known)
        return queue.process

    def _set(self, command: cmd.Set) -> None:
        value: Any = command.value
        if command.name == "work_profile" and self._clustered:
            raise CommandError("cluster_instant")
        if command.name == "queue_mode":
            process = self._process(command.queue)
            self._queues.wishes[command.queue].mode = value
            self._settings.report_settings()
            process.set_mode(value)
            process.handled()
        elif command.name == "target_ram_count" and command.node is not None:
            member = (
                self._cluster.process(command.queue, command.node) if command.queue in self._queues else None
            )
            if member is None:
                known = ", ".join(self._queues) or "none"
                raise CommandError("no_member", name=command.queue, node=command.node, known=known)
            member.pin_target(value)
        elif command.name == "target_ram_count":
            process = self._process(command.queue)
            self._queues.wishes[command.queue].target = value
            self._settings.report_settings()
            process.pin_target(value)
        else:
            self._configuration.change(command.name, value_of(command))
            self._settings.report_settings()
            if command.name == "work_profile":
                self._change_machine()
            elif command.name == "disk_free_limit":
                self._monitors.disk.check_space()
                self._monitors.others.watch_disks()
            elif command.name != "disk_free_bytes_other":
                self._monitors.measure_memory()

    def _ctl(self, command: cmd.Ctl) -> None:
        self._do(parse(self._console(command.line)))

    def _stop_app(self, _: cmd.StopApp) -> None:
        if self._clustered:
            if self._first.up:
                self._do(cmd.StopNode(cmd.FIRST_NODE))
        elif self._life.runs:
            self._life.stop_app()

    def _ask_queues(self, command: cmd.AskQueues) -> None:
        """Ask every queue process now, and again after a while if there is more to ask."""
        for live in list(self._queues.values()):
            live.process.answer_info()
        if command.count > 1:
            again = msgspec.structs.replace(command, count=command.count - 1)
            self._clock.after(command.every_ms * MILLISECOND_US, partial(self._ask_queues, again))

    def _start_app(self, _: cmd.StartApp) -> None:
        if not self._first.up:
            self._do(cmd.StartNode(cmd.FIRST_NODE))
        elif not self._clustered and not self._life.runs:
            self._life.start_app()

    def _restart(self, command: cmd.Restart) -> None:
        if not self._clustered:
            self._life.restart(command.kind)
            return
        stop = cmd.StopNode if command.kind == "clean" else cmd.KillNode
        self._do(stop(cmd.FIRST_NODE))
        self._do(cmd.StartNode(cmd.FIRST_NODE))

    @property
    def _clustered(self) -> bool:
        """Whether the first node, to which these commands go, is one of several."""
        return len(self._cluster.nodes) > 1

    @property
    def _first(self) -> BrokerNode:
        return next(iter(self._cluster.nodes.values()))
