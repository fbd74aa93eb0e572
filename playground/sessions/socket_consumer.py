"""What all sockets share: quick dispatch, and an end with "try again" when the database does not answer."""

from __future__ import annotations

import logging
from typing import Any

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import Error as DatabaseError

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
