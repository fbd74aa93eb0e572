"""One reader of a session, as its host keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.values.sizes import plain
from playground.texts.page_message import PageMessage


class SessionClient:
    """A socket that has joined a session.

    Args:
        send: hands bytes to the socket; must not block, and bounds what it keeps.
        language: in which messages are written.
        close: ends the socket, for good or so that its browser connects again.
        move: ends the socket so that its browser connects to the process that has the session.
        owner: whether it may command; everybody else only watches.
        group: the class or the address that it belongs to, as limits count.
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
        """Whether its page is not in the background."""

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
        """Say that a command was not taken, why, and what to do; for programs as a code with parameters as well."""
        coded = {"code": message.code, "values": message.values} if message.code else {}
        self.send_message("refused", id=number, message=message, **coded)
