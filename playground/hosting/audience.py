"""The sockets that watch a session, with the numbers that its worker uses for them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from engine.values.sizes import plain
from playground.texts import PageMessage


class SessionClient:
    """A socket that has joined a session.

    Args:
        send: hands bytes to the socket; must not block, and bounds what it keeps.
        language: in which messages are written.
        close: ends the socket, for good or so that its browser reconnects.
        move: ends the socket so that its browser connects to the session's owner process.
        owner: whether it may give commands; others only watch.
        group: its class or address, for limits.
    """

    def __init__(
        self,
        send: Callable[[bytes], None],
        language: str = "en",
        owner: bool = True,
        close: Callable[[bool], None] = lambda for_good: None,
        move: Callable[[], None] = lambda: None,
        group: str = "",
    ) -> None:
        self.send = send
        self.close = close
        self.move = move
        self.language = language
        self.owner = owner
        self.group = group
        self.joined = False
        """Whether it has been welcomed."""
        self.seen = True
        """Whether its page is in the foreground."""

    def send_message(self, kind: str, **fields: Any) -> None:
        """Send a small message; `PageMessage` values are written in the reader's language."""
        written = {
            name: value.in_language(self.language) if isinstance(value, PageMessage) else value
            for name, value in fields.items()
        }
        self.send(msgspec.json.encode({"t": kind, **written}, enc_hook=plain))

    def notice(self, level: str, message: PageMessage) -> None:
        """Say something to the person: level info, limit or error."""
        self.send_message("notice", level=level, message=message)

    def refused(self, number: int | str | None, message: PageMessage) -> None:
        """Send the refusal of a command: why, and what to do, with code and parameters for programs."""
        coded = {"code": message.code, "values": message.values} if message.code else {}
        self.send_message("refused", id=number, message=message, **coded)


Place = tuple[int | None, str | None]
"""How many rows a reader has, and of which run."""


class SessionAudience:
    """The readers of one session."""

    def __init__(self) -> None:
        self._numbers: dict[SessionClient, int] = {}
        self._clients: dict[int, SessionClient] = {}
        self._count = itertools.count(1)
        self._waiting: dict[SessionClient, Place] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[SessionClient]:
        """Iterate over the sockets, which may leave meanwhile."""
        return iter(tuple(self._numbers))

    @property
    def seen(self) -> bool:
        return any(client.seen for client in self._numbers)

    @property
    def strangers(self) -> int:
        """Number of sockets that are not the owner's."""
        return sum(not client.owner for client in self._numbers)

    def join(self, client: SessionClient) -> None:
        number = next(self._count)
        self._numbers[client] = number
        self._clients[number] = client

    def leave(self, client: SessionClient) -> int | None:
        """Remove a socket; return its number."""
        self._waiting.pop(client, None)
        number = self._numbers.pop(client, None)
        if number is not None:
            del self._clients[number]
        return number

    def number(self, client: SessionClient) -> int | None:
        return self._numbers.get(client)

    def client(self, number: int) -> SessionClient | None:
        return self._clients.get(number)

    def notice(self, level: str, message: PageMessage) -> None:
        for client in tuple(self._numbers):
            client.notice(level, message)

    # --- those who cannot be welcomed yet ---

    def wait(self, client: SessionClient, place: Place) -> None:
        """Let a reader wait until the run is awake."""
        self._waiting[client] = place

    def wait_again(self) -> None:
        """Let everybody wait until the run is awake, because a new worker does not know them."""
        self._waiting |= {client: (None, None) for client in self._numbers if client.joined}

    def waited(self) -> list[tuple[SessionClient, Place]]:
        found, self._waiting = list(self._waiting.items()), {}
        return found
