"""On which node a new queue's master begins (H15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from zlib import crc32

from engine.amqp.arguments import LOCATOR, LOCATORS
from engine.amqp.declarations import DeclaredQueue
from engine.amqp.policies import mirroring_of
from engine.broker.commands.settings import NodeSettings
from engine.broker.mirrors.mirrored_queues import MirroredQueues
from engine.broker.queues.node import BrokerNode
from engine.mirrored_queue.record import QueueRecord, wanted

POLICY_KEY: Final = "queue-master-locator"


def strategy_of(arguments: Mapping[str, Any], policy: Mapping[str, Any], setting: str) -> str:
    """Return by which strategy a new queue's node is chosen; an argument that names none is passed over."""
    argument = arguments.get(LOCATOR)
    return str(argument if argument in LOCATORS else policy.get(POLICY_KEY, setting))


class MirrorPlaces:
    """Chooses the nodes of new queues.

    Args:
        settings: returns the nodes' settings.
        seed: the scenario's, which takes the place of chance (H88).
    """

    def __init__(self, cluster: MirroredQueues, settings: Callable[[], NodeSettings], seed: int) -> None:
        self._cluster = cluster
        self._settings = settings
        self._seed = seed

    def node_for(self, queue: DeclaredQueue, policy: Mapping[str, Any], node: str) -> BrokerNode:
        """Return the node for a new queue's master, which a client of `node` declares."""
        nodes = self._cluster.nodes
        if queue.exclusive:
            return nodes[node]
        strategy = strategy_of(queue.arguments, policy, self._settings().queue_master_locator)
        if strategy == "client-local":
            return nodes[node]
        candidates = self._candidates(queue.name, policy, node)
        if strategy == "random":
            return nodes[candidates[crc32(f"{self._seed} {queue.name}".encode()) % len(candidates)]]
        return nodes[min(sorted(candidates), key=self._masters)]

    def _candidates(self, name: str, policy: Mapping[str, Any], node: str) -> list[str]:
        """Return all nodes that run; with ha-mode nodes those of the policy, and the client's own (H11)."""
        running, mirroring = self._cluster.running, mirroring_of(policy)
        if mirroring is None or mirroring.mode != "nodes":
            return running
        record = QueueRecord(name, node, exclusive=False)
        record.mirroring = mirroring
        master, mirrors = wanted(record, running)
        return [master, *mirrors] if mirrors else running

    def _masters(self, node: str) -> int:
        return sum(record.master == node for record in self._cluster.records.values())
