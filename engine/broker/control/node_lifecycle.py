"""The node stops and starts again: at once, or with the broker left stopped in between (D1-D5)."""

from __future__ import annotations

from collections.abc import Callable

from engine.backing_queue.host_files import StopKind
from engine.broker.control.client_parts import ClientParts
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.shown_settings import ShownSettings
from engine.broker.memory.monitor import MemoryMonitor
from engine.broker.memory.watch import MemoryWatch
from engine.broker.queues.dead_letters import DeadLetters
from engine.broker.vhost.configuration import NodeConfiguration
from engine.report.transitions.base import Why


class NodeLifecycle:
    """Whether the broker runs on its node, and how it comes and goes.

    Args:
        on_gone: called with the name of a queue that a restart did not bring back.
    """

    def __init__(
        self,
        *,
        configuration: NodeConfiguration,
        settings: ShownSettings,
        parts: ClientParts,
        dead_letters: DeadLetters,
        watch: MemoryWatch,
        monitors: MemoryMonitors,
        on_gone: Callable[[str], None],
    ) -> None:
        self.runs = True
        self.ever_stopped = False
        self._configuration = configuration
        self._settings = settings
        self._connections = parts.connections
        self._consumers = parts.consumers
        self._queues = parts.queues
        self._dead_letters = dead_letters
        self._watch = watch
        self._monitors = monitors
        self._lifetimes = parts.lifetimes
        self._on_gone = on_gone

    def restart(self, kind: StopKind) -> None:
        """Stop the node and start it on its files; every connection is lost (D1-D5)."""
        if kind == "clean":
            self._queues.check_may_stop()
        self._stop(kind)
        self._watch.restart()
        self._start()

    def stop_app(self) -> None:
        """Stop the broker in order and leave it stopped: its files are all that is there (D2)."""
        self._queues.check_may_stop()
        self._stop("clean")
        self.runs = False
        self.ever_stopped = True
        self._monitors.measure_memory()

    def start_app(self) -> None:
        """Start the broker again on its files (D1, D2)."""
        self.runs = True
        self._start()

    def info_items(self) -> Why:
        """Return whether the broker runs, once anybody has stopped it."""
        return {"runs": self.runs} if self.ever_stopped else {}

    def _stop(self, kind: StopKind) -> None:
        self._connections.disconnect_all()
        if kind == "clean":
            self._lifetimes.connections_closed(self._queues.values())
            self._consumers.connections_closed()
            self._dead_letters.deliver(self._queues)
        self._consumers.disconnect_all()
        self._dead_letters.forget()
        self._queues.stop(kind)
        self._watch.monitor = MemoryMonitor()

    def _start(self) -> None:
        self._configuration.forget_runtime()
        self._settings.report_settings("M8")
        for name in self._queues.start_again():
            self._consumers.forget_queue(name, "D1", "restart")
            self._on_gone(name)
        self._settings.report_settings("D1")
        self._monitors.restart()
