"""The page Inspect, for the reader's own browser; what is sent here all the same is read apart, and forgotten.

The engine's files are sent from here, too.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, Final

from django.http import HttpRequest, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods

from engine.broker.commands.settings import segment_entries
from engine.damage import ENGLISH
from playground.hosting import refusals
from playground.inspecting import definitions, reader, reading, uploads
from playground.inspecting.reader import ReaderProcess
from playground.inspecting.uploads import UnreadableInput, read_choice
from playground.jobs import CHECK, job
from playground.limits import request_callers, work_places
from playground.web import engine_files, live_page
from playground.web.access import rate_limited, session_or_gone

KINDS: Final[dict[str, Any]] = {
    "truncated": _("cut off"),
    "garbage": _("unreadable bytes"),
    "wrong marker": _("wrong end mark"),
    "zeros": _("zero bytes"),
    "missing": _("missing"),
    "contradiction": _("contradiction"),
    "unreadable": _("not readable"),
}
TEXTS: Final = {code: _(text) for code, text in ENGLISH.items()}


def context(
    worker: str,
    place: str,
    server: str = "",
    importing: str = "",
    outdated: bool = False,
    session: dict[str, Any] | None = None,
    node_file: str = "",
) -> dict[str, Any]:
    """Return what the template `inspecting/page.html` needs.

    Args:
        worker: address of the worker's script; empty where the engine for browsers is not built.
        place: address of the engine's files, with a slash at the end.
        server: address that reads what is sent to it; empty where there is no server.
        importing: address that takes a scenario; empty where there is no server.
        outdated: whether the engine for browsers was built from other sources than the server runs.
        node_file: address of the file that reads a directory on its node; empty where it is not built.
        session: whose files are read at once: the address of their zip, and the choice to make of them.
    """
    data = {"story": None, "urls": {**live_page.NOWHERE, "past": "#"}}
    return {
        **live_page.context_of("inspected", {"title": "", "profile": "real"}, data),
        "most_own": uploads.MOST_BYTES_OWN >> 20,
        "most_sent": uploads.MOST_BYTES >> 20,
        "on_server": bool(server),
        "node_file": node_file,
        "python": f"{sys.version_info[0]}.{sys.version_info[1]}",  # that it is built for, see tools/inspect_file.py
        "inspect_data": {
            "worker": worker,
            "place": place,
            "outdated": outdated,
            "server": server,
            "importing": importing,
            "most_sent": uploads.MOST_BYTES >> 20,
            "session": session,
            "sentences": {code: str(text) for code, text in {**refusals.TEXTS, **TEXTS}.items()},
            "kinds": {kind: str(text) for kind, text in KINDS.items()},
        },
    }


logger = logging.getLogger(__name__)

MOST_SENT: Final = uploads.MOST_BYTES + 4 * 1024 * 1024
"""Bytes of a whole request, with the parts' heads."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponseBase:
    """Show the page, or answer what was sent to it."""
    if request.method == "POST":
        return _answer(request)
    outdated = engine_files.is_outdated()
    session = _session(request)
    needed = context(
        session=session,
        **engine_files.addresses(),
        outdated=outdated,
        server=reverse("inspect"),
        importing=reverse("scenario-import"),
        node_file=reverse("inspect-node-file") if engine_files.has_node_file() else "",
    )
    return render(request, "inspecting/page.html", needed)


def _session(request: HttpRequest) -> dict[str, Any] | None:
    """Return where the files of the session are that the address names, and what is known of them; raise Gone."""
    if "session" not in request.GET:
        return None
    found = session_or_gone(request.GET["session"][:64])
    profile, settings = found.scenario["profile"], found.scenario["settings"]
    choice = {"profile": profile, "entries": segment_entries(profile, settings)}
    return {"archive": reverse("session-archive", args=[found.public_id]), "choice": choice}


@rate_limited
def _answer(request: HttpRequest) -> HttpResponseBase:
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_SENT:
            raise UnreadableInput("too_many_bytes", most=uploads.MOST_BYTES >> 20)
        if "figures" in request.POST or "definitions" in request.FILES:
            with work_places.for_request(request):
                if "figures" in request.POST:
                    return JsonResponse(read_listing(request.POST["figures"]))
                data = request.FILES["definitions"].read(definitions.MOST_BYTES + 1)
                return JsonResponse(read_topology(data))
        if "agreed" not in request.POST:
            raise UnreadableInput("not_agreed")
        return StreamingHttpResponse(_apart(request), content_type="application/x-ndjson")
    except UnreadableInput as bad:
        logger.info("an inspection was refused: %.200s", bad.code)
        return JsonResponse(bad.to_json(), status=422)


@job(CHECK)
def read_listing(text: str) -> dict[str, Any]:
    """Return what a pasted listing or configuration says. Raises Unreadable."""
    return reading.listing(text)


@job(CHECK)
def read_topology(data: bytes) -> dict[str, Any]:
    """Return definitions.json as a scenario. Raises Unreadable."""
    return reading.topology(data)


def _apart(request: HttpRequest) -> ReaderProcess:
    """Return the answer about a broker's files, which a process of its own reads."""
    files = request.FILES.getlist("files")
    paths = uploads.names_of(files, request.POST.get("paths", ""))
    packed = reader.pack(files, paths, read_choice(request.POST.get("choice", "")))
    return ReaderProcess(packed, request_callers.of_request(request))
