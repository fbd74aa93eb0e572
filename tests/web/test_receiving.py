"""What arrives is bounded before anybody looks at it: bodies by length and count, all by time, and connections."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from playground.limits import rate_limits
from playground.server.request_intake import (
    LINGERS_BYTES,
    LINGERS_S,
    BoundedChannel,
    OpenConnections,
    RequestIntake,
)

FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"


class Transport(StringTransport):
    """The other end of a connection, as twisted has it."""

    aborted = half_closed = False
    protocol: Any = None

    def setTcpNoDelay(self, enabled: bool) -> None:  # noqa: N802 - twisted's name
        pass

    def abortConnection(self) -> None:  # noqa: N802 - twisted's name
        self.aborted = True

    def loseWriteConnection(self) -> None:  # noqa: N802 - twisted's name
        self.half_closed = True


class Site:
    """A server without an application: it notes which requests it would answer."""

    def __init__(self, proxies: int = 0, handles: int = 100_000) -> None:
        self.clock = Clock()
        self.asked: list[Any] = []
        self.bodies: list[bytes] = []
        factory = SimpleNamespace(reactor=self.clock, timeOut=60, server=self, log=lambda request: None)
        self.http_factory = factory
        self.proxy_forwarded_address_header = None
        self.root_path = ""
        self.reception = RequestIntake(self, handles, proxies)

    def protocol_connected(self, protocol: Any) -> None:
        pass

    def protocol_disconnected(self, protocol: Any) -> None:
        pass

    def create_application(self, protocol: Any, scope: Any) -> Any:
        self.asked.append(scope)
        self.bodies.append(protocol.content.read())
        protocol.content.seek(0)

    def connect(self, host: str = "192.0.2.1") -> tuple[BoundedChannel, Transport] | None:
        address = IPv4Address("TCP", host, 1234)
        channel = self.reception.protocol_for(address)
        if channel is None:
            return None
        transport = Transport(peerAddress=address)
        transport.protocol = channel
        channel.makeConnection(transport)
        return channel, transport


def opened(site: Site, host: str = "192.0.2.1") -> tuple[BoundedChannel, Transport]:
    found = site.connect(host)
    assert found is not None
    return found


def head(path: str, *lines: bytes) -> bytes:
    return b"\r\n".join([b"POST " + path.encode() + b" HTTP/1.1", b"Host: x", *lines, b"", b""])


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/", rate_limits.FORMS),
        ("/class/log-in", rate_limits.FORMS),
        ("/lti/launch", rate_limits.FORMS),
        ("/s/import", rate_limits.TEXTS),
        ("/learn/made/import", rate_limits.TEXTS),
        ("/inspect/", rate_limits.FILES),
        ("/inspect/?x=1", rate_limits.FILES),
    ],
)
def test_a_body_is_refused_by_the_length_that_it_states(path: str, body: rate_limits.BodyBound) -> None:
    site = Site()
    channel, transport = opened(site)
    channel.dataReceived(head(path, b"Content-Length: %d" % (body.most_bytes + 1)))
    assert transport.value().startswith(b"HTTP/1.1 413 ")
    assert b"Send less" in transport.value()
    assert b"Connection: close" in transport.value()
    assert transport.half_closed
    assert not site.asked
    other, its_transport = opened(site)
    other.dataReceived(head(path, b"Content-Length: %d" % body.most_bytes))
    assert its_transport.value() == b"", "a body of the most bytes is waited for"


def test_a_body_without_a_length_is_counted_while_it_comes() -> None:
    site = Site()
    channel, transport = opened(site)
    channel.dataReceived(head("/", b"Transfer-Encoding: chunked"))
    part = chunk(b"x" * 8192)
    sent = 0
    while sent < rate_limits.FORMS.most_bytes:
        assert transport.value() == b""
        channel.dataReceived(part)
        sent += 8192
    channel.dataReceived(part + b"0\r\n\r\n")
    assert transport.value().startswith(b"HTTP/1.1 413 ")
    assert transport.value().count(b"HTTP/1.1") == 1
    assert not site.asked
    assert site.reception.budget.in_all == 0


def test_nothing_more_is_read_after_a_refusal_and_the_connection_ends() -> None:
    site = Site()
    channel, transport = opened(site)
    channel.dataReceived(head("/", b"Content-Length: 999999999") + b"x" * 5000)
    answered = transport.value()
    for _each in range(1 + LINGERS_BYTES // 65536):
        channel.dataReceived(b"GET / HTTP/1.1\r\n\r\n" * 3641)
    assert transport.producerState == "paused"
    assert transport.value() == answered
    assert not transport.aborted
    site.clock.advance(LINGERS_S)
    assert transport.aborted
    assert not site.asked


def test_who_waits_to_be_asked_for_the_body_is_not_asked_for_it() -> None:
    channel, transport = opened(Site())
    channel.dataReceived(head("/", b"Content-Length: 999999999", b"Expect: 100-continue"))
    assert b"100 Continue" not in transport.value()
    assert transport.value().startswith(b"HTTP/1.1 413 ")


def test_a_script_gets_its_refusal_as_json_and_a_reader_in_their_language() -> None:
    channel, transport = opened(Site())
    much = b"Content-Length: 999999999"
    channel.dataReceived(head("/inspect/", much, b"Accept: application/json", b"Accept-Language: de"))
    assert "40 MB" in json.loads(transport.value().split(b"\r\n\r\n", 1)[1])["error"]
    channel, transport = opened(Site())
    channel.dataReceived(head("/inspect/", much, b"Accept-Language: zh-Hans"))
    page = transport.value().split(b"\r\n\r\n", 1)[1].decode()
    assert 'lang="zh-hans"' in page
    assert "Send less" not in page


def test_a_form_is_not_taken_apart_before_django_sees_it() -> None:
    site = Site()
    channel, _transport = opened(site)
    text = b"a=1&" * 20_000
    channel.dataReceived(head("/", FORM.strip(), b"Content-Length: %d" % len(text)))
    request = channel.requests[-1]
    channel.dataReceived(text)
    assert site.bodies == [text]
    assert request.args == {}


def test_a_body_that_comes_too_slowly_is_waited_for_no_longer() -> None:
    site = Site()
    channel, transport = opened(site)
    channel.dataReceived(head("/", b"Content-Length: 1000"))
    for _each in range(int(rate_limits.FORMS.within_s) - 1):
        site.clock.advance(1)
        channel.dataReceived(b"x")
    assert transport.value() == b""
    site.clock.advance(1.5)
    assert transport.value().startswith(b"HTTP/1.1 408 ")
    assert site.reception.budget.in_all == 0
    assert not site.asked


@pytest.mark.parametrize("drop", [b"", b"G", b"X-A: b\r\n"])
def test_a_head_that_does_not_come_is_waited_for_no_longer(drop: bytes) -> None:
    site = Site()
    channel, transport = opened(site)
    if drop:
        channel.dataReceived(b"GET / HTTP/1.1\r\n" if drop.endswith(b"\n") else b"G")
    for _each in range(rate_limits.HEAD_S - 1):
        site.clock.advance(1)
        if drop:
            channel.dataReceived(drop)
    assert not transport.aborted
    site.clock.advance(1.5)
    assert transport.aborted


def test_the_deadline_of_a_head_ends_with_the_head() -> None:
    site = Site()
    channel, transport = opened(site)
    channel.dataReceived(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    site.clock.advance(10 * rate_limits.HEAD_S)
    assert not transport.aborted
    assert len(site.asked) == 1


def test_all_bodies_together_and_those_of_one_address_have_a_bound() -> None:
    site = Site()
    full = head("/inspect/", b"Content-Length: %d" % rate_limits.FILES.most_bytes)
    mine = [opened(site) for _each in range(3)]
    for channel, _transport in mine:
        channel.dataReceived(full)
    assert [transport.value()[:12] for _channel, transport in mine] == [b"", b"", b"HTTP/1.1 503"]
    assert b"Retry-After: " in mine[2][1].value()
    others = [opened(site, f"192.0.2.{number}") for number in (2, 3, 4)]
    for channel, _transport in others:
        channel.dataReceived(full)
    assert [transport.value()[:12] for _channel, transport in others] == [b"", b"", b"HTTP/1.1 503"]
    for channel, _transport in (*mine, *others):
        channel.connectionLost(None)
    assert site.reception.budget.in_all == 0
    channel, transport = opened(site)
    channel.dataReceived(full)
    assert transport.value() == b""


def test_behind_a_proxy_bytes_are_counted_by_the_address_that_it_found() -> None:
    site = Site(proxies=1)
    size = b"Content-Length: %d" % rate_limits.FILES.most_bytes
    found = []
    for number in range(4):
        channel, transport = opened(site, "127.0.0.1")
        hops = b"X-Forwarded-For: 203.0.113.9, 192.0.2.%d" % (number // 2)
        channel.dataReceived(head("/inspect/", size, hops))
        found.append(transport.value())
    assert found == [b""] * 4


def test_an_answered_request_gives_its_bytes_back() -> None:
    site = Site()
    channel, _transport = opened(site)
    for _each in range(3):
        channel.dataReceived(head("/", b"Content-Length: 5") + b"hello")
        [request] = channel.requests
        assert site.reception.budget.in_all == 5
        request.write(b"well")
        request.finish()
        assert site.reception.budget.in_all == 0
    assert site.bodies == [b"hello"] * 3


def test_one_address_has_so_many_connections_and_others_get_in() -> None:
    site = Site()
    mine = [opened(site) for _each in range(rate_limits.CONNECTIONS_EACH)]
    assert site.connect() is None
    assert site.connect("192.0.2.2") is not None
    mine[0][0].connectionLost(None)
    assert site.connect() is not None


def test_a_socket_counts_until_it_is_gone() -> None:
    site = Site()
    channel, transport = opened(site)
    socket = SimpleNamespace(leave=None)
    transport.protocol = socket  # as daphne hands the connection over
    channel.handed_over()
    assert site.reception.connections.in_all == 1
    socket.leave()
    assert site.reception.connections.in_all == 0


class Silent:
    """A connection that notes whether it was dropped."""

    dropped = False

    def drop(self) -> None:
        self.dropped = True


def test_where_all_places_are_taken_who_is_silent_for_longest_makes_room() -> None:
    connections = OpenConnections(3, 3)
    all_of_them = [Silent() for _each in range(5)]
    connections.enter(all_of_them[0], "a")
    connections.heard(all_of_them[0])
    for each in all_of_them[1:]:
        connections.enter(each, "b")
    assert [each.dropped for each in all_of_them] == [False, True, True, False, False]
