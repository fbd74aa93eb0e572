"""The page Inspect, for the reader's own browser; what is sent here all the same is read apart, and forgotten.

The engine's files are sent from here, too.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec
from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_safe
from django.views.static import serve

from engine.broker.commands.settings import segment_entries
from playground.callers import request_callers
from playground.hosting import refusals
from playground.inspecting import damage, definitions, parcel, reading, uploads
from playground.inspecting.choice import read_choice
from playground.inspecting.reader_process import ReaderProcess
from playground.inspecting.unreadable import UnreadableInput
from playground.jobs.job import CHECK, job
from playground.limits import work_places
from playground.web import live_page
from playground.web.access import rate_limited, session_or_gone

SCRIPTS: Final = ("worker.js", "python.js")
"""Ours, beside those of Pyodide."""
LAST_BUILT: Final = "engine.zip"
SOURCES: Final = "sources.json"
"""The hash of each module that the build was made of."""


def is_built() -> bool:
    """Return whether `make wasm` has built the engine."""
    return (settings.WASM_DIR / LAST_BUILT).is_file()


def is_outdated() -> bool:
    """Return whether the build was made of other sources than this server runs, as before they changed."""
    if not is_built():
        return False
    made_of = settings.WASM_DIR / SOURCES
    return not made_of.is_file() or _differs(made_of, made_of.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _differs(made_of: Path, changed_ns: int) -> bool:
    try:
        hashes = msgspec.json.decode(made_of.read_bytes(), type=dict[str, str])
    except msgspec.DecodeError:
        return True
    return any(_hash(settings.BASE_DIR / name) != each for name, each in hashes.items())


def _hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


NODE_FILE: Final = "waterline-inspect.pyz"


def has_node_file() -> bool:
    """Return whether `make inspect-file` has built the file that reads a directory on its node."""
    return (settings.BASE_DIR / "dist" / NODE_FILE).is_file()


@require_safe
def node_file(request: HttpRequest) -> HttpResponse | FileResponse:
    if not has_node_file():
        raise Http404("make inspect-file has not been run")
    return serve(request, NODE_FILE, settings.BASE_DIR / "dist")


@require_safe
@cache_control(private=True, max_age=0, must_revalidate=True)
@csp_replace(  # type: ignore[arg-type]  # its types have only views without arguments from the address
    {"default-src": [NONE], "script-src": [SELF, "'wasm-unsafe-eval'"], "connect-src": [SELF]}
)
def file(request: HttpRequest, name: str) -> HttpResponse | FileResponse:
    """Send a file of the engine, or of the worker that runs it."""
    if not is_built():
        raise Http404("make wasm has not been run")
    root = settings.BASE_DIR / "static" / "js" / "wasm" if name in SCRIPTS else settings.WASM_DIR
    return serve(request, name, root)


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
            "sentences": {code: str(text) for code, text in {**refusals.TEXTS, **damage.TEXTS}.items()},
            "kinds": {kind: str(text) for kind, text in damage.KINDS.items()},
        },
    }


logger = logging.getLogger(__name__)

MOST_SENT: Final = uploads.MOST_BYTES + 4 * 1024 * 1024
"""Bytes of a whole request, with the parts' heads."""
ENGINE_FILE: Final = "worker.js"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponseBase:
    """Show the page, or answer what was sent to it."""
    if request.method == "POST":
        return _answer(request)
    outdated = is_outdated()
    usable = is_built() and not outdated
    worker = reverse("inspect-engine", args=[ENGINE_FILE]) if usable else ""
    session = _session(request)
    needed = context(
        session=session,
        worker=worker,
        outdated=outdated,
        place=worker.removesuffix(ENGINE_FILE),
        server=reverse("inspect"),
        importing=reverse("scenario-import"),
        node_file=reverse("inspect-node-file") if has_node_file() else "",
    )
    return render(request, "inspecting/page.html", needed)


def _session(request: HttpRequest) -> dict[str, Any] | None:
    """Return where the files of the session are that the address names, and what is known of them; raise Gone."""
    if "session" not in request.GET:
        return None
    found = session_or_gone(request.GET["session"][:64])
    profile, settings = found.scenario["profile"], found.scenario["settings"]
    return {
        "archive": reverse("session-archive", args=[found.public_id]),
        "choice": {
            "profile": profile,
            "entries": segment_entries(profile, settings),
        },
    }


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
    packed = parcel.pack(files, paths, read_choice(request.POST.get("choice", "")))
    return ReaderProcess(packed, request_callers.of_request(request))
