"""The parts of the node on which the verbs of clients and of the topology work."""

from __future__ import annotations

from typing import NamedTuple

from engine.node.broker.definitions import Definitions
from engine.node.clients.closing import Closing
from engine.node.clients.connections import Connections
from engine.node.clients.consumers import Consumers
from engine.node.mirrors.patience import Patience
from engine.node.queues.lifetimes import Lifetimes
from engine.node.queues.queues import Queues


class ClientParts(NamedTuple):
    """What a client's command may concern: what is declared, the queues that run, who is connected, and who waits."""

    definitions: Definitions
    queues: Queues
    lifetimes: Lifetimes
    connections: Connections
    consumers: Consumers
    closing: Closing
    patience: Patience


class OnClientParts:
    """Verbs that work on these parts, each under a name of its own."""

    def __init__(self, parts: ClientParts) -> None:
        self._definitions = parts.definitions
        self._queues = parts.queues
        self._lifetimes = parts.lifetimes
        self._connections = parts.connections
        self._consumers = parts.consumers
        self._closing = parts.closing
        self._patience = parts.patience
