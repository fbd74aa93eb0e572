"""The base of all sockets: fast dispatch, and a close with "try again" when the database does not answer."""

from __future__ import annotations

import logging
from typing import Any, Final
from urllib.parse import urlsplit

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.db import Error as DatabaseError
from django.http.request import split_domain_port, validate_host

STRAIGHT: Final = "straight"
"""In a socket's scope: sends past what is between, which asks at each message whether a cookie has changed."""
AT_ONCE: Final = "at once"
"""In a socket's scope: sends a text at once, and returns whether it could; see `direct_socket`."""

DEFAULT_PORTS = {"http": 80, "https": 443}


def is_ours(origin: str, host: str) -> bool:
    """Return whether a page of this origin may open a socket at this host, by the rule that Django has for forms.

    Args:
        origin: the header, such as `https://waterline.example:8443`.
        host: the header of the same request, with its port if there is one.
    """
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        page, asked = urlsplit(origin), urlsplit(f"//{host}")
        page_port, asked_port = page.port, asked.port
    except ValueError:
        return False
    usual = DEFAULT_PORTS.get(page.scheme)
    if (
        usual is None
        or not page.hostname
        or not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)
    ):
        return False
    return page.hostname == asked.hostname and (page_port or usual) == (asked_port or usual)


class OwnOrigins:
    """Lets the sockets of our own pages through to `application`, and refuses all others."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        headers = {name: value.decode("latin1") for name, value in scope.get("headers", [])}
        ours = is_ours(headers.get(b"origin", ""), headers.get(b"host", ""))
        application = self._application if ours else WebsocketDenier()
        return await application({**scope, STRAIGHT: send}, receive, send)


logger = logging.getLogger(__name__)

TRY_AGAIN = 4012
"""WebSocket's own code for this, 1012, is only for the protocol itself: autobahn sends 1000 and 3000 to 4999."""


class SocketConsumer(AsyncWebsocketConsumer):
    """A socket's side on the server."""

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle what the server reports of this socket.

        Channels asks a thread before each message whether a connection to the database is too old. Nothing here keeps
        one; and all sockets share that thread, so that a class that arrives at once waits in it to be let in.
        """
        await getattr(self, get_handler_name(message))(message)

    async def websocket_connect(self, message: dict[str, Any]) -> None:
        """Let the socket in; where the record cannot be read now, the page tries again later."""
        try:
            await super().websocket_connect(message)
        except DatabaseError as error:
            logger.warning("a socket was sent away, the database does not answer: %s", error)
            await self.close(code=TRY_AGAIN)
