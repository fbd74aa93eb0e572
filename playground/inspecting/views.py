"""The page Inspect, for the reader's own browser; what is sent here all the same is read in memory and forgotten."""

from __future__ import annotations

import logging
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods

from playground import repeating
from playground.inspecting import definitions, engine_files, reading, uploads
from playground.inspecting.page import context
from playground.inspecting.unreadable import Unreadable
from playground.web.access import rate_limited

logger = logging.getLogger(__name__)

MOST_SENT: Final = uploads.MOST_BYTES + 4 * 1024 * 1024
"""Bytes of a whole request, with the parts' heads."""
ENGINE_FILE: Final = "worker.js"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """Show the page, or answer what was sent to it."""
    if request.method == "POST":
        return _answer(request)
    outdated = engine_files.is_outdated()
    usable = engine_files.is_built() and not outdated
    worker = reverse("inspect-engine", args=[ENGINE_FILE]) if usable else ""
    needed = context(
        worker=worker,
        outdated=outdated,
        place=worker.removesuffix(ENGINE_FILE),
        server=reverse("inspect"),
        importing=reverse("scenario-import"),
    )
    return render(request, "inspecting/page.html", needed)


@rate_limited
def _answer(request: HttpRequest) -> HttpResponse:
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_SENT:
            raise Unreadable("too_many_bytes", most=uploads.MOST_BYTES >> 20)
        with repeating.for_request(request):
            return JsonResponse(_read(request))
    except Unreadable as bad:
        logger.info("an inspection was refused: %.200s", bad.code)
        return JsonResponse(bad.to_json(), status=422)


def _read(request: HttpRequest) -> dict[str, Any]:
    if "figures" in request.POST:
        return reading.listing(request.POST["figures"])
    if "definitions" in request.FILES:
        return reading.topology(request.FILES["definitions"].read(definitions.MOST_BYTES + 1))
    if "agreed" not in request.POST:
        raise Unreadable("not_agreed")
    files = uploads.of_files(request.FILES.getlist("files"), request.POST.get("paths", ""))
    answer, revived = reading.directory(files, request.POST.get("vhost", ""))
    if revived is not None and revived.state is not None:
        answer["started"]["parts"] = reading.run(revived)
    return answer
