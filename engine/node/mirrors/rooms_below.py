"""What the mirrors stand on: the rooms of a node that lie below theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from engine.node.broker.board import Board
from engine.node.broker.configuration import Configuration
from engine.node.broker.definitions import Definitions
from engine.node.clients.connections import Connections
from engine.node.clients.consumers import Consumers
from engine.node.queues.queues import Queues
from engine.node.queues.site import Site
from engine.node.time.scheduler import Scheduler
from engine.transitions import Transition


class RoomsBelow(msgspec.Struct, frozen=True, kw_only=True):
    """What a node has built before its cluster.

    Args:
        sites: the nodes by name, in the order in which each lists those that run (H9).
        emit: takes each transition.
    """

    sites: Mapping[str, Site]
    clock: Scheduler
    configuration: Configuration
    definitions: Definitions
    board: Board
    queues: Queues
    consumers: Consumers
    connections: Connections
    emit: Callable[[Transition], None]
