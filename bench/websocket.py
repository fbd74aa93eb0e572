"""Sockets, and a browser with cookies: enough to be thirty students."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request
from http import HTTPStatus
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin


class _From(urllib.request.HTTPHandler):
    """Opens pages from one of the loopback addresses, as a class behind one address does."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a page."""
        return self.do_open(http.client.HTTPConnection, request, source_address=(self._address, 0))


class _SentAgain(urllib.request.HTTPRedirectHandler):
    """Sends a form again where the server redirects it (307), as browsers do: another process has the session."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Return what is asked instead."""
        if code == HTTPStatus.TEMPORARY_REDIRECT:
            return urllib.request.Request(newurl, req.data, headers=dict(req.headers))
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Stays(urllib.request.HTTPRedirectHandler):
    """Goes nowhere: a form is done when its answer begins."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        """Follow nothing."""


class Visitor:
    """A browser without pictures: pages, forms with their token, and the cookies for its sockets.

    Args:
        url: of the server.
        address: where it seems to come from, as a proxy writes it; the server must believe proxies.
        jar: another visitor's cookies.
        source: the loopback address from which it really comes.
    """

    def __init__(
        self,
        url: str,
        address: str = "",
        jar: http.cookiejar.CookieJar | None = None,
        source: str = "127.0.0.1",
    ) -> None:
        self.source = source
        self.url = url
        self.address = address
        self.jar = http.cookiejar.CookieJar() if jar is None else jar
        cookies = urllib.request.HTTPCookieProcessor(self.jar)
        self._opener = urllib.request.build_opener(_From(source), _SentAgain(), cookies)
        self._staying = urllib.request.build_opener(_From(source), _Stays(), cookies)

    def get(self, path: str) -> str:
        """Return a page, following redirections."""
        return self.exchange(path, None)[0]

    def post(self, path: str, **fields: str) -> str:
        """Send a form; the token comes from the cookie that any page has set."""
        return self.exchange(path, fields)[0]

    def send(self, path: str, **fields: str) -> str:
        """Send a form, and return where its answer leads, without going there."""
        try:
            self._staying.open(self._request(path, fields), timeout=60).close()
        except urllib.error.HTTPError as led:
            if led.code != HTTPStatus.FOUND:
                raise
            return str(led.headers["Location"])
        return path

    def exchange(self, path: str, fields: dict[str, str] | None) -> tuple[str, int, dict[str, str]]:
        """Get a page or, with fields, send a form; return the text, the status and the headers of the answer."""
        with self._opener.open(self._request(path, fields), timeout=60) as answer:
            return answer.read().decode("utf-8", "replace"), answer.status, dict(answer.headers)

    def _request(self, path: str, fields: dict[str, str] | None) -> urllib.request.Request:
        data = None
        if fields is not None:  # a form may have none of its own
            token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), "")
            data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        headers = {"Referer": self.url + "/", **self.forwarded()}
        return urllib.request.Request(self.url + path, data, headers=headers)

    def forwarded(self) -> dict[str, str]:
        """Return the header with the origin, if that was given."""
        return {"X-Forwarded-For": self.address} if self.address else {}

    def cookies(self) -> str:
        """Return the cookies as a header has them."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)


class Socket:
    """A WebSocket as a page has one: JSON both ways, and the server's pings answered meanwhile."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, visitor: Visitor, path: str, origin: str = "") -> Socket:
        """Open a WebSocket with a visitor's cookies; raises InvalidHandshake when the server wants none.

        Args:
            origin: of the page that opens it; the server's own if none is given.
        """
        url = urllib.parse.urljoin(visitor.url.replace("http", "ws", 1), path)
        headers = {"Cookie": visitor.cookies(), **visitor.forwarded()}
        page = Origin(origin or visitor.url)
        options: dict[str, Any] = {"local_addr": (visitor.source, 0), "max_size": 2**24, "proxy": None}
        return cls(await connect(url, origin=page, additional_headers=headers, open_timeout=60, **options))

    async def send(self, **message: Any) -> None:
        """Send an object; raises ConnectionClosed when the server has closed."""
        await self._connection.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        """Return the next object; raises ConnectionClosed when the server closes."""
        found: dict[str, Any] = json.loads(await self._connection.recv())
        return found

    async def close(self) -> None:
        """Close as the protocol asks for."""
        await self._connection.close()
