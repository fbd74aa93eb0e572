"""A socket that gives what it sends to the system at once.

Twisted keeps what is written until the event loop reports that the connection takes more: two changes to what the loop
watches and a turn of it for each message. Nearly always the connection takes everything at once. Autobahn puts two
lines for its log into words for each message, whether they are logged or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from daphne.ws_protocol import WebSocketProtocol
from twisted.internet.tcp import Connection

SMALL_BYTES: Final = 64
"""A message that is shorter goes out as it is: compressing it takes longer than sending it."""


class DirectSocket(WebSocketProtocol):
    """Daphne's socket with a short way out. What the connection does not take waits where it always did."""

    leave: Callable[[], None] | None = None
    """Is called when the connection is gone: whoever let it in counts it."""

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 - twisted's name
        """The connection is gone."""
        if self.leave is not None:
            self.leave()
            self.leave = None
        super().connectionLost(reason)

    def sendMessage(self, payload: bytes, *arguments: Any, **named: Any) -> None:  # noqa: N802 - autobahn's name
        """Send a message, compressed if that is worth it."""
        if len(payload) < SMALL_BYTES:
            named["doNotCompress"] = True
        super().sendMessage(payload, *arguments, **named)

    def sendData(self, data: bytes, *arguments: Any, **named: Any) -> None:  # noqa: N802 - autobahn's name
        """Write bytes: at once where nothing waits before them."""
        sent = 0 if self.send_queue else write_at_once(self.transport, data)
        if sent < len(data):
            super().sendData(data[sent:], *arguments, **named)

    def send_at_once(self, text: bytes) -> bool:
        """Send a text now, if the socket is open; return whether it was sent."""
        if self.state != self.STATE_OPEN:
            return False
        self.sendMessage(text)
        return True

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        """Take what has arrived."""
        self._dataReceived(data)


def write_at_once(transport: Any, data: bytes) -> int:
    """Return how many bytes a plain connection took at once: none where others wait before them, or it is ending."""
    if not isinstance(transport, Connection) or transport.TLS or not transport.connected:
        return 0
    waits = transport.dataBuffer or transport._tempDataBuffer  # noqa: SLF001 - twisted has no other name for it
    if waits or transport.disconnecting:
        return 0
    sent = transport.writeSomeData(data)
    return sent if isinstance(sent, int) else 0  # lost: the usual way finds that out as well
