"""Building what a cluster consists of: its nodes, the members of its queues, and what happens to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from engine.backing_queue.host_files import Later
from engine.backing_queue.protocol import BackingQueue
from engine.broker.clients.closing import ChannelClosing
from engine.broker.commands.base import Command
from engine.broker.memory.memory_monitor import MemoryMonitor, MemoryWatch
from engine.broker.mirrors.labels import LabelledRing
from engine.broker.mirrors.master_location import MirrorPlaces
from engine.broker.mirrors.member_faults import MemberFaults
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.mirrors.node_parts import NodeParts
from engine.broker.mirrors.nodes import ClusterNodes
from engine.broker.mirrors.pending_calls import PendingCalls
from engine.broker.mirrors.shown import ShownMirrors
from engine.broker.mirrors.syncs import RunningSyncs
from engine.broker.queues.node import BrokerNode
from engine.broker.vhost.configuration import NodeConfiguration
from engine.broker.vhost.message_kinds import MessageKinds
from engine.broker.vhost.virtual_hosts import VirtualHost, VirtualHosts
from engine.formats.message import MessageCodec
from engine.report.transitions.base import Transition
from engine.storage.port import Storage
from engine.values.labels import bare

NODES: Final = ("n1", "n2", "n3")
"""Names of a cluster's nodes, in the order in which each lists those that run (H9)."""


def nodes_of(
    configuration: NodeConfiguration,
    codec: MessageCodec,
    storage: Storage,
    kinds: MessageKinds,
    label: Callable[[str, str], str],
    emit: Callable[[Transition], None],
    later: Later,
) -> dict[str, BrokerNode]:
    """Return the nodes of a cluster by name, each with files and memory of its own.

    Args:
        label: names a queue's member on a node.
        later: lets something happen in that many microseconds.
    """
    names = NODES[: configuration.node.nodes]
    nodes: dict[str, BrokerNode] = {}
    for name in names:
        seen = emit if len(names) == 1 else LabelledRing(emit, name, name == NODES[0], label)
        make = partial(_virtual_host, name, configuration, codec, storage, seen, kinds, later)
        nodes[name] = BrokerNode(name, VirtualHosts(make, storage), MemoryWatch(MemoryMonitor()))
    return nodes


def _virtual_host(
    node: str,
    configuration: NodeConfiguration,
    codec: MessageCodec,
    storage: Storage,
    emit: Callable[[Transition], None],
    kinds: MessageKinds,
    later: Later,
    vhost: str,
) -> VirtualHost:
    """Make a virtual host of a node; no closure, as a checkpoint has to keep what makes it."""
    return VirtualHost(
        release=configuration.release,
        settings=configuration.queue,
        codec=codec if vhost == codec.vhost else codec.in_vhost(vhost),
        storage=storage,
        emit=emit,
        as_read=kinds.as_read,
        later=later,
        folder="" if node == NODES[0] else f"{node}/",
    )


def queues_of(nodes: Mapping[str, BrokerNode]) -> Iterator[BackingQueue]:
    """Yield every engine that runs on any node."""
    for node in nodes.values():
        yield from node.host.queues()


class ClusterParts:
    """What one cluster consists of.

    Args:
        below: what the cluster stands on.
        seed: the scenario's.
        syncs: fills mirrors.
        node_changed: called when a node came or went.
        redo: does a command that its client sent while its channel waited.
    """

    def __init__(
        self,
        below: NodeParts,
        cluster: MirroredQueues,
        syncs: RunningSyncs,
        closing: ChannelClosing,
        *,
        seed: int,
        node_changed: Callable[[str], None],
        redo: Callable[[Command], None],
    ) -> None:
        queues, connections, configuration = below.queues, below.connections, below.configuration
        self._nodes = below.nodes
        self.places = MirrorPlaces(cluster, configuration.current, seed)
        self.patience = PendingCalls(below.roll, below.consumers, closing, below.clock, redo)
        self.syncs = syncs
        self.nodes = ClusterNodes(below, cluster, closing, syncs.maybe, self.patience.went_down, node_changed)
        self.mishaps = MemberFaults(cluster, queues, connections)
        self.shown = ShownMirrors(cluster)
        self._connections = connections
        self._consumers = below.consumers

    def actors_at(self, node: str) -> int:
        """Return how many connections of publishers and consumers a node has."""
        names = [
            name for name in (*self._connections.publishers, *self._consumers.all) if bare(name) != "burst"
        ]
        if len(self._nodes) == 1:
            return len(names)
        return sum(self.nodes.node_of(name) == node for name in names)
