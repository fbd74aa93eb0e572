"""Which static files are served, and how they are named."""

import posixpath
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.staticfiles.apps import StaticFilesConfig
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
