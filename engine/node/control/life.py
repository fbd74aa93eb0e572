"""The node stops and starts again: at once, or with the broker left stopped in between (D1-D5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.node.broker.virtual_host import StopKind
from engine.node.memory.monitor import MemoryMonitor
from engine.transitions import Why

if TYPE_CHECKING:
    from engine.node.node import Node


class Life:
    """Whether the broker runs on its node, and how it comes and goes."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.runs = True
        self._told = False

    def restart(self, kind: StopKind) -> None:
        """Stop the node and start it on its files; every connection is lost (D1-D5)."""
        self._stop(kind)
        self._start()

    def stop_app(self) -> None:
        """Stop the broker in order and leave it stopped: its files are all that is there (D2)."""
        self._stop("clean")
        self.runs = False
        self._told = True
        self._node.look_at_memory()

    def start_app(self) -> None:
        """Start the broker again on its files (D1, D2)."""
        self.runs = True
        self._start()

    def facts(self) -> Why:
        """Return whether the broker runs, once anybody has stopped it."""
        return {"runs": self.runs} if self._told else {}

    def _stop(self, kind: StopKind) -> None:
        node = self._node
        node.connections.disconnect_all()
        node.consumers.disconnect_all()
        node.dead_letters.forget()
        node.queues.stop(kind)
        node.watch.monitor = MemoryMonitor()

    def _start(self) -> None:
        node = self._node
        node.forget_runtime_settings()
        for name in node.queues.start_again():
            node.consumers.forget_queue(name, "D1", "restart")
        node.tell_settings("D1")
        node.monitors.restart()
