"""The monitors and the verbs of a node, built on the rooms below."""

from __future__ import annotations

from collections.abc import Callable

from engine.broker.clients.closing import ChannelClosing
from engine.broker.control.client_verbs import ClientVerbs, HandVerbs
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.node_lifecycle import CommandVerbs, NodeLifecycle
from engine.broker.control.operator_verbs import ClusterVerbs, Console, OperatorVerbs, VhostVerbs
from engine.broker.control.report import ChangeReport
from engine.broker.control.topology_verbs import TopologyVerbs
from engine.broker.control.verb_parts import ClientParts, CostProfile, QueueEnds, ShownSettings
from engine.broker.mirrors.membership import NodeParts
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.nodes import NODES, ClusterParts
from engine.broker.queues.queues import DeadLetters, QueueLifetimes
from engine.broker.time.processes import NodeProcesses
from engine.storage.port import Storage


class NodeControl:
    """The monitors, stops and starts, the report of changes, and the verbs of commands.

    Args:
        change_machine: called when the settings of the machine have changed.
        console: understands the lines of the command `ctl`.
    """

    def __init__(
        self,
        below: NodeParts,
        *,
        lifetimes: QueueLifetimes,
        dead_letters: DeadLetters,
        closing: ChannelClosing,
        ends: QueueEnds,
        settings: ShownSettings,
        machine: CostProfile,
        mirrored: MirroredQueues,
        parts: ClusterParts,
        processes: NodeProcesses,
        storage: Storage,
        change_machine: Callable[[], None],
        console: Console,
    ) -> None:
        self._below = below
        self._ends = ends
        self._settings = settings
        self._mirrored = mirrored
        self._parts = parts
        self._processes = processes
        self._clients = ClientParts(
            below.definitions,
            below.queues,
            lifetimes,
            below.connections,
            below.consumers,
            closing,
            parts.patience,
        )
        self._build_monitors(storage, dead_letters)
        self._build_report(machine)
        self._teach_verbs(change_machine, console)

    def _build_monitors(self, storage: Storage, dead_letters: DeadLetters) -> None:
        """Build the monitors of memory and disk, and the lifecycle of the broker."""
        first = self._below.nodes[NODES[0]]
        self.monitors = MemoryMonitors(
            configuration=self._below.configuration,
            clock=self._below.clock,
            storage=storage,
            processes=self._processes,
            watch=first.watch,
            board=self._below.board,
            host=first.host,
            parts=self._clients,
            actors=self._parts.actors_at,
            cluster=self._mirrored,
        )
        self.life = NodeLifecycle(
            configuration=self._below.configuration,
            settings=self._settings,
            parts=self._clients,
            dead_letters=dead_letters,
            watch=first.watch,
            monitors=self.monitors,
            on_gone=self._mirrored.ended,
        )

    def _build_report(self, machine: CostProfile) -> None:
        """Build the report of changes that have no transition of their own."""
        first = self._below.nodes[NODES[0]]
        self.report = ChangeReport(
            board=self._below.board,
            settings=self._settings,
            machine=machine,
            life=self.life,
            watch=first.watch,
            monitors=self.monitors,
            processes=self._processes,
            host=first.host,
            parts=self._clients,
            shown=self._parts.shown,
            nodes=self._below.nodes,
        )

    def _teach_verbs(self, change_machine: Callable[[], None], console: Console) -> None:
        """Assign a function to each kind of command."""
        below, mirrored, parts = self._below, self._mirrored, self._parts
        keepers = (below.connections.unread, parts.patience)
        self.verbs = CommandVerbs(self.life, keepers, mirrored.nodes, below.definitions.hosts)
        operator = OperatorVerbs(
            configuration=below.configuration,
            settings=self._settings,
            queues=below.queues,
            monitors=self.monitors,
            life=self.life,
            report=self.report,
            change_machine=change_machine,
            console=console,
            do=self.verbs.do,
            cluster=mirrored,
            clock=below.clock,
        )
        clients = ClientVerbs(
            self._clients, configuration=below.configuration, board=below.board, scheduler=below.clock
        )
        for each in (
            clients,
            HandVerbs(self._clients),
            TopologyVerbs(self._clients, self._ends, mirrored, parts),
            operator,
            ClusterVerbs(mirrored, parts, below.queues),
            VhostVerbs(self._clients, self._ends, mirrored, self._processes, below.board),
        ):
            self.verbs.learn(each.handlers())
