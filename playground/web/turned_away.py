"""Answers that need no thread, template or database: a page, or JSON for a script, in the reader's language."""

from __future__ import annotations

import http.cookies
import json
from typing import Any, Final

from django.utils import translation
from django.utils.translation import gettext_lazy as _

from playground.limits import request_limits
from playground.texts.page_message import PageMessage
from playground.texts.socket_language import language_of
from playground.web.plain_page import plain_page

TOO_LARGE: Final = _("That is too much at once")
TOO_LARGE_TEXT: Final = _(
    "This address takes up to %(most)s at a time, and more was sent. Nothing of it was kept. Send less: a smaller "
    "file, or fewer files."
)


def too_large(body: request_limits.BodyBound) -> PageMessage:
    """Return the answer to a visitor who sent more than an address may."""
    count = body.most_bytes
    return PageMessage(
        TOO_LARGE_TEXT, most=f"{count >> 20} MB" if count >= request_limits.MEBI else f"{count >> 10} kB"
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
        status: of HTTP.
        title: the heading.
        message: what to do.
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
