"""Pages and answers for what went wrong, and those that need no thread, template or database."""

from __future__ import annotations

import errno
import http.cookies
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from playground.jobs import BEYOND_BOUNDS, JobEnded
from playground.limits import rate_limits, work_places
from playground.records import kept_bytes
from playground.texts import PageMessage, language_of
from playground.web import engine_files

_PLAIN_STYLE = mark_safe(
    ":root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }"
    "main { max-width: 36rem; margin: 15vh auto; padding: 0 1rem; }"
)
_PLAIN_PAGE = """<!doctype html>
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
    return format_html(
        _PLAIN_PAGE, get_language() or "en", refresh, status, _PLAIN_STYLE, title, message, link
    )


TOO_LARGE: Final = _("That is too much at once")
TOO_LARGE_TEXT: Final = _(
    "This address takes up to %(most)s at a time, and more was sent. Nothing of it was kept. Send less: a smaller "
    "file, or fewer files."
)


def too_large_message(body: rate_limits.BodyBound) -> PageMessage:
    """Return the answer to a visitor who sent more than an address may."""
    count = body.most_bytes
    return PageMessage(
        TOO_LARGE_TEXT, most=f"{count >> 20} MB" if count >= rate_limits.MEBI else f"{count >> 10} kB"
    )


def plain_answer(
    headers: list[tuple[bytes, bytes]],
    status: int,
    title: Any,
    message: PageMessage,
    again_s: int | None = None,
) -> tuple[bytes, bytes]:
    """Return the content type and the body of an answer. `headers`: of the request, with small letters in their
    names. `again_s`: after how many seconds the page asks again by itself; never if None.
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
BUSY_TEXT = _("This server is asked for more pages than it can make. Ask again in %(seconds)s seconds.")


async def answer_busy(scope: dict[str, Any], send: Any) -> None:
    """Answer a request of HTTP as an ASGI application does: a page that asks again by itself, or JSON for a script."""
    logger.warning("no turn for a page at %.200s", scope.get("path", ""))
    again = scope.get("method") in {"GET", "HEAD"}
    kind, body = plain_answer(
        list(scope.get("headers", [])),
        503,
        BUSY,
        PageMessage(BUSY_TEXT, seconds=work_places.AGAIN_S),
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


NO_DATABASE = _(
    "The database does not answer at the moment. What was accepted is kept: load the page again in a while."
)

NO_HANDLE = _(
    "The server has as many files open as it may. What was accepted is kept: load the page again in a while."
)
NO_ROOM = _(
    "The server has no room to write at the moment. What was accepted is kept: load the page again in a while."
)
LACKS: Final = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), NO_HANDLE),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), NO_ROOM),
}
"""What the system has no more of, by the number of its error."""


class PageGone(Http404):
    """Something that has an address but is not there (any more)."""

    def __init__(self, title: Any, message: PageMessage) -> None:
        super().__init__(str(title))
        self.title = title
        self.message = message


def wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("accept", "")


def answer(
    request: HttpRequest, status: int, title: Any, message: Any, offer: Mapping[str, str] | None = None
) -> HttpResponse:
    """Return an error as a page, a fragment or JSON, whichever was asked for. `offer`: what the page offers instead;
    see `engine_files.own_run`.
    """
    if wants_json(request):
        return JsonResponse({"error": str(message)}, status=status)
    if getattr(request, "htmx", False):
        return render(request, "playground/_problem.html", {"message": message}, status=status)
    context = {"title": title, "message": message, "status": status, **(offer or {})}
    return render(request, "playground/problem.html", context, status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, PageGone):
        logger.info("gone: %.200s", request.path)
        return answer(request, 404, exception.title, exception.message)
    return answer(
        request, 404, _("There is no such page"), _("The address may have been mistyped or cut off.")
    )


@require_safe
def too_large(request: HttpRequest) -> HttpResponse:
    """Say what a proxy refused because it was too large; see `tools/cluster/proxy.py`."""
    body = rate_limits.body_of(request.GET.get("path", ""))
    return answer(request, 413, TOO_LARGE, too_large_message(body))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    text = _("The request could not be understood, or it was larger than this server takes.")
    return answer(request, 400, _("That did not work"), text)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(
        request, 403, _("That is not allowed"), _("Only the person who began this session may do that.")
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Handle a form that was not sent from our own page."""
    logger.info("a form was refused at %.200s: %s", request.path, reason)
    text = _("The form was too old or came from another site. Load the page again, and send it once more.")
    return answer(request, 403, _("That is not allowed"), text)


def too_many(request: HttpRequest, message: PageMessage) -> HttpResponse:
    logger.info("too many requests from one address at %.200s", request.path)
    response = answer(request, 429, _("Not so fast"), message, engine_files.own_run(request))
    response["Retry-After"] = "10"
    return response


def busy(request: HttpRequest, message: Any) -> HttpResponse:
    """Answer with 503 and the time after which asking again is of use."""
    title = _("The server is busy")
    try:
        response = answer(request, 503, title, message, engine_files.own_run(request))
    except OSError:  # a template is a file
        page = plain_page(503, title, str(message), again_s=work_places.AGAIN_S)
        response = HttpResponse(page, status=503)
    response["Retry-After"] = str(work_places.AGAIN_S)
    return response


class BusyMiddleware:
    """Answers what a view raised because there is no place, room, job, database or handle now."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer it; every other error is Django's."""
        if isinstance(error, (work_places.GateBusy, JobEnded)):
            logger.info("no place, or no process any more, for work at %.200s", request.path)
            if error.message.code in BEYOND_BOUNDS:
                return answer(request, 422, _("That did not work"), error.message)
            return busy(request, error.message)
        if isinstance(error, kept_bytes.NoRoom):
            title = _("There is no room for more")
            return answer(request, 409, title, error.message, engine_files.own_run(request))
        if isinstance(error, OperationalError):  # it is locked or gone, or all connections to it are in use
            logger.warning("the database does not answer, at %.200s", request.path, exc_info=error)
            return busy(request, NO_DATABASE)
        if isinstance(error, OSError) and error.errno in LACKS:
            logger.warning("no file can be opened or written, at %.200s", request.path, exc_info=error)
            return busy(request, LACKS[error.errno])
        return None


def server_error(request: HttpRequest) -> HttpResponse:
    """Handle 500, with a page that needs nothing if the usual one is what broke."""
    text = _(
        "Something went wrong on our side, and we have logged it. Your session is kept: load the page again."
    )
    try:
        return answer(request, 500, _("That did not work"), text)
    except Exception:
        logger.exception("the page for errors failed too")
        return HttpResponse(
            plain_page(500, _("That did not work"), text, back=_("To the first page")), status=500
        )
