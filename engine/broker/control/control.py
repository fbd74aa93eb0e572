"""What looks after the node and what commands do, built on the rooms below."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.broker.clients.closing import Closing
from engine.broker.control.client_parts import ClientParts
from engine.broker.control.client_verbs import ClientVerbs
from engine.broker.control.cluster_verbs import ClusterVerbs
from engine.broker.control.ends import QueueEnds
from engine.broker.control.hand_verbs import HandVerbs
from engine.broker.control.life import Life
from engine.broker.control.machine import Machine
from engine.broker.control.monitors import Monitors
from engine.broker.control.operator_verbs import Console, OperatorVerbs
from engine.broker.control.report import Report
from engine.broker.control.shown_settings import ShownSettings
from engine.broker.control.topology_verbs import TopologyVerbs
from engine.broker.control.verbs import CommandVerbs
from engine.broker.control.vhost_verbs import VhostVerbs
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.parts import NODES, ClusterParts
from engine.broker.mirrors.rooms_below import RoomsBelow
from engine.broker.queues.dead_letters import DeadLetters
from engine.broker.queues.lifetimes import Lifetimes
from engine.broker.time.processes import Processes
from engine.storage.port import Storage


class NodeControl(NamedTuple):
    """The monitors, stops and starts, the report of what changed, and what does each command."""

    monitors: Monitors
    life: Life
    report: Report
    verbs: CommandVerbs


def build_control(
    below: RoomsBelow,
    *,
    lifetimes: Lifetimes,
    dead_letters: DeadLetters,
    closing: Closing,
    ends: QueueEnds,
    settings: ShownSettings,
    machine: Machine,
    mirrored: MirroredQueues,
    parts: ClusterParts,
    processes: Processes,
    storage: Storage,
    change_machine: Callable[[], None],
    console: Console,
) -> NodeControl:
    """Build them, and give each kind of command the function that does it.

    Args:
        change_machine: called when the settings of the machine have changed.
        console: understands the lines of the command `ctl`.
    """
    clients = ClientParts(
        below.definitions,
        below.queues,
        lifetimes,
        below.connections,
        below.consumers,
        closing,
        parts.patience,
    )
    first = below.nodes[NODES[0]]
    monitors = Monitors(
        configuration=below.configuration,
        clock=below.clock,
        storage=storage,
        processes=processes,
        watch=first.watch,
        board=below.board,
        host=first.host,
        parts=clients,
        actors=parts.actors_at,
        cluster=mirrored,
    )
    life = Life(
        configuration=below.configuration,
        settings=settings,
        parts=clients,
        dead_letters=dead_letters,
        watch=first.watch,
        monitors=monitors,
        on_gone=mirrored.ended,
    )
    report = Report(
        board=below.board,
        settings=settings,
        machine=machine,
        life=life,
        watch=first.watch,
        monitors=monitors,
        processes=processes,
        host=first.host,
        parts=clients,
        shown=parts.shown,
        nodes=below.nodes,
    )
    verbs = CommandVerbs(
        life, (below.connections.unread, parts.patience), mirrored.nodes, below.definitions.hosts
    )
    operator = OperatorVerbs(
        configuration=below.configuration,
        settings=settings,
        queues=below.queues,
        monitors=monitors,
        life=life,
        report=report,
        change_machine=change_machine,
        console=console,
        do=verbs.do,
        cluster=mirrored,
        clock=below.clock,
    )
    for each in (
        ClientVerbs(clients, configuration=below.configuration, board=below.board, scheduler=below.clock),
        HandVerbs(clients),
        TopologyVerbs(clients, ends, mirrored, parts),
        operator,
        ClusterVerbs(mirrored, parts, below.queues),
        VhostVerbs(clients, ends, mirrored, processes, below.board),
    ):
        verbs.learn(each.handlers())
    return NodeControl(monitors, life, report, verbs)
