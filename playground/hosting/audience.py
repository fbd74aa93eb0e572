"""The sockets that watch a session, and the numbers by which its worker addresses them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from playground.hosting.clients import SessionClient
from playground.texts.page_message import PageMessage

Place = tuple[int | None, str | None]
"""How many rows a reader has, and of which life."""


class SessionAudience:
    """The readers of one session."""

    def __init__(self) -> None:
        self._numbers: dict[SessionClient, int] = {}
        self._clients: dict[int, SessionClient] = {}
        self._count = itertools.count(1)
        self._waiting: dict[SessionClient, Place] = {}

    def __len__(self) -> int:
        """Return how many watch."""
        return len(self._numbers)

    def __iter__(self) -> Iterator[SessionClient]:
        """Go through those who watch; they may leave meanwhile."""
        return iter(tuple(self._numbers))

    @property
    def seen(self) -> bool:
        """Whether any page is in the foreground."""
        return any(client.seen for client in self._numbers)

    @property
    def strangers(self) -> int:
        """How many watch who are not the owner."""
        return sum(not client.owner for client in self._numbers)

    def join(self, client: SessionClient) -> None:
        """A socket watches from now on."""
        number = next(self._count)
        self._numbers[client] = number
        self._clients[number] = client

    def leave(self, client: SessionClient) -> int | None:
        """A socket is gone; return the number that it had."""
        self._waiting.pop(client, None)
        number = self._numbers.pop(client, None)
        if number is not None:
            del self._clients[number]
        return number

    def number(self, client: SessionClient) -> int | None:
        """Return the number of a socket, None when it does not watch any more."""
        return self._numbers.get(client)

    def client(self, number: int) -> SessionClient | None:
        """Return the socket of a number, None when it does not watch any more."""
        return self._clients.get(number)

    def notice(self, level: str, message: PageMessage) -> None:
        """Say something to everybody."""
        for client in tuple(self._numbers):
            client.notice(level, message)

    # --- those who cannot be welcomed yet ---

    def wait(self, client: SessionClient, place: Place) -> None:
        """Welcome a reader when the run is awake."""
        self._waiting[client] = place

    def wait_again(self) -> None:
        """Welcome everybody again when the run is awake: another worker has no list of them."""
        self._waiting |= {client: (None, None) for client in self._numbers if client.joined}

    def waited(self) -> list[tuple[SessionClient, Place]]:
        """Return who waits; nobody does afterwards."""
        found, self._waiting = list(self._waiting.items()), {}
        return found
