"""The monitors and the verbs of a node, built on the rooms below."""

from __future__ import annotations

from functools import partial
from typing import Any

from engine.broker.clients.connections import ChannelClosing
from engine.broker.control.client_verbs import ClientVerbs, HandVerbs
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.node_lifecycle import CommandVerbs, NodeLifecycle
from engine.broker.control.operator_verbs import ClusterVerbs, Console, OperatorVerbs, VhostVerbs
from engine.broker.control.report import ChangeReport
from engine.broker.control.topology_verbs import TopologyVerbs
from engine.broker.control.verb_parts import CostProfile, QueueEnds, ShownSettings
from engine.broker.mirrors.membership import NodeParts
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.nodes import ClusterParts


class NodeControl:
    """The monitors, stops and starts, the report of changes, and the verbs of commands. `below`: the rooms of
    the node that lie below. `console`: understands the lines of the command `ctl`.
    """

    def __init__(
        self,
        below: NodeParts,
        *,
        closing: ChannelClosing,
        ends: QueueEnds,
        settings: ShownSettings,
        machine: CostProfile,
        mirrored: MirroredQueues,
        parts: ClusterParts,
        console: Console,
    ) -> None:
        self.monitors = MemoryMonitors(below, parts.actors_at, mirrored)
        self.life = NodeLifecycle(below, settings, self.monitors, mirrored.ended)
        self.report = ChangeReport(
            below,
            settings=settings,
            machine=machine,
            life=self.life,
            monitors=self.monitors,
            shown=parts.shown,
        )
        self._ask = console
        keepers = (below.connections.unread.keeps, parts.patience.keeps)
        self.verbs = CommandVerbs(self.life, keepers, mirrored.nodes, below.definitions.hosts)
        operator = OperatorVerbs(
            below,
            settings=settings,
            monitors=self.monitors,
            life=self.life,
            change_machine=partial(machine.change, below),
            console=self._command_of,
            do=self.verbs.do,
            cluster=mirrored,
        )
        for each in (
            ClientVerbs(below, closing, parts.patience),
            HandVerbs(below, closing, parts.patience),
            TopologyVerbs(below, closing, ends, mirrored, parts),
            operator,
            ClusterVerbs(mirrored, parts, below.queues),
            VhostVerbs(below, closing, parts.patience, ends),
        ):
            self.verbs.learn(each.handlers())

    def _command_of(self, line: str) -> dict[str, Any]:
        return self._ask(line, self.report.snapshot(), self.report.live())
