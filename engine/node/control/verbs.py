"""Which function does each command, and whether any can be done now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import CommandError
from engine.node.clients.unread import Unread
from engine.node.commands import commands as cmd
from engine.node.commands.base import Command
from engine.node.control.life import Life

Handlers = Mapping[type[Command], Callable[[Any], None]]
"""What does each kind of command. A verb raises CommandError before it changes anything, or not at all."""


class Verbs:
    """The commands of one node.

    Args:
        life: whether the broker runs.
        unread: keeps what clients send on connections that are blocked (A3).
    """

    def __init__(self, life: Life, unread: Unread) -> None:
        self._life = life
        self._unread = unread
        self._handlers: dict[type[Command], Callable[[Any], None]] = {}

    def learn(self, handlers: Handlers) -> None:
        """Take what does some kinds of commands."""
        self._handlers |= handlers

    def do(self, command: Command) -> None:
        """Do a command.

        Raises CommandError when it cannot be done now; nothing changed then.
        """
        if not self._life.runs and not isinstance(command, cmd.StartApp | cmd.StopApp | cmd.Ctl):
            raise CommandError("broker_stopped")
        if self._unread.keeps(command):
            return
        self._handlers[type(command)](command)
