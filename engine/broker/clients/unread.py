"""Commands that lie unread in the sockets of blocked connections by hand, acknowledgements too (A3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from engine.broker.clients.channel import connection_of
from engine.broker.clients.manual_channel import ManualChannel
from engine.broker.commands import commands as cmd
from engine.broker.commands.base import Command
from engine.broker.commands.publish import Publish


class UnreadInput:
    """Commands of blocked connections by hand, in their order.

    The broker stops reading the socket of a connection that published under an alarm. Whatever else its client sends,
    on whichever channel, waits with it.

    Args:
        by_hand: the channels by hand.
    """

    def __init__(self, by_hand: Mapping[str, ManualChannel]) -> None:
        self._by_hand = by_hand
        self.blocked: dict[str, deque[Command]] = {}
        """What waits, by connection."""

    @property
    def messages(self) -> int:
        """Messages that wait to be published."""
        every = (each for waiting in self.blocked.values() for each in waiting)
        return sum(each.count for each in every if isinstance(each, Publish))

    def block(self, channel: str, command: Command) -> None:
        """Stop reading a connection; what made the broker stop is the first that waits."""
        self.blocked[connection_of(channel)] = deque([command])
        self._show(connection_of(channel))

    def keeps(self, command: Command) -> bool:
        """Keep a command of a blocked connection for later; return whether it was kept."""
        channel = channel_of(command)
        waiting = None if channel is None else self.blocked.get(connection_of(channel))
        if channel is None or waiting is None:
            return False
        waiting.append(command)
        self._show(connection_of(channel))
        return True

    def take(self) -> list[Command]:
        """Return everything, connection by connection: their sockets are read again."""
        blocked, self.blocked = self.blocked, {}
        for connection in blocked:
            self._show(connection)
        return [command for waiting in blocked.values() for command in waiting]

    def forget(self, connection: str) -> None:
        """A connection is gone, with what lay in its socket."""
        if self.blocked.pop(connection, None) is not None:
            self._show(connection)

    def clear(self) -> None:
        """Every connection is gone."""
        for connection in list(self.blocked):
            self.forget(connection)

    def _show(self, connection: str) -> None:
        waiting = self.blocked.get(connection)
        for name, hand in self._by_hand.items():
            if connection_of(name) == connection:
                hand.unread = 0 if waiting is None else len(waiting)
                hand.blocked = waiting is not None
                hand.was_blocked = True
                hand.rule = "A3"


def channel_of(command: Command) -> str | None:
    """Return the channel by hand on which a client sends a command; None for what reaches the node otherwise."""
    if isinstance(command, cmd.SetConsumer) and command.ack != "manual":
        return None
    return getattr(command, "channel", None)
