"""Bounds what arrives at the server before anything reads it: heads and bodies of requests, connections, time.
Without this, Twisted would collect whole bodies and parse forms, and daphne would pass bodies on as thousands of
messages, which takes ten times the memory before Django runs. So bodies are refused here, by their stated length or
by counting as they arrive. A refused client gets a sentence, and the rest of its request is not read.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, Protocol

from daphne.http_protocol import WebRequest
from django.utils.translation import gettext_lazy as _
from twisted.internet import interfaces
from twisted.web.http import RESPONSES
from zope.interface import implementer

from playground.limits import rate_limits, work_places
from playground.limits.page_scheduler import App, PageScheduler, PagesOverfull, lane_of
from playground.limits.request_callers import last_hop, network
from playground.sessions.session_sockets import TRY_AGAIN
from playground.texts import PageMessage
from playground.web import errors
from playground.web.errors import BUSY

if TYPE_CHECKING:
    HTTPChannel = Any  # of what it has twisted's types know little
else:
    from twisted.web.http import HTTPChannel


class ClientConnection(Protocol):
    """A connection that was let in."""

    def drop(self) -> None:
        """Close it at once."""


class OpenConnections:
    """Admits connections. If all places are taken, the oldest silent connection is closed; a browser that had not
    sent a request then retries by itself. `most_each`: of one address; None where the addresses are those of a proxy,
    which counts itself.
    """

    def __init__(self, most: int, most_each: int | None) -> None:
        self._most = most
        self._most_each = most_each
        self._open: dict[str, int] = {}
        self._silent: dict[ClientConnection, None] = {}
        self.in_all = 0

    def is_full_for(self, address: str) -> bool:
        return self._most_each is not None and self._open.get(address, 0) >= self._most_each

    def enter(self, connection: ClientConnection, address: str) -> None:
        if self.in_all >= self._most and self._silent:
            first = next(iter(self._silent))
            del self._silent[first]
            first.drop()
        self.in_all += 1
        self._open[address] = self._open.get(address, 0) + 1
        self._silent[connection] = None

    def heard(self, connection: ClientConnection) -> None:
        self._silent.pop(connection, None)

    def leave(self, connection: ClientConnection, address: str) -> None:
        self._silent.pop(connection, None)
        self.in_all -= 1
        rate_limits.take_from(self._open, address)


logger = logging.getLogger(__name__)

LINGERS_S: Final = 2.0
"""How long a connection stays open after a refusal: closed at once, many clients would not see the answer."""
LINGERS_BYTES: Final = 256 * 1024
"""What is thrown away meanwhile of what still comes; then nothing more is read."""

TOO_SLOW: Final = _("That took too long")
TOO_SLOW_TEXT: Final = _(
    "What was sent had not arrived after %(seconds)s seconds, so the server stopped waiting. Send it again, or send "
    "less."
)
BUSY_TEXT: Final = _(
    "More is being sent to this server than it can hold at once. Send it again in %(seconds)s seconds."
)


class RequestIntake:
    """State that all connections of a server share. `server`: daphne's. `handles`: files and connections that this
    process may have open. `proxies`: how many of our own proxies are in a row before it; 0 where it meets the
    visitors itself.
    """

    def __init__(self, server: Any, handles: int, proxies: int) -> None:
        self.server = server
        self.proxies = proxies
        self.budget = rate_limits.RequestBudget()
        most = max(rate_limits.KEPT_FREE, handles - rate_limits.KEPT_FREE)
        self.connections = OpenConnections(
            most, None if proxies else min(rate_limits.CONNECTIONS_EACH, most // 2)
        )

    def protocol_for(self, address: Any) -> BoundedChannel | None:
        """Return the protocol of a new connection; None closes it."""
        host = network(str(getattr(address, "host", "")))
        if self.connections.is_full_for(host):
            return None
        factory = self.server.http_factory
        channel = BoundedChannel(self, host)
        channel.factory = factory
        channel.callLater = factory.reactor.callLater
        channel.timeOut = factory.timeOut
        channel.requestFactory = BoundedRequest
        return channel


class BoundedRequest(WebRequest):
    """Daphne's request; its body is counted as it arrives, and passed to Django unchanged."""

    def __init__(self, channel: BoundedChannel, *_number_in_queue: Any) -> None:
        super().__init__(channel, parsePOSTFormSubmission=False)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        """Take a part of the body, if it is not too much."""
        if self.channel.takes(len(data)):
            super().handleContentChunk(data)

    def process(self) -> Any:
        """Have it answered; a socket takes the connection over here."""
        channel = self.channel
        done = super().process()
        channel.handed_over()
        return done


@implementer(interfaces.IHalfCloseableProtocol)
class BoundedChannel(HTTPChannel):
    """A connection over which requests come, one after the other. `reception`: shared by all."""

    def __init__(self, reception: RequestIntake, address: str) -> None:
        super().__init__()
        self._reception = reception
        self._address = address
        self._sender = address
        """Whose body it is: where a proxy sends it, the visitor's address."""
        self._body = rate_limits.FORMS
        self._received = self._held = 0
        self._deadline: Any = None
        self._turned_away = self._left = False

    # --- twisted's events ---

    def connectionMade(self) -> None:  # noqa: N802 - twisted's name
        """Begin to wait for the first request."""
        self._reception.connections.enter(self, self._address)
        super().connectionMade()
        self._wait(rate_limits.HEAD_S, self.drop)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        """Take what has come; after a refusal it is thrown away."""
        if self._turned_away:
            self._received += len(data)
            if self._received > LINGERS_BYTES:
                self.transport.pauseProducing()
            return
        if self._deadline is None and not self._handlingRequest:
            self._wait(rate_limits.HEAD_S, self.drop)
        super().dataReceived(data)

    def rawDataReceived(self, data: bytes) -> None:  # noqa: N802 - twisted's name
        """Take a part of a body; what is after the head of a refused request is one as well."""
        if not self._turned_away:
            super().rawDataReceived(data)

    def allHeadersReceived(self) -> None:  # noqa: N802 - twisted's name
        """Check the stated length of a request's body before reading it."""
        self._reception.connections.heard(self)
        self._received = 0
        self._body = rate_limits.body_of(self._path.split(b"?", 1)[0].decode("latin1"))
        self._sender = self._address_of(self.requests[-1])
        if self.length != 0:
            self._wait(self._body.within_s, self._is_too_slow)
        if self.length is None or self._has_room(self.length):
            super().allHeadersReceived()

    def allContentReceived(self) -> None:  # noqa: N802 - twisted's name
        if not self._turned_away:
            self._wait_no_longer()
            super().allContentReceived()

    def requestDone(self, request: Any) -> None:  # noqa: N802 - twisted's name
        self._give_back()
        super().requestDone(request)

    def readConnectionLost(self) -> None:  # noqa: N802 - twisted's name
        """The other end sends no more; nobody waits for an answer who does that."""
        self.transport.loseConnection()

    def writeConnectionLost(self) -> None:  # noqa: N802 - twisted's name
        """This end sends no more, as was wanted."""

    def connectionLost(self, reason: Any) -> None:  # noqa: N802 - twisted's name
        self._wait_no_longer()
        self.leave()
        super().connectionLost(reason)

    def _respondToBadRequestAndDisconnect(self) -> None:  # noqa: N802 - twisted's name
        if not self._turned_away:
            super()._respondToBadRequestAndDisconnect()

    # --- what there is room for ---

    def takes(self, count: int) -> bool:
        if self._turned_away:
            return False
        self._received += count
        return self.length is not None or self._has_room(self._received)

    def _has_room(self, count: int) -> bool:
        """Return whether a body of that many bytes may be there; who sends more is turned away."""
        if count > self._body.most_bytes:
            self._turn_away(413, errors.TOO_LARGE, errors.too_large_message(self._body))
            return False
        if not self._reception.budget.take(self._sender, count - self._held):
            self._turn_away(503, BUSY, PageMessage(BUSY_TEXT, seconds=work_places.AGAIN_S))
            return False
        self._held = count
        return True

    def _give_back(self) -> None:
        if self._held:
            self._reception.budget.give_back(self._sender, self._held)
            self._held = 0

    def _address_of(self, request: Any) -> str:
        lines = request.requestHeaders.getRawHeaders(b"x-forwarded-for", [])
        hop = last_hop([line.decode("latin1") for line in lines], self._reception.proxies)
        return network(hop) if hop else self._address

    # --- coming and going ---

    def drop(self) -> None:
        self.transport.abortConnection()

    def leave(self) -> None:
        """Give back whatever the connection held."""
        self._give_back()
        if not self._left:
            self._left = True
            self._reception.connections.leave(self, self._address)

    def handed_over(self) -> None:
        """If a socket has taken the connection over, let it say when it is gone."""
        transport = self.transport
        if transport is None or transport.protocol is self or self._left:
            return
        self._give_back()
        transport.protocol.leave = self.leave

    def _wait(self, seconds: float, then: Any) -> None:
        self._wait_no_longer()
        self._deadline = self.callLater(seconds, then)

    def _wait_no_longer(self) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None

    # --- turning away ---

    def _is_too_slow(self) -> None:
        self._turn_away(408, TOO_SLOW, PageMessage(TOO_SLOW_TEXT, seconds=int(self._body.within_s)))

    def _turn_away(self, status: int, title: Any, message: PageMessage) -> None:
        """Answer, read no more, and close."""
        request = self.requests[-1]
        headers = [
            (name.lower(), value)
            for name, values in request.requestHeaders.getAllRawHeaders()
            for value in values
        ]
        path = self._path.split(b"?", 1)[0].decode("latin1")
        logger.info("a body was refused with %s at %.200r", status, path)
        kind, body = errors.plain_answer(headers, status, title, message)
        self._turned_away = True
        self._received = 0
        self._give_back()
        lines = [
            b"HTTP/1.1 %d %s" % (status, RESPONSES[status]),
            b"Content-Type: " + kind,
            b"Content-Length: %d" % len(body),
            b"Cache-Control: no-store",
            b"X-Content-Type-Options: nosniff",
            b"Connection: close",
        ]
        if status == 503:
            lines.append(b"Retry-After: %d" % work_places.AGAIN_S)
        self.setTimeout(None)
        self._networkProducer.unregisterProducer()
        self.transport.write(b"\r\n".join([*lines, b"", body]))
        self.transport.loseWriteConnection()
        self._wait(LINGERS_S, self.drop)


AT_ONCE: Final = 1
WAITING: Final = 2000
"""Most waiting sockets; the next one is closed, and its page tries again by itself."""
PATIENCE_S: Final = 15.0
"""Daphne closes a socket that is not let in within twenty seconds (`playground/server/serve.py`)."""


class LetIn:
    """Passes each socket to an application when it has its turn, which ends when the socket is accepted."""

    def __init__(self, application: App, turns: PageScheduler) -> None:
        self._application = application
        self._turns = turns

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            turn = await self._turns.take(lane_of(scope))
        except PagesOverfull:
            await send({"type": "websocket.close", "code": TRY_AGAIN})
            return
        received = 0

        async def receive_next() -> Any:
            nonlocal received
            received += 1
            if received > 1:  # the first message is the wish to be let in, and it is dealt with
                turn.end()
            return await receive()

        try:
            await self._application(scope, receive_next, send)
        finally:
            turn.end()


letting_in = PageScheduler(AT_ONCE, WAITING, PATIENCE_S)
