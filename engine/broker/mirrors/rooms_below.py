"""What the mirrors stand on: the rooms of a node that lie below theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from engine.broker.clients.connections import Connections
from engine.broker.clients.consumers import Consumers
from engine.broker.mirrors.roll import Roll
from engine.broker.queues.node import Node
from engine.broker.queues.queues import Queues
from engine.broker.time.scheduler import Scheduler
from engine.broker.vhost.board import Board
from engine.broker.vhost.configuration import Configuration
from engine.broker.vhost.definitions import Definitions
from engine.report.transitions.base import Transition


class RoomsBelow(msgspec.Struct, frozen=True, kw_only=True):
    """What a node has built before its cluster.

    Args:
        nodes: the nodes by name, in the order in which each lists those that run (H9).
        roll: who has which member of which queue.
        emit: takes each transition.
    """

    nodes: Mapping[str, Node]
    clock: Scheduler
    roll: Roll
    configuration: Configuration
    definitions: Definitions
    board: Board
    queues: Queues
    consumers: Consumers
    connections: Connections
    emit: Callable[[Transition], None]
