"""Which static files are served, and how they are named."""

from __future__ import annotations

import logging
import posixpath
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from playground.web.inlined_styles import IMPORTED_SHEET

STARTED = int(time.time())
"""When this process read its translations: a new one may have others."""


IMPORTED = re.compile(r"""\b(?:from|import)[\s(]*["'](\.[^"']+)["']\s*[;)]""")
"""How a script names another one that it imports, by a relative path; a type's import in a comment ends otherwise."""


class StaticFiles(StaticFilesConfig):
    """Collect what pages use: django-htmx brings extensions and a next version too, which import what it lacks."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        "hx-*.js",
        "htmx-4*.js",
        "htmax-*.js",
        "htmx-2-compat*",
    ]


class HashedStorage(CompressedManifestStaticFilesStorage):
    """Hash the names, so that browsers may keep files for ever, and compress once, at collection.

    Modules' imports of each other are rewritten: they must be relative, on one line, and end with a semicolon.
    """

    support_js_module_import_aggregation = True
    # The pass after the first sees that all names have settled, as imported files come first; else collecting fails.
    max_post_process_passes = 1
    # A page with a missing picture is better than no page.
    manifest_strict = False

    def _post_process(
        self, paths: dict[str, Any], adjustable_paths: list[str], hashed_files: dict[str, str]
    ) -> Iterator[Any]:
        """Take imported files before those that import them: names settle in one pass, not in one for each layer."""
        for name in imported_first({name: _read(*place) for name, place in paths.items()}):
            yield from super()._post_process({name: paths[name]}, adjustable_paths, hashed_files)

    def stored_name(self, name: str) -> str:
        """Return the hashed name; the plain one where nothing was collected, as for programs beside the server."""
        try:
            return str(super().stored_name(name))
        except ValueError:
            return name


def _read(storage: Any, path: str) -> str:
    """Return the text of a script or style sheet; empty for another file, which imports nothing."""
    if not path.endswith((".js", ".css")):
        return ""
    with storage.open(path) as file:
        return str(file.read(), "utf-8", "replace")


def imported_first(texts: Mapping[str, str]) -> list[str]:
    """Return the names of files in an order in which each follows those that it imports.

    Args:
        texts: of the files by their names.
    """
    order: dict[str, None] = {}
    seen: set[str] = set()

    def take(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        for imported in (IMPORTED_SHEET if name.endswith(".css") else IMPORTED).findall(texts[name]):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))
            if path in texts:
                take(path)
        order[name] = None

    for name in texts:
        take(name)
    return list(order)


logger = logging.getLogger(__name__)

MODULE: Final = re.compile(r"""type="module"\s+(?:async\s+)?src="{% static '([\w/-]+\.js)' %}\"""")
"""How a template names a script."""
SERVED: Final = frozenset(("js/edition/browser-run.js", "js/edition/own-sweep.js"))
"""Of the edition's scripts, those of a server's pages. They share no file with others, so that those keep few parts."""
LIMIT_S: Final = 60


def entries(templates: Path, sources: Path, edition: bool = False) -> list[str]:
    """Return the scripts that templates name, and all style sheets, below the static files.

    Args:
        edition: those of the edition without a server, which has not every script.
    """
    texts = (path.read_text(encoding="utf-8") for path in templates.rglob("*.html"))
    scripts = {name for text in texts for name in MODULE.findall(text)}
    sheets = (path.relative_to(sources).as_posix() for path in (sources / "css").glob("*.css"))
    if edition:
        scripts = {name for name in scripts - SERVED if (sources / name).is_file()}
    named = scripts.union(sheets)
    return sorted(name for name in named if edition or name in SERVED or not name.startswith("js/edition/"))


def bundler(modules: Path) -> Path | None:
    """Return the program that bundles scripts; None where npm installed none.

    Args:
        modules: where npm installs.
    """
    return next(iter(sorted(modules.glob("@esbuild/*/bin/esbuild"))), None)


def bundle(names: list[str], sources: Path, out: Path) -> list[str]:
    """Write each script and style sheet with what it imports; what several scripts share is a file of its own.

    Args:
        names: of the files below `sources`.
        sources: the directory of static files.
        out: a directory, which is emptied.

    Returns what was written, below `out`: nothing where there is no bundler, or where it fails.
    """
    shutil.rmtree(out, ignore_errors=True)
    program = bundler(settings.BASE_DIR / "node_modules")
    if program is None:
        return []
    options = (
        "--bundle",
        "--splitting",
        "--format=esm",
        "--minify",
        "--log-level=warning",
        "--outbase=.",
    )
    paths = ("--chunk-names=js/chunks/[name]-[hash]", "--external:*.woff2", f"--outdir={out}")
    try:
        for together in (sorted({*names} - SERVED), sorted({*names} & SERVED)):
            command = [str(program), *together, *options, *paths]
            if together:
                subprocess.run(command, cwd=sources, check=True, timeout=LIMIT_S)  # noqa: S603 - our own files
    except (OSError, subprocess.SubprocessError) as error:
        logger.warning("scripts are served one by one, as they could not be bundled: %s", error)
        return []
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


class BundleFinder(BaseFinder):
    """Lists bundles for collection; they hide the modules of the same names. Nothing else sees them."""

    def find(self, path: str, **_options: Any) -> Any:
        """Return nothing: who asks for one file wants the source."""
        return []

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, FileSystemStorage]]:
        sources, out = settings.BASE_DIR / "static", settings.VAR_DIR / "bundles"
        storage = FileSystemStorage(location=str(out))
        for path in bundle(entries(settings.BASE_DIR / "templates", sources), sources, out):
            yield path, storage
