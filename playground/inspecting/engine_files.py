"""The engine for browsers, as `make wasm` builds it, and the worker that runs it for the page Inspect."""

from __future__ import annotations

import zlib
from functools import lru_cache
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from csp.constants import NONE, SELF
from csp.decorators import csp_replace
from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.static import serve

SCRIPTS: Final = ("worker.js", "python.js")
"""Ours, beside those of Pyodide."""
LAST_BUILT: Final = "engine.zip"


def is_built() -> bool:
    """Tell whether `make wasm` has built the engine."""
    return (settings.WASM_DIR / LAST_BUILT).is_file()


def is_outdated() -> bool:
    """Tell whether the build has other sources in it than this server runs: it was made before they changed."""
    built = settings.WASM_DIR / LAST_BUILT
    try:
        return _differs(built, built.stat().st_mtime_ns)
    except FileNotFoundError:
        return False


@lru_cache(maxsize=1)
def _differs(built: Path, changed_ns: int) -> bool:
    """Compare checksums; an archive keeps those of its files."""
    try:
        with ZipFile(built) as archive:
            sources = [each for each in archive.infolist() if each.filename.endswith(".py")]
    except BadZipFile:
        return True
    return any(_checksum(settings.BASE_DIR / each.filename) != each.CRC for each in sources)


def _checksum(path: Path) -> int | None:
    return zlib.crc32(path.read_bytes()) if path.is_file() else None


@require_safe
@cache_control(private=True, max_age=0, must_revalidate=True)
@csp_replace(  # type: ignore[arg-type]  # its types know only views without arguments from the address
    {"default-src": [NONE], "script-src": [SELF, "'wasm-unsafe-eval'"], "connect-src": [SELF]}
)
def file(request: HttpRequest, name: str) -> HttpResponse | FileResponse:
    """Send a file of the engine, or of the worker that runs it."""
    if not is_built():
        raise Http404("make wasm has not been run")
    root = settings.BASE_DIR / "static" / "js" / "wasm" if name in SCRIPTS else settings.WASM_DIR
    return serve(request, name, root)
