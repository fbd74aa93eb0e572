"""The parts of the node on which the verbs of clients and of the topology work."""

from __future__ import annotations

from typing import NamedTuple

from engine.broker.clients.closing import ChannelClosing
from engine.broker.clients.connections import PublisherConnections
from engine.broker.clients.consumers import Consumers
from engine.broker.mirrors.pending_calls import PendingCalls
from engine.broker.queues.lifetimes import QueueLifetimes
from engine.broker.queues.queues import NodeQueues
from engine.broker.vhost.definitions import HostDefinitions


class ClientParts(NamedTuple):
    """What a client's command may concern: what is declared, the queues that run, who is connected, and who waits."""

    definitions: HostDefinitions
    queues: NodeQueues
    lifetimes: QueueLifetimes
    connections: PublisherConnections
    consumers: Consumers
    closing: ChannelClosing
    patience: PendingCalls


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
