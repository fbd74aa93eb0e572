"""Admits a few sockets at a time, as with pages: somebody who opens a thousand waits, and commands do not.
Admitting one reads a cookie and queries the database twice, in threads that share one lock with the event
loop. Addresses take turns, and pause while commands are late (`playground/limits/page_scheduler.py`).
"""

from __future__ import annotations

from typing import Any, Final

from playground.limits.page_scheduler import App, PageScheduler, PagesOverfull, lane_of
from playground.sessions.socket_consumer import TRY_AGAIN

AT_ONCE: Final = 1
WAITING: Final = 2000
"""Most waiting sockets; the next one is closed, and its page tries again by itself."""
PATIENCE_S: Final = 15.0
"""Daphne closes a socket that is not let in within twenty seconds (`playground/server/serve.py`)."""


class LetIn:
    """Passes each socket to an application when it has its turn, which ends when the socket is accepted.

    Args:
        application: takes sockets.
        turns: the scheduler.
    """

    def __init__(self, application: App, turns: PageScheduler) -> None:
        self._application = application
        self._turns = turns

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Wait, and hand on."""
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
