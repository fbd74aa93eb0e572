"""A WebSocket client of a few lines, and a browser with cookies: enough to be thirty students."""

from __future__ import annotations

import asyncio
import base64
import http.cookiejar
import json
import os
import re
import struct
import urllib.parse
import urllib.request
from typing import Any


class Visitor:
    """A browser without pictures: pages, forms with their token, and the cookies for its sockets."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def get(self, path: str) -> str:
        """Return a page, following redirections."""
        with self._opener.open(self.url + path, timeout=60) as answer:
            return str(answer.read().decode())

    def post(self, path: str, **fields: str) -> str:
        """Send a form; the token comes from the cookie that any page has set."""
        token = next(cookie.value for cookie in self.jar if cookie.name == "csrftoken")
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        request = urllib.request.Request(self.url + path, data, headers={"Referer": self.url + "/"})
        with self._opener.open(request, timeout=60) as answer:
            return str(answer.read().decode())

    def cookies(self) -> str:
        """Return the cookies as a header has them."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)


class Socket:
    """A connection that sends and receives texts."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, visitor: Visitor, path: str) -> Socket:
        """Open a WebSocket with a visitor's cookies."""
        place = urllib.parse.urlsplit(visitor.url)
        reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=2**24)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nOrigin: {visitor.url}\r\n"
            f"Cookie: {visitor.cookies()}\r\n\r\n".encode()
        )
        answer = await reader.readuntil(b"\r\n\r\n")
        if not re.match(rb"HTTP/1.1 101", answer):
            raise ConnectionError(answer[:80])
        return cls(reader, writer)

    async def send(self, **message: Any) -> None:
        """Send an object, masked as clients do."""
        data = json.dumps(message).encode()
        mask = os.urandom(4)
        size = (
            bytes([0x80 | len(data)])
            if len(data) < 126
            else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        )
        body = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        self._writer.write(b"\x81" + size + mask + body)
        await self._writer.drain()

    async def receive(self) -> dict[str, Any]:
        """Return the next object; raises ConnectionError when the server closes."""
        while True:
            first, second = await self._reader.readexactly(2)
            size = second & 127
            if size == 126:
                (size,) = struct.unpack(">H", await self._reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", await self._reader.readexactly(8))
            data = await self._reader.readexactly(size)
            if first & 15 == 1:
                found: dict[str, Any] = json.loads(data)
                return found
            if first & 15 == 8:
                raise ConnectionError(f"closed: {data[:2].hex()}")

    def close(self) -> None:
        """Drop the connection."""
        self._writer.close()
