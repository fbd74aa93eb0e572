"""Pages and answers for what went wrong."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from playground.jobs.job import BEYOND_BOUNDS, JobEnded
from playground.limits import rate_limits, work_places
from playground.records import kept_bytes
from playground.texts.page_message import PageMessage
from playground.web import engine_files, turned_away
from playground.web.turned_away import plain_page

logger = logging.getLogger(__name__)

NO_DATABASE = gettext_lazy(
    "The database does not answer at the moment. What was accepted is kept: load the page again in a while."
)

NO_HANDLE = gettext_lazy(
    "The server has as many files open as it may. What was accepted is kept: load the page again in a while."
)
NO_HANDLE_LEFT: Final = (errno.EMFILE, errno.ENFILE)


class PageGone(Http404):
    """Something that has an address but is not there (any more)."""

    def __init__(self, title: Any, message: PageMessage) -> None:
        super().__init__(str(title))
        self.title = title
        self.message = message


def wants_json(request: HttpRequest) -> bool:
    """Return whether a script asks, rather than a person."""
    return "application/json" in request.headers.get("accept", "")


def answer(
    request: HttpRequest, status: int, title: Any, message: Any, offer: Mapping[str, str] | None = None
) -> HttpResponse:
    """Return an error as a page, a fragment or JSON, whichever was asked for.

    Args:
        offer: what the page offers instead; see `engine_files.own_run`.
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
    return answer(request, 413, turned_away.TOO_LARGE, turned_away.too_large(body))


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
        if isinstance(error, OSError) and error.errno in NO_HANDLE_LEFT:
            logger.warning("no file can be opened, at %.200s", request.path)
            return busy(request, NO_HANDLE)
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
