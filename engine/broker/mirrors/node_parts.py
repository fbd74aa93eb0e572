"""What the mirrors stand on: the rooms of a node that lie below theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from engine.broker.clients.connections import PublisherConnections
from engine.broker.clients.consumers import Consumers
from engine.broker.mirrors.membership import MirrorMembership
from engine.broker.queues.node import BrokerNode
from engine.broker.queues.queues import NodeQueues
from engine.broker.time.scheduler import TimerScheduler
from engine.broker.vhost.configuration import NodeConfiguration
from engine.broker.vhost.definitions import HostDefinitions
from engine.broker.vhost.reported_state import ReportedState
from engine.report.transitions.base import Transition


class NodeParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a node has built before its cluster.

    Args:
        nodes: the nodes by name, in the order in which each lists those that run (H9).
        roll: who has which member of which queue.
        emit: takes each transition.
    """

    nodes: Mapping[str, BrokerNode]
    clock: TimerScheduler
    roll: MirrorMembership
    configuration: NodeConfiguration
    definitions: HostDefinitions
    board: ReportedState
    queues: NodeQueues
    consumers: Consumers
    connections: PublisherConnections
    emit: Callable[[Transition], None]
