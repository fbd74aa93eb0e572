"""Building what a cluster consists of: its nodes, the members of its queues, and what happens to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from engine.backing_queue.protocol import BackingQueue
from engine.formats.message import MessageCodec
from engine.node.broker.configuration import Configuration
from engine.node.broker.message_kinds import MessageKinds
from engine.node.broker.virtual_host import VirtualHost
from engine.node.clients.closing import Closing
from engine.node.commands.base import Command
from engine.node.memory.monitor import MemoryMonitor
from engine.node.memory.watch import MemoryWatch
from engine.node.mirrors.channels import MirroredChannels
from engine.node.mirrors.cluster import Cluster
from engine.node.mirrors.labels import Labelled
from engine.node.mirrors.mishaps import Mishaps
from engine.node.mirrors.nodes import Nodes
from engine.node.mirrors.patience import Patience
from engine.node.mirrors.places import Places
from engine.node.mirrors.rooms_below import RoomsBelow
from engine.node.mirrors.shown import Shown
from engine.node.mirrors.syncs import Syncs
from engine.node.queues.site import Site
from engine.storage.port import Storage
from engine.transitions import Transition

NODES: Final = ("n1", "n2", "n3")
"""Names of a cluster's nodes, in the order in which each lists those that run (H9)."""


def sites_of(
    configuration: Configuration,
    codec: MessageCodec,
    storage: Storage,
    kinds: MessageKinds,
    label: Callable[[str, str], str],
    emit: Callable[[Transition], None],
) -> dict[str, Site]:
    """Return the nodes of a cluster by name, each with files and memory of its own.

    Args:
        label: names a queue's member on a node.
    """
    names = NODES[: configuration.node.nodes]
    return {
        name: Site(
            name,
            VirtualHost(
                settings=configuration.queue,
                codec=codec,
                storage=storage,
                emit=emit if len(names) == 1 else Labelled(emit, name, name == NODES[0], label),
                as_read=kinds.as_read,
                folder="" if name == NODES[0] else f"{name}/",
            ),
            MemoryWatch(MemoryMonitor()),
        )
        for name in names
    }


def queues_of(sites: Mapping[str, Site]) -> Iterator[BackingQueue]:
    """Yield every engine that runs on any node."""
    for site in sites.values():
        yield from site.host.queues()


class ClusterParts:
    """What one cluster consists of.

    Args:
        below: what the cluster stands on.
        seed: the scenario's.
        forget_queue: forgets a queue that does not come back.
        node_changed: called when a node came or went.
        redo: does a command that its client sent while its channel waited.
    """

    def __init__(
        self,
        below: RoomsBelow,
        cluster: Cluster,
        closing: Closing,
        *,
        seed: int,
        forget_queue: Callable[[str], None],
        node_changed: Callable[[str], None],
        redo: Callable[[Command], None],
    ) -> None:
        queues, connections, configuration = below.queues, below.connections, below.configuration
        self.sites = below.sites
        self.nodes = Nodes(below, cluster, closing, forget_queue, node_changed)
        self.syncs = Syncs(below, cluster, self.memory_alarm)
        self.places = Places(cluster, configuration.current, seed)
        self.patience = Patience(cluster, below.consumers, closing, below.clock, redo)
        self.mishaps = Mishaps(cluster, queues, connections.confirms)
        self.shown = Shown(cluster)
        queues.more_items = self.shown.of_queue
        connections.members = MirroredChannels(cluster, queues, configuration.current)
        cluster.hooks.room = connections.credit_came
        self._connections = connections
        self._consumers = below.consumers

    def memory_alarm(self) -> bool:
        """Return whether any node's memory alarm is set (H57, H86)."""
        return any(site.watch.alarm for site in self.sites.values())

    def actors_at(self, node: str) -> int:
        """Return how many connections of publishers and consumers a node has."""
        names = [name for name in (*self._connections.publishers, *self._consumers.all) if name != "burst"]
        if len(self.sites) == 1:
            return len(names)
        return sum(self.nodes.node_of(name) == node for name in names)
