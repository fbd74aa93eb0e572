"""The engine for browsers, as `make wasm` builds it: its files, its worker, and the offer of it instead of a place."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import msgspec
from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.static import serve

WORKER: Final = "worker.js"
SCRIPTS: Final = (WORKER, "python.js")
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


def worker_address() -> str:
    """Return where the worker of the engine is; nothing where no engine is built, or one of other sources."""
    return reverse("inspect-engine", args=[WORKER]) if is_built() and not is_outdated() else ""


def addresses() -> dict[str, str]:
    """Return where the engine's worker and its files are, as `worker` and `place`: empty where `worker_address` is."""
    worker = worker_address()
    return {"worker": worker, "place": worker.removesuffix(WORKER)}


def own_run(request: HttpRequest) -> dict[str, str]:
    """Return where the reader's own browser plays the run that was asked for, as `browser`: empty without an engine.
    Nothing is returned where no run was asked for.
    """
    match, posted = request.resolver_match, request.POST
    named = match.kwargs if match else {}
    found = {
        "permalink": {"r": named.get("short_id")},
        "stateless": {"x": named.get("packed")},
        "session": {"s": named.get("session_id")},
        "session-new": {"r": posted.get("scenario"), "release": posted.get("release")},
        "whatif_open": {"h": posted.get("heatmap"), "cell": posted.get("cell")},
    }.get(str(match.url_name) if match else "", {})
    wanted = {name: value for name, value in found.items() if value}
    if not wanted:
        return {}
    address = f"{reverse('browser-run')}?{urlencode({**request.GET.dict(), **wanted})}"
    return {"browser": address if worker_address() else ""}


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
