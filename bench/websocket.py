"""Sockets, and a browser with cookies: enough to be thirty students."""

from __future__ import annotations

import http.cookiejar
import json
import urllib.parse
import urllib.request
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin


class Visitor:
    """A browser without pictures: pages, forms with their token, and the cookies for its sockets."""

    def __init__(self, url: str, jar: http.cookiejar.CookieJar | None = None) -> None:
        self.url = url
        self.jar = http.cookiejar.CookieJar() if jar is None else jar
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
    """A WebSocket as a page has one: JSON both ways, and the server's pings answered meanwhile."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, visitor: Visitor, path: str) -> Socket:
        """Open a WebSocket with a visitor's cookies; raises InvalidHandshake when the server wants none."""
        url = urllib.parse.urljoin(visitor.url.replace("http", "ws", 1), path)
        cookies = {"Cookie": visitor.cookies()}
        origin = Origin(visitor.url)
        return cls(await connect(url, origin=origin, additional_headers=cookies, max_size=2**24, proxy=None))

    async def send(self, **message: Any) -> None:
        """Send an object; raises ConnectionClosed when the server has closed."""
        await self._connection.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        """Return the next object; raises ConnectionClosed when the server closes."""
        found: dict[str, Any] = json.loads(await self._connection.recv())
        return found

    async def close(self) -> None:
        """Say goodbye, and close."""
        await self._connection.close()
