"""What a socket sends goes out at once, in order, also where the reader does not take it."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from autobahn.websocket.protocol import TrafficStats
from twisted.internet.tcp import Connection

from playground.server.serve import SMALL_BYTES, DirectSocket

MUCH = bytes(range(256)) * 20_000


class Watched:
    """A reactor that only notes whether a connection is watched."""

    watches = False

    def addWriter(self, connection: Any) -> None:  # noqa: N802 - twisted's name
        self.watches = True

    def removeWriter(self, connection: Any) -> None:  # noqa: N802 - twisted's name
        self.watches = False


class Compressor:
    """Notes what it is given."""

    def __init__(self) -> None:
        self.given: list[bytes] = []

    def start_compress_message(self) -> None:
        pass

    def compress_message_data(self, payload: bytes) -> bytes:
        self.given.append(payload)
        return payload

    def end_compress_message(self) -> bytes:
        return b""


class Pair:
    """A socket of the server, and the reader's end."""

    def __init__(self) -> None:
        ours, self.reader = socket.socketpair()
        ours.setblocking(False)
        self.reader.settimeout(60)
        self.reactor = Watched()
        self.transport: Any = Connection(ours, None, self.reactor)
        self.transport.connected = True
        self.socket: Any = DirectSocket()
        self.socket.transport = self.transport
        self.socket.trafficStats = TrafficStats()
        self.socket.send_queue = deque()
        self.socket.state = DirectSocket.STATE_OPEN
        self.socket.logOctets = False

    def read(self, count: int) -> bytes:
        """Read so many bytes, and let the connection write on when there is room."""
        found = b""
        while len(found) < count:
            found += self.reader.recv(count - len(found))
            if self.reactor.watches:
                self.transport.doWrite()
        return found


@pytest.fixture
def pair() -> Iterator[Pair]:
    made = Pair()
    yield made
    made.transport.socket.close()
    made.reader.close()


def test_what_the_connection_takes_goes_out_without_the_loop(pair: Pair) -> None:
    pair.socket.sendData(b"a frame")
    assert not pair.reactor.watches
    assert pair.read(7) == b"a frame"


def test_what_it_does_not_take_waits_and_nothing_overtakes_it(pair: Pair) -> None:
    pair.socket.sendData(MUCH)
    pair.socket.sendData(b"the next one")
    assert pair.reactor.watches
    assert pair.read(len(MUCH) + 12) == MUCH + b"the next one"
    pair.socket.sendData(b"and so on")
    assert not pair.reactor.watches
    assert pair.read(9) == b"and so on"


def test_a_connection_that_is_gone_or_ending_is_left_to_twisted(pair: Pair) -> None:
    pair.reader.shutdown(socket.SHUT_RDWR)
    pair.socket.sendData(b"nobody reads this")
    assert pair.reactor.watches
    pair.transport.disconnecting = True
    pair.socket.sendData(b"nor this")
    assert b"".join(pair.transport._tempDataBuffer) == b"nobody reads thisnor this"


def test_a_short_message_is_not_compressed(pair: Pair) -> None:
    sent: list[bytes] = []
    compressor = Compressor()
    pair.socket._perMessageCompress = compressor
    pair.socket.trackedTimings = None
    pair.socket.maxMessagePayloadSize = pair.socket.autoFragmentSize = 0
    pair.socket.sendFrame = lambda payload, **_rest: sent.append(payload)
    short, long = b"x" * (SMALL_BYTES - 1), b"x" * SMALL_BYTES
    pair.socket.sendMessage(short)
    pair.socket.sendMessage(long)
    assert sent == [short, long]
    assert compressor.given == [long]


def test_a_text_is_sent_at_once_only_where_the_socket_is_open(pair: Pair) -> None:
    sent: list[bytes] = []
    pair.socket.sendMessage = sent.append
    assert pair.socket.send_at_once(b"now")
    for state in (DirectSocket.STATE_CONNECTING, DirectSocket.STATE_CLOSING, DirectSocket.STATE_CLOSED):
        pair.socket.state = state
        assert not pair.socket.send_at_once(b"too early, or too late")
    assert sent == [b"now"]
