"""The parts of the node on which the verbs of clients and of the topology work."""

from __future__ import annotations

from typing import NamedTuple

from engine.broker.clients.closing import Closing
from engine.broker.clients.connections import Connections
from engine.broker.clients.consumers import Consumers
from engine.broker.mirrors.patience import Patience
from engine.broker.queues.lifetimes import Lifetimes
from engine.broker.queues.queues import Queues
from engine.broker.vhost.definitions import Definitions


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
