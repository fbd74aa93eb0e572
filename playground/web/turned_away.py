"""Answers that need no thread, template or database: a page, or JSON for a script, in the reader's language."""

from __future__ import annotations

import http.cookies
import json
import logging
from typing import Any, Final

from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from playground.limits import rate_limits, work_places
from playground.texts.page_message import PageMessage, language_of

_STYLE = mark_safe(
    ":root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }"
    "main { max-width: 36rem; margin: 15vh auto; padding: 0 1rem; }"
)
_PAGE = """<!doctype html>
<html lang="{}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">{}
<title>{} · Waterline</title>
<style>{}</style>
</head>
<body>
<main>
<h1>{}</h1>
<p>{}</p>{}
</main>
</body>
</html>
"""


def plain_page(
    status: int, title: str, message: str, again_s: int | None = None, back: str | None = None
) -> SafeString:
    """Return the page, in the language that is active.

    Args:
        status: of HTTP; it is in the title.
        message: one or two sentences.
        again_s: after how many seconds the page loads itself again; never if None.
        back: words of a link to the first page; no link if None.
    """
    refresh = (
        format_html('\n<meta http-equiv="refresh" content="{}">', again_s) if again_s is not None else ""
    )
    link = format_html('\n<p><a href="/">{}</a></p>', back) if back is not None else ""
    return format_html(_PAGE, get_language() or "en", refresh, status, _STYLE, title, message, link)


TOO_LARGE: Final = _("That is too much at once")
TOO_LARGE_TEXT: Final = _(
    "This address takes up to %(most)s at a time, and more was sent. Nothing of it was kept. Send less: a smaller "
    "file, or fewer files."
)


def too_large(body: rate_limits.BodyBound) -> PageMessage:
    """Return the answer to a visitor who sent more than an address may."""
    count = body.most_bytes
    return PageMessage(
        TOO_LARGE_TEXT, most=f"{count >> 20} MB" if count >= rate_limits.MEBI else f"{count >> 10} kB"
    )


def answer(
    headers: list[tuple[bytes, bytes]],
    status: int,
    title: Any,
    message: PageMessage,
    again_s: int | None = None,
) -> tuple[bytes, bytes]:
    """Return the content type and the body of an answer.

    Args:
        headers: of the request, with small letters in their names.
        again_s: after how many seconds the page asks again by itself; never if None.
    """
    named = dict(headers)
    cookies = http.cookies.SimpleCookie()
    try:
        cookies.load(named.get(b"cookie", b"").decode("latin1"))
    except http.cookies.CookieError:
        cookies.clear()
    scope = {"headers": headers, "cookies": {name: each.value for name, each in cookies.items()}}
    with translation.override(language_of(scope)):
        if b"application/json" in named.get(b"accept", b""):
            return b"application/json", json.dumps({"error": str(message)}).encode()
        page = plain_page(status, str(title), str(message), again_s=again_s)
        return b"text/html; charset=utf-8", page.encode()


logger = logging.getLogger(__name__)

BUSY = _("The server is busy")
TEXT = _("This server is asked for more pages than it can make. Ask again in %(seconds)s seconds.")


async def answer_busy(scope: dict[str, Any], send: Any) -> None:
    """Answer a request of HTTP as an ASGI application does: a page that asks again by itself, or JSON for a script."""
    logger.warning("no turn for a page at %.200s", scope.get("path", ""))
    again = scope.get("method") in {"GET", "HEAD"}
    kind, body = answer(
        list(scope.get("headers", [])),
        503,
        BUSY,
        PageMessage(TEXT, seconds=work_places.AGAIN_S),
        again_s=work_places.AGAIN_S if again else None,
    )
    await send(
        {
            "type": "http.response.start",
            "status": 503,
            "headers": [
                (b"content-type", kind),
                (b"retry-after", str(work_places.AGAIN_S).encode()),
                (b"cache-control", b"no-store"),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})
