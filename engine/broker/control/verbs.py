"""Which function does each command, and whether any can be done now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, Protocol

from engine.broker.commands import cluster_commands as cluster_cmd
from engine.broker.commands import operator_commands as operator_cmd
from engine.broker.commands.base import Command
from engine.broker.commands.vhosts import vhost_of
from engine.broker.control.node_lifecycle import NodeLifecycle
from engine.broker.queues.node import BrokerNode
from engine.values.errors import CommandError

WITHOUT_NODES = (cluster_cmd.StartNode, operator_cmd.StartApp, operator_cmd.Ctl)
"""What an operator may do while no node runs."""
UP: Final = attrgetter("up")

Handlers = Mapping[type[Command], Callable[[Any], None]]
"""What does each kind of command. A verb raises CommandError before it changes anything, or not at all."""


class UnreadKeeper(Protocol):
    """Keeps what clients send while nobody reads it."""

    def keeps(self, command: Command) -> bool:
        """Keep a command for later; return whether it was kept."""


class CommandVerbs:
    """The commands of one node.

    Args:
        life: whether the broker runs.
        keepers: who keeps what clients send on connections that are blocked (A3), and on channels that wait (H64).
        nodes: the nodes.
        hosts: names of the virtual hosts that there are.
    """

    def __init__(
        self,
        life: NodeLifecycle,
        keepers: Sequence[UnreadKeeper],
        nodes: Mapping[str, BrokerNode],
        hosts: Collection[str],
    ) -> None:
        self._life = life
        self._keepers = keepers
        self._nodes = nodes
        self._hosts = hosts
        self._handlers: dict[type[Command], Callable[[Any], None]] = {}

    def learn(self, handlers: Handlers) -> None:
        """Take what does some kinds of commands."""
        self._handlers |= handlers

    def do(self, command: Command) -> None:
        """Do a command.

        Raises CommandError when it cannot be done now; nothing changed then.
        """
        if not self._life.runs and not isinstance(
            command, operator_cmd.StartApp | operator_cmd.StopApp | operator_cmd.Ctl
        ):
            raise CommandError("broker_stopped")
        if not any(map(UP, self._nodes.values())) and not isinstance(command, WITHOUT_NODES):
            raise CommandError("node_down", name=", ".join(self._nodes), known="none")
        vhost = vhost_of(command)
        if vhost not in self._hosts:
            raise CommandError("no_vhost", name=vhost, known=", ".join(self._hosts))
        on_channel = getattr(command, "channel", None) is not None  # most commands come on no channel by hand
        if on_channel and any(keeper.keeps(command) for keeper in self._keepers):
            return
        self._handlers[type(command)](command)
