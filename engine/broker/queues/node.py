"""A node of a cluster as its queues see it: where their files are, and who watches their memory."""

from __future__ import annotations

from engine.broker.memory.memory_monitor import MemoryWatch
from engine.broker.vhost.virtual_hosts import VirtualHosts


class BrokerNode:
    """One node's virtual hosts and memory.

    Args:
        name: of the node.
    """

    def __init__(self, name: str, host: VirtualHosts, watch: MemoryWatch) -> None:
        self.name = name
        self.host = host
        self.watch = watch
        self.disk_alarm: bool | None = None
        """Whether too little of its disk is free (M10); None where nobody looks."""
        self.up = True
        """Whether the node runs."""
