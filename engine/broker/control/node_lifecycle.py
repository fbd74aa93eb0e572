"""Stops and starts of the node, and the commands that are possible meanwhile (D1-D5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from engine.backing_queue.generation import StopKind
from engine.broker.commands import operator_commands as cmd
from engine.broker.commands.base import Command, vhost_of
from engine.broker.control.monitors import MemoryMonitors
from engine.broker.control.verb_parts import ShownSettings
from engine.broker.memory.resource_monitors import MemoryMonitor
from engine.broker.mirrors.membership import NodeParts
from engine.broker.queues.queues import BrokerNode
from engine.report.transitions.base import Why
from engine.values.errors import CommandError


class NodeLifecycle:
    """Stops and starts the broker on its node. `on_gone`: called with the name of a queue that a restart did
    not bring back.
    """

    def __init__(
        self,
        below: NodeParts,
        settings: ShownSettings,
        monitors: MemoryMonitors,
        on_gone: Callable[[str], None],
    ) -> None:
        self.runs = True
        self.ever_stopped = False
        self._configuration = below.configuration
        self._settings = settings
        self._connections = below.connections
        self._consumers = below.consumers
        self._queues = below.queues
        self._dead_letters = below.dead_letters
        self._watch = below.first.watch
        self._monitors = monitors
        self._lifetimes = below.lifetimes
        self._on_gone = on_gone

    def restart(self, kind: StopKind) -> None:
        """Stop the node and start it on its files; every connection is lost (D1-D5)."""
        if kind == "clean":
            self._queues.check_may_stop()
        self._stop(kind)
        self._watch.restart()
        self._start()

    def stop_app(self) -> None:
        """Stop the broker in order and leave it stopped, so that only its files exist (D2)."""
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
        """Return whether the broker runs; nothing, if nobody ever stopped it."""
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


WITHOUT_NODES = (cmd.StartNode, cmd.StartApp, cmd.Ctl)
"""Commands that an operator may give while no node runs."""
UP: Final = attrgetter("up")

Handlers = Mapping[type[Command], Callable[[Any], None]]
"""The function for each kind of command. A verb raises CommandError only before it changes anything."""


class CommandVerbs:
    """The commands of one node. `life`: whether the broker runs. `keepers`: keep a command on a blocked
    connection (A3) or a waiting channel (H64), and return whether they did. `hosts`: the virtual hosts' names.
    """

    def __init__(
        self,
        life: NodeLifecycle,
        keepers: Sequence[Callable[[Command], bool]],
        nodes: Mapping[str, BrokerNode],
        hosts: Collection[str],
    ) -> None:
        self._life = life
        self._keepers = keepers
        self._nodes = nodes
        self._hosts = hosts
        self._handlers: dict[type[Command], Callable[[Any], None]] = {}

    def learn(self, handlers: Handlers) -> None:
        self._handlers |= handlers

    def do(self, command: Command) -> None:
        """Do a command. Raises CommandError, with nothing changed, when it cannot be done now."""
        if not self._life.runs and not isinstance(command, cmd.StartApp | cmd.StopApp | cmd.Ctl):
            raise CommandError("broker_stopped")
        if not any(map(UP, self._nodes.values())) and not isinstance(command, WITHOUT_NODES):
            raise CommandError("node_down", name=", ".join(self._nodes), known="none")
        vhost = vhost_of(command)
        if vhost not in self._hosts:
            raise CommandError("no_vhost", name=vhost, known=", ".join(self._hosts))
        on_channel = getattr(command, "channel", None) is not None  # most commands come on no channel by hand
        if on_channel and any(keeps(command) for keeps in self._keepers):
            return
        self._handlers[type(command)](command)
