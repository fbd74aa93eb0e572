"""The connections of a server: how many there are of each address, and which of them have said nothing yet."""

from __future__ import annotations

from typing import Protocol


class ClientConnection(Protocol):
    """A connection that was let in."""

    def drop(self) -> None:
        """Close it at once."""


class OpenConnections:
    """Lets connections in.

    Where all places are taken, whoever came first of those who have said nothing makes room: a browser that is sent
    away before it asked for anything asks again by itself.

    Args:
        most: of all together.
        most_each: of one address; None where the addresses are those of a proxy, which counts itself.
    """

    def __init__(self, most: int, most_each: int | None) -> None:
        self._most = most
        self._most_each = most_each
        self._open: dict[str, int] = {}
        self._silent: dict[ClientConnection, None] = {}
        self.in_all = 0

    def is_full_for(self, address: str) -> bool:
        """Return whether an address has all that it may have."""
        return self._most_each is not None and self._open.get(address, 0) >= self._most_each

    def enter(self, connection: ClientConnection, address: str) -> None:
        """Note one that was let in."""
        if self.in_all >= self._most and self._silent:
            first = next(iter(self._silent))
            del self._silent[first]
            first.drop()
        self.in_all += 1
        self._open[address] = self._open.get(address, 0) + 1
        self._silent[connection] = None

    def heard(self, connection: ClientConnection) -> None:
        """Note that one has asked for something."""
        self._silent.pop(connection, None)

    def leave(self, connection: ClientConnection, address: str) -> None:
        """Note that one is gone."""
        self._silent.pop(connection, None)
        self.in_all -= 1
        left = self._open.pop(address, 0) - 1
        if left > 0:
            self._open[address] = left
