"""The answer to a request that could not wait for its turn: 503 and a time, made without a thread and a database."""

from __future__ import annotations

import logging
from typing import Any

from django.utils.translation import gettext_lazy as _

from playground.limits import repeat_gate
from playground.texts.page_message import PageMessage
from playground.web import turned_away

logger = logging.getLogger(__name__)

BUSY = _("The server is busy")
TEXT = _("This server is asked for more pages than it can make. Ask again in %(seconds)s seconds.")


async def answer_busy(scope: dict[str, Any], send: Any) -> None:
    """Answer a request of HTTP as an ASGI application does: a page that asks again by itself, or JSON for a script."""
    logger.warning("no turn for a page at %.200s", scope.get("path", ""))
    again = scope.get("method") in {"GET", "HEAD"}
    kind, body = turned_away.answer(
        list(scope.get("headers", [])),
        503,
        BUSY,
        PageMessage(TEXT, seconds=repeat_gate.AGAIN_S),
        again_s=repeat_gate.AGAIN_S if again else None,
    )
    await send(
        {
            "type": "http.response.start",
            "status": 503,
            "headers": [
                (b"content-type", kind),
                (b"retry-after", str(repeat_gate.AGAIN_S).encode()),
                (b"cache-control", b"no-store"),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})
