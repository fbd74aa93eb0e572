"""Sockets compress what they send, and refuse what expands to too much; on a real server with a plain client.

Only a browser: nothing: a plain client counts bytes of real sockets, and uses the server that runs for this folder.
"""

from __future__ import annotations

import json
import os
import re
import socket
import struct
import urllib.request
import zlib
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode

import pytest

from tools import live_server

TAIL = b"\x00\x00\xff\xff"


class Client:
    """As little of RFC 6455 and RFC 7692 as it takes to count the bytes of a session."""

    def __init__(self, server: live_server.LiveServer, path: str, cookie: str, compress: bool) -> None:
        host, port = server.url.removeprefix("http://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        self.received_bytes = 0
        offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n" if compress else ""
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n{offer}"
            f"Origin: {server.url}\r\nCookie: {cookie}\r\n\r\n".encode()
        )
        self.answer = b""
        while not self.answer.endswith(b"\r\n\r\n"):
            self.answer += self.socket.recv(1)
        self.expand = zlib.decompressobj(-15)

    def send(self, message: object, *, raw: bytes | None = None) -> None:
        """Send text, or `raw` bytes as a compressed message."""
        data = json.dumps(message).encode() if raw is None else raw
        first = 0x81 if raw is None else 0xC1
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        self.socket.sendall(bytes([first]) + length + mask + masked)

    def read(self) -> tuple[int, bytes]:
        """Return the kind of the next frame and its payload, expanded."""
        first, second = self._exactly(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack(">H", self._exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._exactly(8))[0]
        payload = self._exactly(size)
        if first & 0x40:
            payload = self.expand.decompress(payload + TAIL)
        return first & 0x0F, payload

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("the server closed the connection")
            data += more
        self.received_bytes += count
        return data

    def until(self, kind: str) -> dict[str, Any]:
        """Read up to a message of a kind, acknowledging what comes on the way."""
        while True:
            opcode, payload = self.read()
            if opcode == 8:
                raise ConnectionError(f"closed with {struct.unpack('>H', payload[:2])[0]}")
            message: dict[str, Any] = json.loads(payload)
            if message["t"] == "snapshot":
                self.send({"t": "ack", "through": message["next"]})
            elif message["t"] == "frame":
                self.send({"t": "ack", "through": message["first"] + len(message["rows"])})
            if message["t"] == kind:
                return message


@pytest.fixture
def session(server: live_server.LiveServer) -> tuple[str, str]:
    """Begin a session as a browser does; return the path of its socket, and the cookies."""
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = opener.open(f"{server.url}/").read().decode()
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = urlencode({"profile": "classroom", "csrfmiddlewaretoken": token[1]}).encode()
    opened = opener.open(f"{server.url}/s/new", form).url
    path = opened.removeprefix(server.url).replace("/s/", "/ws/session/", 1)
    return path, "; ".join(f"{each.name}={each.value}" for each in jar)


def first_state(server: live_server.LiveServer, session: tuple[str, str], compress: bool) -> Client:
    client = Client(server, *session, compress)
    client.send({"t": "hello", "have": None})
    client.until("snapshot")
    return client


WATCHED_US = 3_000_000


def watch(client: Client) -> None:
    """Read what comes until the run stands still."""
    while client.until("frame")["now_us"] < WATCHED_US:
        pass


def test_a_browser_that_offers_it_gets_a_fraction_of_the_bytes(
    server: live_server.LiveServer, session: tuple[str, str]
) -> None:
    plain = first_state(server, session, compress=False)
    small = first_state(server, session, compress=True)
    assert b"permessage-deflate" in small.answer
    assert b"permessage-deflate" not in plain.answer
    publisher = {"rate_per_s": 50, "size_bytes": 6144, "persistent": True, "confirm": True, "running": True}
    plain.send(
        {"t": "command", "id": 1, "command": {"do": "set_publisher", "name": "publisher", **publisher}}
    )
    plain.send({"t": "control", "play": True, "until_us": WATCHED_US})
    with ThreadPoolExecutor() as both:
        list(both.map(watch, (plain, small)))
    assert small.received_bytes * 5 < plain.received_bytes


def test_a_message_that_expands_to_too_much_closes_the_socket(
    server: live_server.LiveServer, session: tuple[str, str]
) -> None:
    client = first_state(server, session, compress=True)
    bomb = zlib.compressobj(9, zlib.DEFLATED, -12)
    data = bomb.compress(b" " * 40_000_000) + bomb.flush(zlib.Z_SYNC_FLUSH)
    client.send(None, raw=data[:60_000])
    with pytest.raises(ConnectionError):
        client.until("nothing")
    assert first_state(server, session, compress=True)
